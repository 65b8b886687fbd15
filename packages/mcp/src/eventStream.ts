import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';

export interface EventStreamOptions {
  readonly sessionId: string;
  /** A comment at least this often, in milliseconds. */
  readonly keepAliveMs: number;
}

/** A response that carries MCP messages as server-sent events. The client or `end` ends it, whichever is first. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #keepAlive: NodeJS.Timeout;
  /** What waits for the socket to take its message. */
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
    // The client may have gone before there was a stream.
    if (response.closed) close();
    else response.once('close', close);
  }

  /** Whether the stream has ended or its client is gone. */
  get isClosed(): boolean {
    return this.#hasEnded || this.#response.closed || this.#response.destroyed;
  }

  /** How many messages were sent that the socket did not take yet. */
  get unwritten(): number {
    return this.#unwritten.size;
  }

  /**
   * Answers at once, so that the client knows that the stream is open before there is a message, and so that the stream
   * outlives us: it ends where its connection ends, without chunks. So the client takes even a killed companion for the
   * stream's end in order, and opens it again after the time that it was told.
   */
  open(reopenMs: number): void {
    this.#response.removeHeader('transfer-encoding');
    this.#response.setHeader('connection', 'close');
    this.#response.write(`retry: ${reopenMs}\n\n`);
  }

  /** Resolves when the socket took the message, or when the stream is closed. */
  send(message: JSONRPCMessage): Promise<void> {
    return this.#write((event, written) => this.#response.write(event, written), message);
  }

  /** The same with the last message: the stream ends with it. */
  sendLast(message: JSONRPCMessage): Promise<void> {
    return this.#write((event, written) => {
      this.#markEnded();
      // In one piece: of a short answer the client gets head, event and end by one packet.
      this.#response.end(event, written);
    }, message);
  }

  /** Ends the stream in order. Idempotent. */
  end(): void {
    if (this.isClosed) return;
    this.#markEnded();
    this.#response.end();
  }

  /** The socket may take what was written much later: a comment after the end would be an error that nothing handles. */
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

const headers: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
