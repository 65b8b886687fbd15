import { randomBytes } from 'node:crypto';
import type { PageEvent } from '@tandem/page/wire';
import type { WebSocket } from 'ws';

/** A page with this many unread bytes is disconnected, to free memory. It reconnects and receives the current state. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** The JSON of the items of a list, by their ids, in their order. */
type List = ReadonlyMap<string, string>;

/** The state of a topic: the JSON of its event, or a list, of which only changes are sent. */
export type TopicState = string | List;

/** The connection of one open page. The code that accepted the socket closes it. */
export class LiveConnection {
  /** The value of `x-tandem-connection` in the page's requests. */
  readonly id = randomBytes(12).toString('base64url');
  /** Whether it has received the initial state. Changes are sent only after that. */
  isReady = false;
  readonly #socket: WebSocket;
  /** The state that was last sent of each topic. */
  readonly #sentTopics = new Map<string, TopicState>();
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

  /** Sends what changed in a topic since it was last sent; nothing if it is the same. */
  sendTopic(topic: string, state: TopicState): void {
    const before = this.#sentTopics.get(topic);
    if (before === state) return;
    this.#sentTopics.set(topic, state);
    if (typeof state === 'string') this.#write(state);
    else this.#sendList(topic, typeof before === 'object' ? before : undefined, state);
  }

  #sendList(topic: string, before: List | undefined, items: List): void {
    const changed = [...items].flatMap(([id, item]) => (before?.get(id) === item ? [] : [item]));
    const ids = [...items.keys()];
    const known = before && [...before.keys()];
    const isSameOrder = known?.length === ids.length && known.every((id, at) => id === ids[at]);
    if (isSameOrder && changed.length === 0) return;
    // The items are JSON already.
    const order = isSameOrder ? '' : `"ids":${JSON.stringify(ids)},`;
    this.#write(`{"event":${JSON.stringify(topic)},${order}"reviews":[${changed.join(',')}]}`);
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
