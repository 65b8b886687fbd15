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
  #unwritten = 0;
  #hasEnded = false;

  constructor(response: ServerResponse, { sessionId, keepAliveMs }: EventStreamOptions) {
    this.#response = response;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('mcp-session-id', sessionId);
    this.#keepAlive = setInterval(() => response.write(': keepalive\n\n'), keepAliveMs);
    this.#keepAlive.unref();
    response.once('close', () => clearInterval(this.#keepAlive));
  }

  /** Whether the stream has ended or its client is gone. */
  get isClosed(): boolean {
    return this.#hasEnded || this.#response.closed || this.#response.destroyed;
  }

  /** How many messages were sent that the socket did not take yet. */
  get unwritten(): number {
    return this.#unwritten;
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
      this.#hasEnded = true;
      // In one piece: of a short answer the client gets head, event and end by one packet.
      this.#response.end(event, written);
    }, message);
  }

  /** Ends the stream in order. Idempotent. */
  end(): void {
    if (this.isClosed) return;
    this.#hasEnded = true;
    this.#response.end();
  }

  #write(write: (event: string, written: () => void) => void, message: JSONRPCMessage): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    this.#unwritten += 1;
    return new Promise((resolve) => {
      const settle = (): void => {
        this.#response.off('close', settle);
        this.#unwritten -= 1;
        resolve();
      };
      this.#response.once('close', settle);
      write(`event: message\ndata: ${JSON.stringify(message)}\n\n`, settle);
    });
  }
}

const headers: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
