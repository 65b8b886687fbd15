import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { EndpointContext } from './endpointContext.js';
import type { McpEndpoint } from './mcpEndpoint.js';
import { closeCode, closeSocket } from './webSocketCarrier.js';
import { type StartMcpServer, WebSocketSession } from './webSocketSession.js';

/** An endpoint whose clients present the token in a header of their own during the WebSocket handshake. */
export type WebSocketMcpEndpoint = McpEndpoint & {
  /** Name of that header, in any case. */
  readonly tokenHeader: string;
};

/** The sessions of one agent that connects by WebSocket. The listener checked the token. */
export class WebSocketEndpoint {
  readonly #endpoint: WebSocketMcpEndpoint;
  readonly #context: EndpointContext;
  readonly #sessions = new Set<WebSocketSession>();
  #beginning = 0;
  #isDisposed = false;

  constructor(endpoint: WebSocketMcpEndpoint, context: EndpointContext) {
    this.#endpoint = endpoint;
    this.#context = context;
  }

  get token(): string {
    return this.#endpoint.token;
  }

  /** What this request presents as its token; undefined when it has none. */
  presentedToken(request: IncomingMessage): string | undefined {
    const value = request.headers[this.#endpoint.tokenHeader.toLowerCase()];
    return typeof value === 'string' ? value : undefined;
  }

  /** How many sockets are served, those that have not initialized yet included. */
  get sessionCount(): number {
    return this.#sessions.size + this.#beginning;
  }

  /** Serves a socket whose handshake is complete, or closes it with 1013 when there are too many. */
  async accept(socket: WebSocket, serve: StartMcpServer): Promise<void> {
    const { counts, timing } = this.#context;
    if (this.sessionCount >= counts.sessionsPerAgent || this.#context.countSessions() >= counts.sessions) {
      socket.on('error', () => {});
      closeSocket(socket, closeCode.tryAgainLater, tooMany, timing.closeLimitMs);
      return;
    }
    this.#beginning += 1;
    const session = await WebSocketSession.start(socket, serve, this.#endpoint, this.#context, (ended) =>
      this.#sessions.delete(ended),
    ).finally(() => {
      this.#beginning -= 1;
    });
    if (this.#isDisposed) session.close(closeCode.goingAway, goingAway);
    else if (socket.readyState === socket.OPEN) this.#sessions.add(session);
  }

  /** Closes every session with 1001. */
  dispose(): void {
    this.#isDisposed = true;
    for (const session of [...this.#sessions]) session.close(closeCode.goingAway, goingAway);
  }
}

/** At most 123 bytes fit into a close frame. */
const tooMany = 'Too many agents are connected to this companion. End some of them, and connect again.';
const goingAway = 'The companion is shutting down';
