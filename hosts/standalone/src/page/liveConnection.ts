import { randomBytes } from 'node:crypto';
import type { PageEvent } from '@tandem/page/wire';
import type { WebSocket } from 'ws';

/** A page that is this many bytes behind is let go: it holds our memory. It connects again and hears how things stand. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** One open page. Whoever accepted the socket closes it. */
export class LiveConnection {
  /** Names it in `x-tandem-connection`. */
  readonly id = randomBytes(12).toString('base64url');
  /** Whether it has heard how things stand; only then is it told what changes. */
  isReady = false;
  readonly #socket: WebSocket;
  /** What it was told last of each topic. */
  readonly #told = new Map<string, string>();
  #hasAnswered = true;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    // `close` follows, which is what counts.
    socket.on('error', () => {});
    socket.on('pong', () => {
      this.#hasAnswered = true;
    });
  }

  tell(event: PageEvent): void {
    this.#send(JSON.stringify(event));
  }

  /** Tells a topic, as the JSON of its event, unless that is what it was told last. */
  tellTopic(topic: string, message: string): void {
    if (this.#told.get(topic) === message) return;
    this.#told.set(topic, message);
    this.#send(message);
  }

  /** Says that we live, and lets go of a page that did not answer since the last time. */
  keepAlive(): void {
    if (!this.#hasAnswered) {
      this.#socket.terminate();
      return;
    }
    this.#hasAnswered = false;
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
    this.tell({ event: 'alive' });
  }

  /** Ends it by a close frame; `terminate` ends it where nobody reads that. */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #send(message: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    // Looked at before: one large message is none too many for a page that reads.
    if (this.#socket.bufferedAmount > maxUnreadBytes) this.#socket.terminate();
    else this.#socket.send(message);
  }
}
