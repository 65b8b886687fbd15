import type { ServerResponse } from 'node:http';
import type { NodeServerResponseLike } from '@modelcontextprotocol/node';

/** First byte of an SSE comment, which is what a keep-alive is. */
const colon = 0x3a;

/**
 * The response of a GET stream as the SDK's Node adapter writes to it, with two additions: its headers go out
 * at once, so that the client knows that the stream is open before there is anything to say, and it tells when
 * a message has reached the socket.
 */
export class StreamSink implements NodeServerResponseLike {
  readonly #response: ServerResponse;
  /** One for each message that was sent and not yet written, oldest first. */
  readonly #waiting: (() => void)[] = [];

  constructor(response: ServerResponse) {
    this.#response = response;
    response.once('close', () => {
      for (const release of this.#waiting.splice(0)) release();
    });
  }

  /** Whether the client is gone or the stream has ended. */
  get isClosed(): boolean {
    return this.#response.closed || this.#response.destroyed;
  }

  get destroyed(): boolean {
    return this.#response.destroyed;
  }

  /** Resolves when the socket took the message that is sent next, or when the stream closes. */
  nextMessageWritten(): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  writeHead(status: number, headers?: Record<string, string>): void {
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
  }

  write(chunk: string | Uint8Array): boolean {
    const isMessage = typeof chunk === 'string' ? !chunk.startsWith(':') : chunk[0] !== colon;
    const written = isMessage ? this.#waiting.shift() : undefined;
    return this.#response.write(chunk, () => written?.());
  }

  end(): void {
    this.#response.end();
  }

  on(event: string, listener: (...args: unknown[]) => void): void {
    this.#response.on(event, listener);
  }
}
