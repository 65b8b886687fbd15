import type { IncomingMessage } from 'node:http';
import type { EndpointContext } from './limits.js';
import type { McpEndpoint, McpService } from './mcpEndpoint.js';
import { tooManySessions } from './refusal.js';
import { closeCode, closeSocket } from './webSocketCarrier.js';
import { type AcceptedSocket, type StartMcpServer, WebSocketSession } from './webSocketSession.js';

/** An endpoint whose clients present the token in a special header of the WebSocket handshake. */
export type WebSocketMcpEndpoint = McpEndpoint & {
  /** Name of that header; the case does not matter. */
  readonly tokenHeader: string;
};

/**
 * A service for clients that use the discovery file and the token of another agent. They offer no subprotocol, and do not
 * answer JSON-RPC pings.
 */
export type WebSocketMcpGuest = McpService & {
  /** The name of the endpoint that they connect to. */
  readonly of: string;
  /**
   * Matches the name of their process, where nothing else distinguishes them. Absent: every client that no other guest
   * claims, for example because its process is unknown.
   */
  readonly program?: RegExp;
};

/** The token of an agent that connects by WebSocket, and its sessions. */
export class WebSocketEndpoint {
  readonly sessions: WebSocketSessions;
  readonly #endpoint: WebSocketMcpEndpoint;

  constructor(endpoint: WebSocketMcpEndpoint, context: EndpointContext) {
    this.#endpoint = endpoint;
    this.sessions = new WebSocketSessions(endpoint, context);
  }

  get name(): string {
    return this.#endpoint.name;
  }

  get token(): string {
    return this.#endpoint.token;
  }

  /** The token that a request presents. */
  presentedToken(request: IncomingMessage): string | undefined {
    const value = request.headers[this.#endpoint.tokenHeader.toLowerCase()];
    return typeof value === 'string' ? value : undefined;
  }

  get sessionCount(): number {
    return this.sessions.sessionCount;
  }

  dispose(): void {
    this.sessions.dispose();
  }
}

/** The sessions of one agent that connects by WebSocket. The listener has checked the token. */
export class WebSocketSessions {
  readonly #service: McpService;
  readonly #context: EndpointContext;
  readonly #sessions = new Set<WebSocketSession>();
  #beginning = 0;
  #isDisposed = false;

  constructor(service: McpService, context: EndpointContext) {
    this.#service = service;
    this.#context = context;
  }

  /** The number of sockets, including those that have not initialized. */
  get sessionCount(): number {
    return this.#sessions.size + this.#beginning;
  }

  /** Serves a socket after its handshake, or closes it with 1013 if there are too many. */
  async accept(accepted: AcceptedSocket, serve: StartMcpServer): Promise<void> {
    const { socket } = accepted;
    if (this.#context.isFull(this)) {
      socket.on('error', () => {});
      closeSocket(
        socket,
        closeCode.tryAgainLater,
        tooManySessions.message,
        this.#context.timing.closeLimitMs,
      );
      return;
    }
    this.#beginning += 1;
    const session = await WebSocketSession.start(accepted, serve, this.#service, this.#context, (ended) =>
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

const goingAway = 'The companion is shutting down';
