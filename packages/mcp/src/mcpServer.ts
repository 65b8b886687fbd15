import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCResultResponse,
  RequestId,
  Transport,
} from '@modelcontextprotocol/server';
import { isInitializeRequest, ProtocolError, Server } from '@modelcontextprotocol/server';
import { answerRequest } from './answerRequest.js';
import { answersPing } from './heartbeat.js';
import type { Counts } from './limits.js';
import { describeError, type TransportLogger } from './logger.js';
import type { McpEndpoint, McpSession, McpSessionHandler, SessionEnd } from './mcpEndpoint.js';
import { alreadyInitialized, invalidInitialize, protocolVersions } from './mcpNegotiation.js';
import type { MessageCarrier } from './messageCarrier.js';
import { isProbe } from './probe/probeClient.js';
import type { Recorder } from './recording/recorder.js';
import { isRequestId } from './requestId.js';
import { RequestRate } from './requestRate.js';
import { rpcCode } from './rpcError.js';
import { isRequest } from './wireMessage.js';

/** Whether a request is an `initialize` with all that belongs to it. */
export const isInitialize: (message: unknown) => boolean = isInitializeRequest;

export interface McpServerOptions {
  readonly id: string;
  readonly endpoint: McpEndpoint;
  readonly carrier: MessageCarrier;
  readonly counts: Pick<Counts, 'unansweredRequests' | 'requestsPerSecond'>;
  readonly logger: TransportLogger;
  readonly recorder: Recorder | undefined;
  /** Whether a notification could be delivered now. */
  canHear(): boolean;
  /** Ends the session from our side. */
  close(): Promise<void>;
  /** `initialize` was accepted and is about to be answered: the session exists from now on. */
  onSessionBegan(): void;
  /** A client that only asks has its answer. It was never introduced to the endpoint; whoever carries it ends it now. */
  onProbed?(): void;
  /** The client said `notifications/initialized`. */
  onInitialized?(): void;
}

/**
 * The MCP layer of one session, the same over HTTP and over WebSocket. It answers `initialize`, `ping`,
 * `tools/list` and `tools/call`, and calls the endpoint's `onSession` between the arrival of `initialize` and
 * its answer. Whoever starts it ends it.
 */
export class McpServer {
  readonly #options: McpServerOptions;
  readonly #server: Server;
  /** Requests of the client that are not answered yet: their methods by id. */
  readonly #unanswered = new Map<RequestId, string>();
  /** Who wants to know when these requests were answered. */
  readonly #whenSent = new Map<RequestId, () => void>();
  readonly #rate: RequestRate;
  readonly #transport: Transport;
  #session: McpSession | undefined;
  #handler: McpSessionHandler | undefined;
  #isOver = false;
  #isDetached = false;
  /** The client only asks: after its answer nothing that it says is heard. */
  #isProbe = false;

  private constructor(options: McpServerOptions) {
    this.#options = options;
    this.#rate = new RequestRate(options.counts.requestsPerSecond);
    // `McpServer` of the SDK would validate and copy a proposal's whole text twice more; `Server` does not.
    this.#server = new Server(options.endpoint.serverInfo, {
      capabilities: { tools: { listChanged: true } },
      supportedProtocolVersions: protocolVersions,
    });
    this.#transport = {
      start: () =>
        options.carrier.open({
          receive: (message) => this.#tell('receive', () => this.#receive(message)),
          closed: () => this.#detach(),
          failed: (error) => this.#transport.onerror?.(error),
        }),
      send: (message) => ('method' in message ? this.#sendOwn(message) : this.#sendAnswer(message)),
      close: () => options.carrier.close(),
    };
  }

  /** Starts the MCP layer on its carrier. */
  static async start(options: McpServerOptions): Promise<McpServer> {
    const started = new McpServer(options);
    await started.#connect();
    return started;
  }

  /** Set once `initialize` was accepted. */
  get session(): McpSession | undefined {
    return this.#session;
  }

  /** Tells the endpoint that its notifications are heard from now on. */
  streamOpened(): void {
    this.#tell('onStreamOpen', () => this.#handler?.onStreamOpen?.());
  }

  /** Tells the endpoint that nothing is heard any more for now. */
  streamClosed(): void {
    this.#tell('onStreamClose', () => this.#handler?.onStreamClose?.());
  }

  /** Whether the client answers a ping in time. */
  answersPing(timeoutMs: number): Promise<boolean> {
    return answersPing(this.#server, timeoutMs);
  }

  /** Aborts running calls, closes the carrier and tells the endpoint that the session is over. Idempotent. */
  end(reason: SessionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.carrier.close().catch((error: unknown) => {
      this.#options.logger.debug('Closing a connection failed.', { error: describeError(error) });
    });
    this.#detach();
    this.#tell('onClosed', () => this.#handler?.onClosed(reason));
  }

  async #connect(): Promise<void> {
    const server = this.#server;
    const { id, logger, onInitialized } = this.#options;
    // What follows the colon in these errors can be a whole message, with its contents.
    server.onerror = ({ message }) =>
      logger.debug('The MCP layer reported an error.', { session: id, error: message.split(':', 1)[0] });
    server.oninitialized = () => onInitialized?.();
    server.fallbackNotificationHandler = async ({ method, params }) => {
      this.#tell('onNotification', () => this.#handler?.onNotification?.(method, params));
    };
    // One handler for all that the SDK does not answer by itself. Handlers registered by method would parse the
    // whole message once more, and answer wrong parameters with pages of schema errors.
    server.fallbackRequestHandler = async (request, context) => {
      if (this.#handler === undefined)
        throw new ProtocolError(rpcCode.invalidRequest, 'Send initialize first.');
      const { id: requestId, signal } = context.mcpReq;
      return answerRequest(this.#handler, request, {
        signal,
        logger,
        whenSent: (listener) => this.#whenSent.set(requestId, listener),
      });
    };
    await server.connect(this.#transport);
  }

  #receive(message: JSONRPCMessage): void {
    if (this.#isProbe) return;
    this.#record('in', message);
    if (isRequest(message)) {
      const excess = this.#findExcess();
      if (excess !== undefined) {
        const refusal = { jsonrpc: '2.0' as const, id: message.id, error: excess };
        this.#record('out', refusal);
        void this.#options.carrier.send(refusal, undefined);
        return;
      }
      this.#unanswered.set(message.id, message.method);
      const fault = message.method === 'initialize' ? this.#findInitializeFault(message) : undefined;
      if (fault !== undefined) {
        void this.#sendAnswer({ jsonrpc: '2.0', id: message.id, error: fault });
        return;
      }
    } else if ('method' in message && message.method === 'notifications/cancelled') {
      this.#forget(message.params?.requestId);
    }
    this.#transport.onmessage?.(message);
  }

  /** Why a request is one too many. */
  #findExcess(): JSONRPCErrorResponse['error'] | undefined {
    const { unansweredRequests, requestsPerSecond } = this.#options.counts;
    if (!this.#rate.admits()) {
      const said = `Too many requests: at most ${requestsPerSecond} in one second. Send fewer.`;
      return { code: rpcCode.refused, message: said };
    }
    if (this.#unanswered.size < unansweredRequests) return undefined;
    const said = `Too many requests at once: ${unansweredRequests} wait for their answers. Wait for some of them.`;
    return { code: rpcCode.refused, message: said };
  }

  #findInitializeFault(message: JSONRPCMessage): JSONRPCErrorResponse['error'] | undefined {
    if (this.#session !== undefined) {
      return { code: rpcCode.invalidRequest, message: alreadyInitialized };
    }
    if (!isInitializeRequest(message)) return { code: rpcCode.invalidParams, message: invalidInitialize };
    return undefined;
  }

  /** A cancelled request is never answered. The SDK aborts it a microtask later; then the wire may forget it. */
  #forget(request: unknown): void {
    if (!isRequestId(request)) return;
    this.#unanswered.delete(request);
    this.#whenSent.delete(request);
    setImmediate(() => this.#options.carrier.cancelled?.(request));
  }

  #sendOwn(message: JSONRPCMessage): Promise<void> {
    this.#record('out', message);
    return this.#options.carrier.send(message, undefined);
  }

  async #sendAnswer(message: JSONRPCResultResponse | JSONRPCErrorResponse): Promise<void> {
    const answers = message.id === undefined ? undefined : this.#unanswered.get(message.id);
    const whenSent = message.id === undefined ? undefined : this.#whenSent.get(message.id);
    if (message.id !== undefined) {
      this.#unanswered.delete(message.id);
      this.#whenSent.delete(message.id);
    }
    const wasRefused = answers === 'initialize' && 'result' in message && !this.#beginSession();
    const outgoing = wasRefused ? { jsonrpc: '2.0' as const, id: message.id, error: internalError } : message;
    this.#record('out', outgoing);
    await this.#options.carrier.send(outgoing, answers);
    if (this.#isProbe) this.#options.onProbed?.();
    if (whenSent !== undefined && !this.#isOver) this.#tell('whenSent', whenSent);
    if (answers !== undefined && !this.#isOver) {
      this.#tell('onAnswered', () => this.#handler?.onAnswered?.(answers));
    }
  }

  /** Introduces the client to the endpoint, unless it only asks. False when the endpoint threw, which it must not. */
  #beginSession(): boolean {
    const client = this.#server.getClientVersion();
    const protocolVersion = this.#server.getNegotiatedProtocolVersion();
    if (client === undefined || protocolVersion === undefined) return false;
    this.#isProbe = isProbe(client);
    if (this.#isProbe) return true;
    const session: McpSession = {
      id: this.#options.id,
      client: { name: client.name, version: client.version },
      protocolVersion,
      notify: (method, params) => this.#notify(method, params),
      close: () => this.#options.close(),
    };
    const isAccepted = this.#tell('onSession', () => {
      this.#handler = this.#options.endpoint.onSession(session);
    });
    if (!isAccepted) return false;
    this.#session = session;
    this.#options.onSessionBegan();
    return true;
  }

  async #notify(method: string, params: Readonly<Record<string, unknown>>): Promise<boolean> {
    if (this.#isOver || !this.#options.canHear()) return false;
    try {
      await this.#server.notification({ method, params });
      return true;
    } catch (error) {
      const { id, logger } = this.#options;
      logger.debug('A notification was not sent.', { session: id, method, error: describeError(error) });
      return false;
    }
  }

  #record(direction: 'in' | 'out', message: JSONRPCMessage): void {
    const { endpoint, id, recorder } = this.#options;
    recorder?.record({ endpoint: endpoint.name, session: id, direction, message });
  }

  /** A fault in the endpoint's code must not reach the socket's event handlers. False when there was one. */
  #tell(what: string, call: () => void): boolean {
    try {
      call();
      return true;
    } catch (error) {
      const { endpoint, id, logger } = this.#options;
      logger.error(`${what} threw.`, { endpoint: endpoint.name, session: id, error: describeError(error) });
      return false;
    }
  }

  /** Aborts the running calls, once: when we end the session or when the wire is gone, whichever is first. */
  #detach(): void {
    if (this.#isDetached) return;
    this.#isDetached = true;
    this.#transport.onclose?.();
  }
}

const internalError = { code: rpcCode.internalError, message: 'Internal error' };
