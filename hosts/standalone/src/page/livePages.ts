import { type Disposable, describeError, type Logger, systemClock, TouchDelay } from '@tandem/core';
import type { PageEvent } from '@tandem/page/wire';
import type { WebSocket } from 'ws';
import { LiveConnection, type TopicState } from './liveConnection.js';

/** States that are sent whenever they change, in the order in which a new page receives them. */
const topics = [
  // A page keeps the tabs of what one of these two lists.
  'decided',
  'reviews',
  'sessions',
  'changes',
  'interrupted',
  'documents',
  'agents',
  'sharing',
  'chat-status',
] as const;
export type Topic = (typeof topics)[number];

/** Changes within 30 milliseconds are sent together. */
const pace = { quietMs: 30, maxShare: 1 };
const keepAliveMs = 15_000;
/** How long `close` waits for pages that do not read, in milliseconds. */
const closeLimitMs = 200;
/** A user does not look at more pages than that. */
const maxPages = 64;
/** WebSocket close codes. */
const [goingAway, internalError, tryAgainLater] = [1001, 1011, 1013];

export interface LivePagesOptions {
  /** The first event for the page with this connection id. */
  readonly hello: (connection: string) => Promise<PageEvent>;
  /** Reads the current state of each topic. */
  readonly read: { readonly [T in Topic]: () => PageEvent | Promise<PageEvent> };
  /** A page has disconnected. */
  readonly onDidClose: (connection: LiveConnection) => void;
  readonly logger: Logger;
}

/** The open pages, and the events sent to them. The creator calls `close`. */
export class LivePages {
  readonly #options: LivePagesOptions;
  readonly #connections = new Map<string, LiveConnection>();
  /** Sends each topic soon after it may have changed. Reads are not concurrent: an older state never follows a newer one. */
  readonly #topics: ReadonlyMap<Topic, TouchDelay>;
  #keepAlive: Disposable | undefined;
  #isClosed = false;

  constructor(options: LivePagesOptions) {
    this.#options = options;
    this.#topics = new Map(topics.map((topic) => [topic, new TouchDelay(() => this.#refresh(topic), pace)]));
    this.#beat();
  }

  /** The number of open pages. */
  get count(): number {
    return this.#connections.size;
  }

  /** The open connections, by their ids. */
  get connections(): ReadonlyMap<string, LiveConnection> {
    return this.#connections;
  }

  /** Accepts a socket with a valid token, and sends it the current state. Never rejects. */
  async accept(socket: WebSocket): Promise<void> {
    const connection = new LiveConnection(socket);
    if (this.#isClosed) return connection.close(goingAway, stopping);
    if (this.#connections.size >= maxPages) return connection.close(tryAgainLater, tooManyPages);
    this.#connections.set(connection.id, connection);
    socket.once('close', () => {
      this.#connections.delete(connection.id);
      this.#options.onDidClose(connection);
    });
    try {
      const [hello, ...states] = await Promise.all([
        this.#options.hello(connection.id),
        ...topics.map((topic) => this.#read(topic)),
      ]);
      connection.send(hello);
      for (const [at, topic] of topics.entries()) connection.sendTopic(topic, states[at] ?? '');
      connection.isReady = true;
      // Changes during these reads were sent only to the other pages.
      this.touch(...topics);
    } catch (error) {
      this.#options.logger.error('the state could not be sent to a page', { error: describeError(error) });
      connection.close(internalError, 'The companion failed.');
    }
  }

  /** Marks topics as possibly changed. Those that did change are sent to all pages soon. */
  touch(...touched: readonly Topic[]): void {
    if (this.#connections.size === 0) return;
    for (const topic of touched) this.#topics.get(topic)?.touch();
  }

  /** Sends an event to all pages. */
  send(event: PageEvent): void {
    for (const connection of this.#ready()) connection.send(event);
  }

  /** Sends an event to all pages, after the earlier changes of the topic that it refers to. */
  async sendAfter(topic: Topic, event: PageEvent): Promise<void> {
    await this.#topics.get(topic)?.settled();
    this.send(event);
  }

  /** Closes all connections with 1001, and soon after terminates those that do not read. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#keepAlive?.dispose();
    for (const topic of this.#topics.values()) topic.dispose();
    for (const connection of this.#connections.values()) connection.close(goingAway, stopping);
    const limit = setTimeout(() => {
      for (const connection of this.#connections.values()) connection.terminate();
    }, closeLimitMs);
    limit.unref();
  }

  #beat(): void {
    this.#keepAlive = systemClock.setTimeout(() => {
      for (const connection of this.#connections.values()) connection.keepAlive();
      this.#beat();
    }, keepAliveMs);
  }

  *#ready(): Iterable<LiveConnection> {
    for (const connection of this.#connections.values()) if (connection.isReady) yield connection;
  }

  async #refresh(topic: Topic): Promise<void> {
    try {
      const state = await this.#read(topic);
      for (const connection of this.#ready()) connection.sendTopic(topic, state);
    } catch (error) {
      this.#options.logger.error('a change could not be sent to the open pages', {
        error: describeError(error),
      });
    }
  }

  async #read(topic: Topic): Promise<TopicState> {
    const event = await this.#options.read[topic]();
    if (event.event !== 'reviews' && event.event !== 'decided') return JSON.stringify(event);
    return new Map(event.reviews.map((review) => [review.id, JSON.stringify(review)]));
  }
}

const tooManyPages = 'Too many pages of this companion are open. Close some of them.';
const stopping = 'The companion is stopping.';
