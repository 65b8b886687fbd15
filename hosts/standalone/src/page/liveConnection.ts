import { randomBytes } from 'node:crypto';
import type { PageEvent } from '@tandem/page/wire';
import type { WebSocket } from 'ws';

/** A page with this many unread bytes is disconnected, to free memory. It reconnects and receives the current state. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** The connection of one open page. The code that accepted the socket closes it. */
export class LiveConnection {
  /** The value of `x-tandem-connection` in the page's requests. */
  readonly id = randomBytes(12).toString('base64url');
  /** Whether it has received the initial state. Changes are sent only after that. */
  isReady = false;
  readonly #socket: WebSocket;
  /** The last message sent for each topic. */
  readonly #sentTopics = new Map<string, string>();
  #hasAnswered = true;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    // `close` follows and is handled.
    socket.on('error', () => {});
    socket.on('pong', () => {
      this.#hasAnswered = true;
    });
  }

  send(event: PageEvent): void {
    this.#write(JSON.stringify(event));
  }

  /** Sends a topic as the JSON of its event, unless it equals the last message sent for the topic. */
  sendTopic(topic: string, message: string): void {
    if (this.#sentTopics.get(topic) === message) return;
    this.#sentTopics.set(topic, message);
    this.#write(message);
  }

  /** Sends a ping and an `alive` event. Disconnects the page if it did not answer the previous ping. */
  keepAlive(): void {
    if (!this.#hasAnswered) {
      this.#socket.terminate();
      return;
    }
    this.#hasAnswered = false;
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
    this.send({ event: 'alive' });
  }

  /** Closes it with a close frame. If the page does not read, use `terminate`. */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #write(message: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    // Checked before sending: one large message must not disconnect a page that reads.
    if (this.#socket.bufferedAmount > maxUnreadBytes) this.#socket.terminate();
    else this.#socket.send(message);
  }
}
