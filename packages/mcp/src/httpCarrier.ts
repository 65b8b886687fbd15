import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { EventStream } from './eventStream.js';
import type { Timing } from './limits.js';
import type { CarrierReceiver, MessageCarrier } from './messageCarrier.js';
import type { Connection } from './peerProgram.js';
import { isRequest } from './wireMessage.js';

export interface HttpCarrierOptions {
  readonly sessionId: string;
  readonly timing: Pick<Timing, 'keepAliveMs' | 'reopenMs'>;
  /** The number of unread notifications from which on no more are sent. */
  readonly unreadNotifications: number;
  /** The client has read all notifications, but missed those that were not sent meanwhile. */
  onCaughtUp(): void;
}

/** A POST with unanswered requests. */
interface Exchange {
  readonly unanswered: Set<RequestId>;
  /** Undefined for a replayed `initialize`. */
  readonly stream: EventStream | undefined;
  /** All requests are answered or cancelled, or the client is gone. */
  onOver(): void;
}

/**
 * The MCP messages of one session over Streamable HTTP: each POST is answered by its own stream, and one GET stream carries
 * notifications. The caller has checked headers and parsed messages.
 */
export class HttpCarrier implements MessageCarrier {
  readonly #options: HttpCarrierOptions;
  readonly #exchanges = new Map<RequestId, Exchange>();
  #receiver: CarrierReceiver | undefined;
  #stream: EventStream | undefined;
  #isBehind = false;

  constructor(options: HttpCarrierOptions) {
    this.#options = options;
  }

  /** Whether a GET stream is open. */
  get hasStream(): boolean {
    return this.#stream !== undefined;
  }

  /** The connection of the GET stream. */
  get connection(): Connection | undefined {
    return this.#stream?.connection;
  }

  /** Whether a notification would be sent. A stopped client (Ctrl+Z) reads nothing, and its notifications would fill our memory. */
  get canNotify(): boolean {
    return this.hasStream && !this.#isBehind;
  }

  async open(receiver: CarrierReceiver): Promise<void> {
    this.#receiver = receiver;
  }

  send(message: JSONRPCMessage): Promise<void> {
    return 'method' in message ? this.#notify(message) : this.#answer(message);
  }

  cancelled(request: RequestId): void {
    // A cancelled request is never answered, and 1.x clients leave its response open.
    this.#settle(request)?.stream?.end();
  }

  async close(): Promise<void> {
    const receiver = this.#receiver;
    if (receiver === undefined) return;
    this.#receiver = undefined;
    this.#stream?.end();
    for (const { stream, onOver } of new Set(this.#exchanges.values())) {
      stream?.end();
      onOver();
    }
    this.#exchanges.clear();
    receiver.closed();
  }

  /**
   * Initializes the MCP layer as a client would. The answer is dropped: the client got one from the earlier companion.
   */
  async replayInitialize(params: Readonly<Record<string, unknown>>): Promise<void> {
    const id = 'resumed';
    const answered = new Promise<void>((resolve) => {
      this.#exchanges.set(id, { unanswered: new Set([id]), stream: undefined, onOver: resolve });
    });
    this.#receiver?.receive({ jsonrpc: '2.0', id, method: 'initialize', params });
    await answered;
    this.#receiver?.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** Serves a POST with these messages. Resolves when the response has ended. */
  async serve(response: ServerResponse, messages: readonly JSONRPCMessage[]): Promise<void> {
    const requests = new Set(messages.filter(isRequest).map(({ id }) => id));
    if (requests.size === 0) {
      for (const message of messages) this.#receiver?.receive(message);
      response.writeHead(202).end();
      return;
    }
    const over = new Promise<void>((onOver) => {
      const exchange = { unanswered: requests, stream: this.#createStream(response), onOver };
      for (const id of requests) {
        // A reused id replaces its unanswered request.
        this.cancelled(id);
        this.#exchanges.set(id, exchange);
      }
      response.once('close', () => this.#forget(exchange));
    });
    for (const message of messages) this.#receiver?.receive(message);
    await over;
  }

  /**
   * Serves a GET. Ends an older stream of this session in order: Gemini CLI takes a destroyed stream for a lost companion.
   *
   * @param closed called when this stream has ended and no newer one has replaced it
   */
  serveStream(response: ServerResponse, closed: () => void): void {
    this.#stream?.end();
    const stream = this.#createStream(response);
    this.#stream = stream;
    this.#isBehind = false;
    response.once('close', () => {
      if (this.#stream !== stream) return;
      this.#stream = undefined;
      closed();
    });
    stream.open(this.#options.timing.reopenMs);
  }

  async #notify(message: JSONRPCMessage): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined) return;
    const written = stream.send(message);
    if (stream.unwritten >= this.#options.unreadNotifications) this.#isBehind = true;
    await written;
    if (!this.#isBehind || stream !== this.#stream || stream.unwritten !== 0) return;
    this.#isBehind = false;
    this.#options.onCaughtUp();
  }

  async #answer(message: JSONRPCMessage): Promise<void> {
    if (!('id' in message) || message.id === undefined) return;
    const exchange = this.#exchanges.get(message.id);
    if (exchange === undefined) return;
    const isLast = exchange.unanswered.size === 1;
    const written = isLast ? exchange.stream?.sendLast(message) : exchange.stream?.send(message);
    this.#settle(message.id);
    await written;
  }

  /** Removes a request. Returns its exchange if that was the last request of it. */
  #settle(request: RequestId): Exchange | undefined {
    const exchange = this.#exchanges.get(request);
    this.#exchanges.delete(request);
    exchange?.unanswered.delete(request);
    if (exchange === undefined || exchange.unanswered.size > 0) return undefined;
    exchange.onOver();
    return exchange;
  }

  /** The client is gone; its calls continue. */
  #forget(exchange: Exchange): void {
    for (const id of exchange.unanswered) {
      if (this.#exchanges.get(id) === exchange) this.#exchanges.delete(id);
    }
    exchange.onOver();
  }

  #createStream(response: ServerResponse): EventStream {
    const { sessionId, timing } = this.#options;
    return new EventStream(response, { sessionId, keepAliveMs: timing.keepAliveMs });
  }
}
