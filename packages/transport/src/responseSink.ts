import type { ServerResponse } from 'node:http';
import type { NodeServerResponseLike } from '@modelcontextprotocol/node';

/** First byte of an SSE comment, which is what a keep-alive is. */
const colon = 0x3a;

/**
 * A response as the SDK's Node adapter writes to it, with three differences: Node decides about keeping the
 * connection, because the SDK's `Connection: keep-alive` overrules a client that asked for `close`; the headers
 * of a stream go out at once, so that the client knows that it is open before there is anything to say; and it
 * tells when a message has reached the socket.
 */
export class ResponseSink implements NodeServerResponseLike {
  readonly #response: ServerResponse;
  readonly #isStream: boolean;
  /** One for each message that was sent and not yet written, oldest first. */
  readonly #waiting: (() => void)[] = [];

  constructor(response: ServerResponse, options: { readonly isStream: boolean }) {
    this.#response = response;
    this.#isStream = options.isStream;
    response.once('close', () => {
      for (const release of this.#waiting.splice(0)) release();
    });
  }

  /** Whether the client is gone or the stream has ended. */
  get isClosed(): boolean {
    return this.#response.closed || this.#response.destroyed;
  }

  /** How many messages were sent that the socket did not take yet. */
  get unwritten(): number {
    return this.#waiting.length;
  }

  get destroyed(): boolean {
    return this.#response.destroyed;
  }

  /** Resolves when the socket took the message that is sent next, or when the stream closes. */
  nextMessageWritten(): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  writeHead(status: number, headers: Record<string, string> = {}): void {
    const { connection: _ignored, ...rest } = headers;
    this.#response.writeHead(status, rest);
    if (this.#isStream) this.#response.flushHeaders();
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
