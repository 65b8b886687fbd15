import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Connection } from './peerProgram.js';

export interface EventStreamOptions {
  readonly sessionId: string;
  /** Interval of comments, in milliseconds. */
  readonly keepAliveMs: number;
}

/** A response that carries MCP messages as server-sent events, until the client or `end` ends it. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #keepAlive: NodeJS.Timeout;
  /** Resolvers of unwritten messages. */
  readonly #unwritten = new Set<() => void>();
  #hasEnded = false;

  constructor(response: ServerResponse, { sessionId, keepAliveMs }: EventStreamOptions) {
    this.#response = response;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('mcp-session-id', sessionId);
    this.#keepAlive = setInterval(() => {
      if (!this.isClosed) response.write(': keepalive\n\n');
    }, keepAliveMs);
    this.#keepAlive.unref();
    const close = (): void => {
      clearInterval(this.#keepAlive);
      for (const settle of this.#unwritten) settle();
      this.#unwritten.clear();
    };
    // The client may have disconnected already.
    if (response.closed) close();
    else response.once('close', close);
  }

  /** Whether the stream has ended or its client is gone. */
  get isClosed(): boolean {
    return this.#hasEnded || this.#response.closed || this.#response.destroyed;
  }

  /** Undefined once it is closed. */
  get connection(): Connection | undefined {
    return this.isClosed ? undefined : (this.#response.socket ?? undefined);
  }

  /** The number of messages that the socket has not accepted yet. */
  get unwritten(): number {
    return this.#unwritten.size;
  }

  /**
   * Sends the head, so that the client knows that the stream is open. Without chunked encoding, the stream ends with its
   * connection: to the client, a killed companion is an orderly end, and it reopens the stream after `reopenMs`.
   */
  open(reopenMs: number): void {
    this.#response.removeHeader('transfer-encoding');
    this.#response.setHeader('connection', 'close');
    this.#response.write(`retry: ${reopenMs}\n\n`);
  }

  /** Resolves when the socket accepted the message, or the stream is closed. */
  send(message: JSONRPCMessage): Promise<void> {
    return this.#write((event, written) => this.#response.write(event, written), message);
  }

  /** Sends the last message and ends the stream. */
  sendLast(message: JSONRPCMessage): Promise<void> {
    return this.#write((event, written) => {
      this.#markEnded();
      // A short answer is sent in one packet: head, event and end.
      const end = (): void => void this.#response.end(event, written);
      if (event.length <= longEvent) end();
      else setImmediate(end);
    }, message);
  }

  /** Ends the stream in order. Idempotent. */
  end(): void {
    if (this.isClosed) return;
    this.#markEnded();
    this.#response.end();
  }

  /** A comment written after the end would be an unhandled error. */
  #markEnded(): void {
    this.#hasEnded = true;
    clearInterval(this.#keepAlive);
  }

  #write(write: (event: string, written: () => void) => void, message: JSONRPCMessage): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#unwritten.add(resolve);
      write(`event: message\ndata: ${JSON.stringify(message)}\n\n`, () => {
        this.#unwritten.delete(resolve);
        resolve();
      });
    });
  }
}

/** A longer event, in characters, is encoded and written in a task of its own: to make its JSON has taken long, too. */
const longEvent = 256 * 1024;

const headers: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
