import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCResultResponse,
  RequestId,
  Transport,
} from '@modelcontextprotocol/server';
import { isInitializeRequest, ProtocolError, Server } from '@modelcontextprotocol/server';
import { describeFailure, type Logger } from '@tandem/core';
import { answerRequest } from './answerRequest.js';
import { answersPing } from './heartbeat.js';
import type { Counts } from './limits.js';
import type { McpService, McpSession, McpSessionHandler, SessionEnd } from './mcpEndpoint.js';
import type { MessageCarrier } from './messageCarrier.js';
import type { Connection } from './peerProgram.js';
import { isProbe } from './probeCompanion.js';
import type { Recorder } from './recording/recorder.js';
import { RequestRate } from './requestRate.js';
import { alreadyInitialized, invalidInitialize, protocolVersions, rpcCode } from './rpcError.js';
import { isRequest, isRequestId } from './wireMessage.js';

/** Whether a message is a valid `initialize` request. */
export const isInitialize: (message: unknown) => boolean = isInitializeRequest;

export interface McpServerOptions {
  readonly id: string;
  readonly endpoint: McpService;
  readonly carrier: MessageCarrier;
  readonly counts: Pick<Counts, 'unansweredRequests' | 'requestsPerSecond'>;
  readonly logger: Logger;
  readonly recorder: Recorder | undefined;
  /** Whether a notification could be delivered now. */
  canNotify(): boolean;
  /** The connection of the client's stream, for a carrier that has one. */
  stream?(): Connection | undefined;
  /** Ends the session. */
  close(): Promise<void>;
  /** `initialize` was accepted and is about to be answered. */
  onSessionBegan(): void;
  /** A probe has its answer: the carrier should end it. The endpoint does not know it. */
  onProbed?(): void;
  /** The client sent `notifications/initialized`. */
  onInitialized?(): void;
}

/**
 * The MCP layer of one session, the same over HTTP and over WebSocket. It answers `initialize`, `ping`,
 * `tools/list` and `tools/call`, and calls the endpoint's `onSession` between the arrival of `initialize` and
 * its answer. The caller of `start` ends it.
 */
export class McpServer {
  readonly #options: McpServerOptions;
  readonly #server: Server;
  /** The methods of unanswered requests, by id. */
  readonly #unanswered = new Map<RequestId, string>();
  /** Called when these requests are answered. */
  readonly #whenSent = new Map<RequestId, () => void>();
  readonly #rate: RequestRate;
  readonly #transport: Transport;
  #session: McpSession | undefined;
  #handler: McpSessionHandler | undefined;
  #isOver = false;
  #isDetached = false;
  /** The client is a probe: messages after its answer are ignored. */
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
          receive: (message) => this.#guard('receive', () => this.#receive(message)),
          closed: () => this.#detach(),
          failed: (error) => this.#transport.onerror?.(error),
        }),
      send: (message) => ('method' in message ? this.#sendOwn(message) : this.#sendAnswer(message)),
      close: () => options.carrier.close(),
    };
  }

  static async start(options: McpServerOptions): Promise<McpServer> {
    const started = new McpServer(options);
    await started.#connect();
    return started;
  }

  /** Set once `initialize` is accepted. */
  get session(): McpSession | undefined {
    return this.#session;
  }

  /** Reports to the endpoint that notifications can be delivered. */
  streamOpened(): void {
    this.#guard('onStreamOpen', () => this.#handler?.onStreamOpen?.());
  }

  /** Reports to the endpoint that notifications cannot be delivered for now. */
  streamClosed(): void {
    this.#guard('onStreamClose', () => this.#handler?.onStreamClose?.());
  }

  /** Whether the client answers a ping in time. */
  answersPing(timeoutMs: number): Promise<boolean> {
    return answersPing(this.#server, timeoutMs);
  }

  /** Aborts running calls, closes the carrier and notifies the endpoint. Idempotent. */
  end(reason: SessionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.carrier.close().catch((error: unknown) => {
      this.#options.logger.debug('Closing a connection failed.', { error: describeFailure(error) });
    });
    this.#detach();
    this.#guard('onClosed', () => this.#handler?.onClosed(reason));
  }

  async #connect(): Promise<void> {
    const server = this.#server;
    const { id, logger, onInitialized } = this.#options;
    // After the colon, these errors may quote a message with its contents.
    server.onerror = ({ message }) =>
      logger.debug('The MCP layer reported an error.', { session: id, error: message.split(':', 1)[0] });
    server.oninitialized = () => onInitialized?.();
    server.fallbackNotificationHandler = async ({ method, params }) => {
      this.#guard('onNotification', () => this.#handler?.onNotification?.(method, params));
    };
    // Handlers registered by method would parse the whole message again, and answer wrong parameters with pages of schema
    // errors.
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

  #findExcess(): JSONRPCErrorResponse['error'] | undefined {
    const { unansweredRequests, requestsPerSecond } = this.#options.counts;
    if (!this.#rate.admits()) {
      const message = `Too many requests: at most ${requestsPerSecond} in one second. Send fewer.`;
      return { code: rpcCode.refused, message };
    }
    if (this.#unanswered.size < unansweredRequests) return undefined;
    const message = `Too many requests at once: ${unansweredRequests} are unanswered. Wait for some of the answers.`;
    return { code: rpcCode.refused, message };
  }

  #findInitializeFault(message: JSONRPCMessage): JSONRPCErrorResponse['error'] | undefined {
    if (this.#session !== undefined) {
      return { code: rpcCode.invalidRequest, message: alreadyInitialized };
    }
    if (!isInitializeRequest(message)) return { code: rpcCode.invalidParams, message: invalidInitialize };
    return undefined;
  }

  /** A cancelled request is never answered. The SDK aborts it a microtask later; then the carrier may drop it. */
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
    if (whenSent !== undefined && !this.#isOver) this.#guard('whenSent', whenSent);
    if (answers !== undefined && !this.#isOver) {
      this.#guard('onAnswered', () => this.#handler?.onAnswered?.(answers));
    }
  }

  /** Introduces the client to the endpoint, unless it is a probe. Returns false if the endpoint threw. */
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
      stream: () => this.#options.stream?.(),
      close: () => this.#options.close(),
    };
    const isAccepted = this.#guard('onSession', () => {
      this.#handler = this.#options.endpoint.onSession(session);
    });
    if (!isAccepted) return false;
    this.#session = session;
    this.#options.onSessionBegan();
    return true;
  }

  async #notify(method: string, params: Readonly<Record<string, unknown>>): Promise<boolean> {
    if (this.#isOver || !this.#options.canNotify()) return false;
    try {
      await this.#server.notification({ method, params });
      return true;
    } catch (error) {
      const { id, logger } = this.#options;
      logger.debug('A notification was not sent.', { session: id, method, error: describeFailure(error) });
      return false;
    }
  }

  #record(direction: 'in' | 'out', message: JSONRPCMessage): void {
    const { endpoint, id, recorder } = this.#options;
    recorder?.record({ endpoint: endpoint.name, session: id, direction, message });
  }

  /** Keeps errors of the endpoint from the socket's event handlers. Returns false if there was one. */
  #guard(what: string, call: () => void): boolean {
    try {
      call();
      return true;
    } catch (error) {
      const { endpoint, id, logger } = this.#options;
      logger.error(`${what} threw.`, { endpoint: endpoint.name, session: id, error: describeFailure(error) });
      return false;
    }
  }

  /** Aborts running calls, once: when the session ends or the connection closes. */
  #detach(): void {
    if (this.#isDetached) return;
    this.#isDetached = true;
    this.#transport.onclose?.();
  }
}

const internalError = { code: rpcCode.internalError, message: 'Internal error' };
