import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An event stream that the test controls. */
export interface OpenStream {
  send(event: object): void;
  /** Ends it normally, as a daemon that closes the connection. */
  end(): void;
  /** Breaks the connection. */
  break(): void;
  /** The cursor in the client's request. */
  readonly lastEventId: string | undefined;
}

/** A received request. */
interface Received {
  /** Such as `POST /session`. */
  readonly line: string;
  readonly token: string | undefined;
  readonly clientId: string | undefined;
  readonly body: unknown;
}

/**
 * A daemon over real HTTP that produces faults that occur only by chance with the real one: streams that end, duplicate
 * events, turns that end before their prompt is acknowledged. The test closes it.
 */
export class FaultyDaemon {
  readonly sessionId = 'session-1';
  readonly received: Received[] = [];
  /** The answers to permission requests. */
  readonly votes: { readonly path: string; readonly body: unknown }[] = [];
  /** The number of open streams. */
  openStreams = 0;
  /** Runs before a prompt is acknowledged; the acknowledgement waits for it. */
  beforeAccept: (promptId: string) => void | Promise<void> = () => {};
  /** Requests with this suffix are never answered. */
  hangsOn: string | undefined;
  /** The status with which streams are refused, if any. */
  refusal: number | undefined;
  /** Whether the shared session exists before a client asks for it. */
  isAttached = true;
  /** Whether streams name their epoch. */
  hasEpoch = true;
  /** The reason of the turn's end, if prompts are answered at that end instead of at once. */
  stopReason: string | undefined;
  /** Whether each stream ends as soon as it opens. */
  endsAtOnce = false;
  /** Whether a prompt that a client removes is still in the queue. */
  hasQueued = true;
  /** The status of the answer to a vote. */
  voteStatus = 200;
  /** The pending requests in the session's status. */
  pendingInteractions: readonly object[] = [];
  /** The status of the answer to a load, and its body if that is a refusal. */
  loadStatus = 200;
  loadRefusal: object = { code: 'session_not_found' };
  /** The history with which the session loads. */
  history: readonly object[] = [];
  hasActivePrompt = false;
  /** The models, modes and commands of the session, the providers and the turns to rewind to, as the daemon answers. */
  facts: object = {};
  readonly #streams: OpenStream[] = [];
  readonly #waiting: ((stream: OpenStream) => void)[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<FaultyDaemon> {
    const daemon = new FaultyDaemon();
    await new Promise<void>((resolve) => daemon.#server.listen(0, '127.0.0.1', resolve));
    return daemon;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The lines of the received requests; with `ending`, only those with this suffix. */
  requests(ending = ''): string[] {
    return this.received.map(({ line }) => line).filter((line) => line.endsWith(ending));
  }

  /** The body of the last request with this line. */
  bodyOf(line: string): unknown {
    return this.received.findLast((each) => each.line === line)?.body;
  }

  /** The next stream that a client opens or has already opened. */
  stream(): Promise<OpenStream> {
    const open = this.#streams.shift();
    return open === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(open);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const path = url.replace(/\?.*/, '');
    const text = (await request.toArray()).join('');
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const clientId = headers['x-qwen-client-id'];
    this.received.push({
      line: `${method} ${path}`,
      token: headers.authorization,
      clientId: typeof clientId === 'string' ? clientId : undefined,
      body,
    });
    const answer = (content: object, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    };
    const session = { sessionId: this.sessionId, workspaceCwd: '/workspace', clientId: 'client-1' };
    if (this.hangsOn !== undefined && path.endsWith(this.hangsOn)) return;
    if (path === '/capabilities') answer({ v: 1, mode: 'http-bridge', features: [], modelServices: [] });
    else if (path === '/session') answer({ ...session, attached: this.isAttached });
    else if (path.endsWith('/load')) {
      const { history, hasActivePrompt } = this;
      const past = { compactedReplay: history, liveJournal: [], lastEventId: 0, hasActivePrompt };
      if (this.loadStatus === 200) answer({ ...session, ...past });
      else answer(this.loadRefusal, this.loadStatus);
    } else if (path.endsWith('/events')) this.#openStream(request, response);
    else if (path.endsWith('/prompt')) {
      const promptId = `prompt-${this.requests('/prompt').length}`;
      await this.beforeAccept(promptId);
      if (this.stopReason === undefined) answer({ promptId, lastEventId: 0 }, 202);
      else answer({ stopReason: this.stopReason });
    } else if (path.endsWith('/status')) {
      answer({ ...session, pendingInteractions: this.pendingInteractions });
    } else if (path.includes('/pending-prompts/')) answer({ removed: this.hasQueued });
    else if (path.includes('/permission/')) {
      this.votes.push({ path, body });
      answer({}, this.voteStatus);
    } else if (path.endsWith('/model')) answer({ modelId: 'key-of-the-provider' });
    else if (path.endsWith('/rewind')) answer({});
    else if (method === 'GET') {
      answer({ ...session, v: 1, state: {}, availableCommands: [], snapshots: [], ...this.facts });
    } else response.writeHead(204).end();
  }

  #openStream(request: IncomingMessage, response: ServerResponse): void {
    if (this.refusal !== undefined) {
      const code = this.refusal === 404 ? 'session_not_found' : 'refused';
      response.writeHead(this.refusal, { 'content-type': 'application/json' }).end(JSON.stringify({ code }));
      return;
    }
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      ...(this.hasEpoch && { 'x-qwen-event-epoch': 'epoch-1' }),
    });
    response.flushHeaders();
    if (this.endsAtOnce) {
      response.end();
      return;
    }
    this.openStreams += 1;
    response.on('close', () => {
      this.openStreams -= 1;
    });
    const cursor = request.headers['last-event-id'];
    const stream: OpenStream = {
      send: (event) => void response.write(`data: ${JSON.stringify({ v: 1, ...event })}\n\n`),
      end: () => void response.end(),
      break: () => void response.destroy(),
      lastEventId: typeof cursor === 'string' ? cursor : undefined,
    };
    const taker = this.#waiting.shift();
    if (taker === undefined) this.#streams.push(stream);
    else taker(stream);
  }
}
