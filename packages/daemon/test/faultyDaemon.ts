import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A stream of events that the test writes. */
export interface OpenStream {
  send(event: object): void;
  /** Ends it as a daemon does that closes the connection in good order. */
  end(): void;
  /** Breaks the connection. */
  break(): void;
  /** The cursor that the client asked for. */
  readonly lastEventId: string | undefined;
}

/**
 * A daemon over real HTTP that makes the faults which the real one makes only by chance: streams that end, events that
 * come twice, turns that end before their prompt is acknowledged. The test closes it.
 */
export class FaultyDaemon {
  readonly sessionId = 'session-1';
  /** What came in, as `METHOD /path`. */
  readonly requests: string[] = [];
  /** How requests for a permission were answered. */
  readonly votes: { readonly path: string; readonly body: unknown }[] = [];
  /** What the session's status lists as pending. */
  pendingInteractions: readonly object[] = [];
  readonly #streams: OpenStream[] = [];
  readonly #waiting: ((stream: OpenStream) => void)[] = [];
  /** Runs before a prompt is acknowledged. */
  beforeAccept: (promptId: string) => void = () => {};
  /** The status that the stream is refused with, if it is. */
  refusal: number | undefined;
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

  /** The next stream that a client opens, or has opened and nobody has taken. */
  stream(): Promise<OpenStream> {
    const open = this.#streams.shift();
    return open === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(open);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '' } = request;
    const path = url.replace(/\?.*/, '');
    this.requests.push(`${method} ${path}`);
    const answer = (body: object, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const session = { sessionId: this.sessionId, workspaceCwd: '/workspace', clientId: 'client-1' };
    if (path === '/capabilities') answer({ v: 1, mode: 'http-bridge', features: [], modelServices: [] });
    else if (path === '/session') answer({ ...session, attached: true });
    else if (path.endsWith('/events')) this.#openStream(request, response);
    else if (path.endsWith('/prompt')) {
      this.beforeAccept('prompt-1');
      answer({ promptId: 'prompt-1', lastEventId: 0 }, 202);
    } else if (path.endsWith('/load')) {
      answer({ ...session, attached: true, compactedReplay: [], liveJournal: [], lastEventId: 0 });
    } else if (path.includes('/permission/')) {
      this.votes.push({ path, body: JSON.parse(Buffer.concat(chunks).toString()) });
      answer({});
    } else if (path.endsWith('/status'))
      answer({ ...session, pendingInteractions: this.pendingInteractions });
    else if (method === 'GET') answer({ ...session, v: 1, state: {}, availableCommands: [] });
    else response.writeHead(204).end();
  }

  #openStream(request: IncomingMessage, response: ServerResponse): void {
    if (this.refusal !== undefined) {
      response.writeHead(this.refusal, { 'content-type': 'application/json' }).end('{"error":"refused"}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-qwen-event-epoch': 'epoch-1' });
    response.flushHeaders();
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
