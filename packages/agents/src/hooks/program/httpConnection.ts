import { connect, type Socket } from 'node:net';

/** A request without anything that a companion does not need. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface HttpAnswer {
  readonly status: number;
  /** Empty unless the status is 200. */
  readonly text: string;
}

/** What came is no answer of a companion. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

/** A longer head of an answer is refused. */
const maxHead = 16 * 1024;
const headEnd = '\r\n\r\n';

/**
 * One connection to a program on this machine, for requests one after another. Requests of `node:http` cannot be bound to a connection
 * in Bun, which runs the plugins of opencode and Kilo CLI. `signal` ends it.
 */
export class HttpConnection {
  readonly #port: number;
  readonly #socket: Socket;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #signal: AbortSignal | undefined;
  readonly #end = (): void => void this.#socket.destroy();
  #received: Buffer = Buffer.alloc(0);

  constructor(port: number, signal?: AbortSignal) {
    signal?.throwIfAborted();
    this.#port = port;
    this.#socket = connect({ host: '127.0.0.1', port });
    this.#chunks = this.#socket[Symbol.asyncIterator]();
    this.#signal = signal;
    signal?.addEventListener('abort', this.#end);
  }

  /** `whenSent` is called once all of it was sent. Rejects if the connection ends before the answer, and with `AnswerError`. */
  async ask({ method, path, headers, body }: HttpRequest, whenSent?: () => void): Promise<HttpAnswer> {
    const all = {
      host: `127.0.0.1:${this.#port}`,
      ...headers,
      ...(body !== undefined && { 'content-length': body.length }),
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
    this.#socket.write(body === undefined ? head : Buffer.concat([head, body]), (error) => {
      if (!error) whenSent?.();
    });
    return this.#readAnswer();
  }

  close(): void {
    this.#signal?.removeEventListener('abort', this.#end);
    this.#socket.destroy();
  }

  async #readAnswer(): Promise<HttpAnswer> {
    let at = this.#received.indexOf(headEnd);
    while (at < 0) {
      if (this.#received.length > maxHead) throw new AnswerError('The head of the answer is too long.');
      await this.#receive();
      at = this.#received.indexOf(headEnd);
    }
    const head = this.#received.toString('latin1', 0, at);
    const status = Number(/^HTTP\/1\.\d (\d{3})\b/.exec(head)?.[1]);
    if (status !== 200) return { status, text: '' };
    const length = Number(/^content-length: *(\d+)\r?$/im.exec(head)?.[1]);
    if (Number.isNaN(length)) throw new AnswerError('The answer has no length.');
    const from = at + headEnd.length;
    while (this.#received.length < from + length) await this.#receive();
    const text = this.#received.toString('utf8', from, from + length);
    this.#received = this.#received.subarray(from + length);
    return { status, text };
  }

  async #receive(): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done) throw new Error('The connection was closed.');
    this.#received = Buffer.concat([this.#received, value]);
  }
}
