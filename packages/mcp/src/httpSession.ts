import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { awakeTimeout } from '@tandem/core';
import { HttpCarrier } from './httpCarrier.js';
import type { EndpointContext } from './limits.js';
import type { McpEndpoint, SessionEnd } from './mcpEndpoint.js';
import type { McpServer } from './mcpServer.js';

export interface HttpSessionOptions {
  /** Of the session that this one resumes. Default: a new id. */
  readonly id?: string;
  readonly endpoint: McpEndpoint;
  readonly context: Omit<EndpointContext, 'isFull'>;
  /** `initialize` was accepted: requests may now name this session. */
  onBegan(session: HttpSession): void;
  /** The session has ended. Comes after `onBegan`, or alone if `initialize` failed. */
  onEnded(session: HttpSession): void;
}

/** One client over Streamable HTTP, from `initialize` to its end. */
export class HttpSession {
  readonly id: string;
  readonly #options: HttpSessionOptions;
  readonly #carrier: HttpCarrier;
  #server: McpServer | undefined;
  #isOver = false;
  /** Requests with an unfinished response. */
  #inFlight = 0;
  /** The GET stream closed, and the client has sent nothing since. */
  #isMissing = false;
  #expiry: { dispose(): void } | undefined;

  private constructor(options: HttpSessionOptions) {
    this.#options = options;
    this.id = options.id ?? randomUUID();
    this.#carrier = new HttpCarrier({
      sessionId: this.id,
      timing: options.context.timing,
      unreadNotifications: options.context.counts.unreadNotifications,
      // As after a broken stream: the endpoint must send the current state.
      onCaughtUp: () => this.#server?.streamOpened(),
    });
  }

  /** Creates a session. Give its `initialize` request to `post`. */
  static async create(options: HttpSessionOptions): Promise<HttpSession> {
    const session = new HttpSession(options);
    const { endpoint, context } = options;
    const { McpServer } = await import('./mcpServer.js');
    session.#server = await McpServer.start({
      id: session.id,
      endpoint,
      carrier: session.#carrier,
      ...context,
      canNotify: () => session.#carrier.canNotify,
      stream: () => session.#carrier.connection,
      close: async () => session.end('closed'),
      onSessionBegan: () => options.onBegan(session),
    });
    return session;
  }

  /** The negotiated version; undefined until `initialize` is accepted. */
  get protocolVersion(): string | undefined {
    return this.#server?.session?.protocolVersion;
  }

  /** Whether the client has an open stream or call. */
  get isConnected(): boolean {
    return this.#carrier.hasStream || this.#inFlight > 0;
  }

  /** Serves a POST with the messages of its body. */
  async post(response: ServerResponse, messages: readonly JSONRPCMessage[]): Promise<void> {
    this.#noteActivity(response);
    await this.#carrier.serve(response, messages);
    // It was refused, or is a probe.
    if (this.#server?.session === undefined) this.end('closed');
  }

  /**
   * Continues a session of an earlier companion as if its client had just initialized in the same way. Ends if the client
   * does not return in time.
   */
  async resume(before: { readonly client: object; readonly protocolVersion: string }): Promise<void> {
    const { protocolVersion, client } = before;
    await this.#carrier.replayInitialize({ protocolVersion, capabilities: {}, clientInfo: client });
    if (this.protocolVersion === undefined) return this.end('closed');
    this.#isMissing = true;
    this.#watch(this.#options.context.timing.resumeGraceMs);
  }

  /** Serves a GET: the stream for notifications. */
  get(response: ServerResponse): void {
    // The client may have disconnected already.
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

  delete(response: ServerResponse): void {
    this.end('deleted');
    response.writeHead(200).end();
  }

  /** Ends streams in order and aborts running calls. Idempotent. */
  end(reason: SessionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#expiry?.dispose();
    this.#options.onEnded(this);
    this.#server?.end(reason);
  }

  #noteActivity(response: ServerResponse): void {
    // Otherwise `close` was emitted already.
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
   * Starts the expiry when the client has no stream and no call. A session with either never expires: a review may take
   * hours.
   */
  #watch(missingMs = this.#options.context.timing.streamGraceMs): void {
    this.#expiry?.dispose();
    if (this.#isOver || this.isConnected) return;
    const { idleMs } = this.#options.context.timing;
    const [reason, wait] = this.#isMissing
      ? (['disconnected', missingMs] as const)
      : (['idle', idleMs] as const);
    this.#expiry = awakeTimeout(() => this.end(reason), wait);
  }
}
