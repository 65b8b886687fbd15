import type { ServerResponse } from 'node:http';
import type { NodeServerResponseLike } from '@modelcontextprotocol/node';

/** First byte of an SSE comment, which is what a keep-alive is. */
const colon = 0x3a;

/**
 * A response as the SDK's Node adapter writes to it, with these differences: Node decides about keeping the
 * connection, because the SDK's `Connection: keep-alive` overrules a client that asked for `close`; it tells when a
 * message has reached the socket; and a stream begins at once, so that the client knows that it is open before there
 * is anything to say, and outlives us: it ends where its connection ends, without chunks. So the client takes even
 * a killed companion for the stream's end in order, and opens it again after the time that it was told.
 */
export class ResponseSink implements NodeServerResponseLike {
  readonly #response: ServerResponse;
  readonly #reopenMs: number | undefined;
  /** One for each message that was sent and not yet written, oldest first. */
  readonly #waiting: (() => void)[] = [];

  /** @param stream says that the response is a stream of events, and how long its client waits before it asks again */
  constructor(response: ServerResponse, stream?: { readonly reopenMs: number }) {
    this.#response = response;
    this.#reopenMs = stream?.reopenMs;
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

  writeHead(status: number, headers: Record<string, string> = {}): void {
    const { connection: _ignored, ...rest } = headers;
    if (this.#reopenMs === undefined || status !== 200) {
      this.#response.writeHead(status, rest);
      return;
    }
    this.#response.removeHeader('transfer-encoding');
    this.#response.writeHead(status, { ...rest, connection: 'close' });
    this.#response.write(`retry: ${this.#reopenMs}\n\n`);
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
