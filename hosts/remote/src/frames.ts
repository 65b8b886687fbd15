/** How messages are separated: by `Content-Length` headers, as in LSP, or one JSON object per line. */
export type Framing = 'headers' | 'lines';

/** A header section with a length is much shorter. */
const maxHeadBytes = 8192;
const headEnd = '\r\n\r\n';
const newline = 0x0a;

/** Something that arrived and is not a message. */
export interface FrameProblem {
  readonly code: -32700 | -32600;
  readonly message: string;
}

/**
 * Splits a stream of bytes into messages. The first byte decides the framing: `C` for headers. Keeps at most one message of
 * `maxBytes`; of a longer one, nothing. After a problem it continues with the next message that it can recognise.
 */
export class FrameReader {
  readonly #maxBytes: number;
  readonly #onMessage: (json: string) => void;
  readonly #onProblem: (problem: FrameProblem) => void;
  #framing: Framing | undefined;
  #head: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #size = 0;
  /** With headers: the length of the current message. */
  #length: number | undefined;
  #isTooLarge = false;

  constructor(options: {
    readonly maxBytes: number;
    readonly onMessage: (json: string) => void;
    readonly onProblem: (problem: FrameProblem) => void;
  }) {
    this.#maxBytes = options.maxBytes;
    this.#onMessage = options.onMessage;
    this.#onProblem = options.onProblem;
  }

  /** Undefined until the first byte. */
  get framing(): Framing | undefined {
    return this.#framing;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      this.#framing ??= rest[0] === 'C'.charCodeAt(0) ? 'headers' : 'lines';
      if (this.#framing === 'lines') rest = this.#takeLine(rest);
      else rest = this.#length === undefined ? this.#takeHead(rest) : this.#takeBody(rest, this.#length);
    }
  }

  #takeLine(bytes: Buffer): Buffer {
    const end = bytes.indexOf(newline);
    this.#keep(end < 0 ? bytes : bytes.subarray(0, end));
    if (end < 0) return bytes.subarray(bytes.length);
    this.#finish();
    return bytes.subarray(end + 1);
  }

  #takeBody(bytes: Buffer, length: number): Buffer {
    const part = bytes.subarray(0, length - this.#size);
    this.#keep(part);
    if (this.#size === length) this.#finish();
    return bytes.subarray(part.length);
  }

  #takeHead(bytes: Buffer): Buffer {
    const known = this.#head.length;
    const bounded = Buffer.concat([this.#head, bytes.subarray(0, maxHeadBytes)]);
    const end = bounded.indexOf(headEnd);
    if (end < 0) {
      const isTooLong = bounded.length > maxHeadBytes;
      if (isTooLong) this.#report(-32700, 'A header section is too long.');
      this.#head = isTooLong ? bounded.subarray(-maxHeadBytes / 2) : bounded;
      return bytes.subarray(bounded.length - known);
    }
    this.#head = Buffer.alloc(0);
    // After a wrong length, the rest of a message precedes the header.
    const [, length] =
      /.*content-length: *(\d{1,9})\s*(?:\r\n|$)/is.exec(bounded.toString('latin1', 0, end)) ?? [];
    if (length === undefined) this.#report(-32700, 'A message has no valid Content-Length.');
    else this.#length = Number(length);
    if (this.#length === 0) this.#finish();
    return bytes.subarray(end + headEnd.length - known);
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.#maxBytes && !this.#isTooLarge) {
      this.#isTooLarge = true;
      this.#parts = [];
    }
    if (!this.#isTooLarge) this.#parts.push(part);
  }

  #finish(): void {
    const [parts, isTooLarge] = [this.#parts, this.#isTooLarge];
    this.#parts = [];
    this.#size = 0;
    this.#length = undefined;
    this.#isTooLarge = false;
    if (isTooLarge) {
      this.#report(-32600, `A message is larger than ${this.#maxBytes} bytes.`);
      return;
    }
    const text = Buffer.concat(parts).toString('utf8');
    // An empty line, or one that ends in CRLF.
    if (this.#framing === 'headers' || text.trim() !== '') this.#onMessage(text);
  }

  #report(code: FrameProblem['code'], message: string): void {
    this.#onProblem({ code, message });
  }
}

/** One message as it is sent. */
export function frame(json: string, framing: Framing): string {
  return framing === 'lines' ? `${json}\n` : `Content-Length: ${Buffer.byteLength(json)}${headEnd}${json}`;
}
