import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { EventStream } from './eventStream.js';
import type { Timing } from './limits.js';
import type { CarrierReceiver, MessageCarrier } from './messageCarrier.js';
import { isRequest } from './wireMessage.js';

export interface HttpCarrierOptions {
  readonly sessionId: string;
  readonly timing: Pick<Timing, 'keepAliveMs' | 'reopenMs'>;
  /** How many notifications may wait for a client that does not read its stream. */
  readonly unreadNotifications: number;
  /** The client has read what waited for it, and missed what was to be sent meanwhile. */
  onCaughtUp(): void;
}

/** A POST whose requests are not all answered yet. */
interface Exchange {
  readonly unanswered: Set<RequestId>;
  /** Undefined for requests that nobody waits for. */
  readonly stream: EventStream | undefined;
  /** Every request is answered or cancelled, or the client is gone. */
  onOver(): void;
}

/**
 * The MCP messages of one session over Streamable HTTP: each POST is answered by a stream of its own, and one GET stream
 * carries notifications. Whoever serves the requests has checked their headers and read their messages.
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

  /** Whether a GET stream is open, on which notifications travel. */
  get hasStream(): boolean {
    return this.#stream !== undefined;
  }

  /** Whether a notification goes out now. One that was stopped, as by Ctrl+Z, reads nothing and would hold our memory. */
  get canHear(): boolean {
    return this.hasStream && !this.#isBehind;
  }

  async open(receiver: CarrierReceiver): Promise<void> {
    this.#receiver = receiver;
  }

  send(message: JSONRPCMessage): Promise<void> {
    return 'method' in message ? this.#notify(message) : this.#answer(message);
  }

  cancelled(request: RequestId): void {
    // A cancelled request is never answered, and the 1.x clients leave its response open for ever.
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
   * Brings the MCP layer to where a client's `initialize` would have brought it. Nobody waits for the answer: the client
   * had one from our predecessor.
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
        // An id that is used again while its first request is unanswered means the second one.
        this.cancelled(id);
        this.#exchanges.set(id, exchange);
      }
      response.once('close', () => this.#forget(exchange));
    });
    for (const message of messages) this.#receiver?.receive(message);
    await over;
  }

  /**
   * Serves a GET. An older stream of this session is ended in order, because Gemini CLI takes a destroyed one for the loss
   * of the companion.
   *
   * @param closed called when this stream is over and no newer one has replaced it
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

  /** Nothing more is to be sent for a request. Gives its exchange when that was the last one of it. */
  #settle(request: RequestId): Exchange | undefined {
    const exchange = this.#exchanges.get(request);
    this.#exchanges.delete(request);
    exchange?.unanswered.delete(request);
    if (exchange === undefined || exchange.unanswered.size > 0) return undefined;
    exchange.onOver();
    return exchange;
  }

  /** Its client is gone; the calls go on. */
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
