import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { awakeTimeout } from './awakeTimeout.js';
import { HttpCarrier } from './httpCarrier.js';
import type { Counts, Timing } from './limits.js';
import { loadMcpServer } from './loadMcpServer.js';
import type { TransportLogger } from './logger.js';
import type { McpEndpoint, SessionEnd } from './mcpEndpoint.js';
import type { McpServer } from './mcpServer.js';
import type { Recorder } from './recording/recorder.js';

export interface HttpSessionOptions {
  /** That of the session which this one follows; a new one when left out. */
  readonly id?: string;
  readonly endpoint: McpEndpoint;
  readonly timing: Timing;
  readonly counts: Counts;
  readonly logger: TransportLogger;
  readonly recorder: Recorder | undefined;
  /** `initialize` was accepted: from now on requests may name this session. */
  onBegan(session: HttpSession): void;
  /** The session is over. Follows `onBegan`, or stands alone when `initialize` failed. */
  onEnded(session: HttpSession): void;
}

/** One client over Streamable HTTP, from `initialize` to whatever ends it. */
export class HttpSession {
  readonly id: string;
  readonly #options: HttpSessionOptions;
  readonly #carrier: HttpCarrier;
  #server: McpServer | undefined;
  #isOver = false;
  /** Requests whose response is not over yet. */
  #inFlight = 0;
  /** The GET stream closed, and nothing was heard from the client since. */
  #isMissing = false;
  #expiry: { dispose(): void } | undefined;

  private constructor(options: HttpSessionOptions) {
    this.#options = options;
    this.id = options.id ?? randomUUID();
    this.#carrier = new HttpCarrier({
      sessionId: this.id,
      timing: options.timing,
      unreadNotifications: options.counts.unreadNotifications,
      // As after a stream that broke: it has to be told how things stand.
      onCaughtUp: () => this.#server?.streamOpened(),
    });
  }

  /** Creates a session that waits for its `initialize` request, to be given to `post`. */
  static async create(options: HttpSessionOptions): Promise<HttpSession> {
    const session = new HttpSession(options);
    const { endpoint, counts, logger, recorder } = options;
    const { McpServer } = await loadMcpServer();
    session.#server = await McpServer.start({
      id: session.id,
      endpoint,
      carrier: session.#carrier,
      counts,
      logger,
      recorder,
      canHear: () => session.#carrier.canHear,
      close: async () => session.end('closed'),
      onSessionBegan: () => options.onBegan(session),
    });
    return session;
  }

  /** The negotiated version; undefined as long as `initialize` was not accepted. */
  get protocolVersion(): string | undefined {
    return this.#server?.session?.protocolVersion;
  }

  /** Whether a stream or a call connects us with the client at this moment. */
  get isConnected(): boolean {
    return this.#carrier.hasStream || this.#inFlight > 0;
  }

  /** Serves a POST with the messages of its body. */
  async post(response: ServerResponse, messages: readonly JSONRPCMessage[]): Promise<void> {
    this.#noteActivity(response);
    await this.#carrier.serve(response, messages);
    // It was refused, or the client only asks.
    if (this.#server?.session === undefined) this.end('closed');
  }

  /**
   * Begins where a session of a predecessor ended, as if its client had just initialized in the same way. Waits for
   * the client for a while, and is over when it does not come back.
   */
  async resume(before: { readonly client: object; readonly protocolVersion: string }): Promise<void> {
    const { protocolVersion, client } = before;
    await this.#carrier.replayInitialize({ protocolVersion, capabilities: {}, clientInfo: client });
    if (this.protocolVersion === undefined) return this.end('closed');
    this.#isMissing = true;
    this.#watch(this.#options.timing.resumeGraceMs);
  }

  /** Serves a GET: the stream on which notifications travel. */
  get(response: ServerResponse): void {
    // The client may be gone by now; its response then closed before anybody listened.
    if (response.closed) return;
    this.#carrier.serveStream(response, () => {
      this.#isMissing = true;
      this.#watch();
      this.#server?.streamClosed();
    });
    this.#isMissing = false;
    this.#watch();
    this.#server?.streamOpened();
  }

  /** Serves a DELETE, which ends the session. */
  delete(response: ServerResponse): void {
    this.end('deleted');
    response.writeHead(200).end();
  }

  /** Ends the session: streams end in order, running calls are aborted. Idempotent. */
  end(reason: SessionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#expiry?.dispose();
    this.#options.onEnded(this);
    this.#server?.end(reason);
  }

  /** The client speaks to us, and waits for this response. */
  #noteActivity(response: ServerResponse): void {
    // The client may be gone by now; its response then closed before anybody listened.
    if (!response.closed) {
      this.#inFlight += 1;
      response.once('close', () => {
        this.#inFlight -= 1;
        this.#watch();
      });
    }
    this.#isMissing = false;
    this.#watch();
  }

  /**
   * Starts the clock when nothing connects us with the client any more. A session with an open stream never
   * expires, nor does one with a call that is still running: a person may take hours over a review.
   */
  #watch(missingMs = this.#options.timing.streamGraceMs): void {
    this.#expiry?.dispose();
    if (this.#isOver || this.isConnected) return;
    const { idleMs } = this.#options.timing;
    const [reason, wait] = this.#isMissing
      ? (['disconnected', missingMs] as const)
      : (['idle', idleMs] as const);
    this.#expiry = awakeTimeout(() => this.end(reason), wait);
  }
}
