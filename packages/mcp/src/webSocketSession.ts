import { randomUUID } from 'node:crypto';
import { awakeTimeout } from '@tandem/core';
import type { WebSocket } from 'ws';
import { startHeartbeat } from './heartbeat.js';
import type { EndpointContext } from './limits.js';
import type { McpService, SessionEnd } from './mcpEndpoint.js';
import type { McpServer } from './mcpServer.js';
import type { Connection } from './peerProgram.js';
import { closeCode, WebSocketCarrier } from './webSocketCarrier.js';

/** Close codes of an intended close. 1005: a close frame without a code. */
const orderlyCloseCodes: readonly number[] = [1000, 1001, 1005];

export type StartMcpServer = (typeof McpServer)['start'];

/** A WebSocket after its handshake, and the connection that carries it. */
export interface AcceptedSocket {
  readonly socket: WebSocket;
  readonly connection: Connection;
}

/** One client on a WebSocket with a valid token. It ends with its socket. */
export class WebSocketSession {
  readonly id = randomUUID();
  readonly #socket: WebSocket;
  readonly #connection: Connection;
  readonly #carrier: WebSocketCarrier;
  readonly #onEnded: (session: WebSocketSession) => void;
  #server: McpServer | undefined;
  #isOver = false;
  #isReady = false;
  #handshake: { dispose(): void } | undefined;
  #heartbeat: { stop(): void } | undefined;

  private constructor(
    { socket, connection }: AcceptedSocket,
    context: EndpointContext,
    onEnded: (session: WebSocketSession) => void,
  ) {
    this.#socket = socket;
    this.#connection = connection;
    this.#onEnded = onEnded;
    this.#carrier = new WebSocketCarrier({
      socket,
      ...context,
      onBreach: (code, reason) => this.close(code, reason),
    });
  }

  /**
   * Serves a socket. Synchronous up to the first listener, so that no message is missed. Calls `onEnded` once, when the
   * socket is closed or about to be.
   */
  static async start(
    accepted: AcceptedSocket,
    serve: StartMcpServer,
    endpoint: McpService,
    context: EndpointContext,
    onEnded: (session: WebSocketSession) => void,
  ): Promise<WebSocketSession> {
    const session = new WebSocketSession(accepted, context, onEnded);
    await session.#serve(serve, endpoint, context);
    return session;
  }

  /** Ends the session with a close frame. Idempotent. */
  close(code: number = closeCode.normal, reason = ''): void {
    if (this.#isOver) return;
    this.#carrier.closeWith(code, reason);
    this.#end('closed');
  }

  async #serve(serve: StartMcpServer, endpoint: McpService, context: EndpointContext): Promise<void> {
    const { timing, logger } = context;
    let brokeProtocol = false;
    this.#socket.on('error', (error) => {
      // `ws` closes the socket itself after an invalid frame.
      brokeProtocol = 'code' in error && String(error.code).startsWith('WS_ERR_');
      logger.info('A WebSocket failed.', { session: this.id, error: error.message });
    });
    this.#socket.once('close', (code) => {
      if (brokeProtocol) this.#end('closed');
      else this.#end(orderlyCloseCodes.includes(code) ? 'deleted' : 'disconnected');
    });
    this.#handshake = awakeTimeout(
      () => this.close(closeCode.policyViolation, 'No initialize request came in time'),
      timing.handshakeMs,
    );
    this.#server = await serve({
      id: this.id,
      endpoint,
      carrier: this.#carrier,
      ...context,
      canNotify: () => this.#isReady,
      stream: () => (this.#isReady ? this.#connection : undefined),
      close: async () => this.close(),
      onSessionBegan: () => this.#beginHeartbeat(context),
      onProbed: () => this.close(),
      onInitialized: () => {
        if (this.#isReady || this.#server?.session === undefined) return;
        this.#isReady = true;
        this.#server.streamOpened();
      },
    });
  }

  #beginHeartbeat({ timing }: EndpointContext): void {
    this.#handshake?.dispose();
    // Clients without a subprotocol answer no JSON-RPC ping, but every WebSocket answers a ping frame.
    const answers = async (limit: number) =>
      this.#socket.protocol === ''
        ? this.#carrier.answersPing(limit)
        : ((await this.#server?.answersPing(limit)) ?? true);
    this.#heartbeat = startHeartbeat(answers, timing, () => {
      this.#carrier.terminate();
      this.#end('unresponsive');
    });
  }

  #end(reason: SessionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isReady = false;
    this.#handshake?.dispose();
    this.#heartbeat?.stop();
    this.#onEnded(this);
    this.#server?.end(reason);
  }
}
