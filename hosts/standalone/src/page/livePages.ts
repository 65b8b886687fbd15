import { type Disposable, describeError, type Logger, systemClock } from '@tandem/core';
import type { PageEvent } from '@tandem/page/wire';
import type { WebSocket } from 'ws';
import { LiveConnection } from './liveConnection.js';
import { LiveTopic } from './liveTopic.js';

/** What is told again, whole, when it changed; in the order in which a new page hears it. */
const topics = ['reviews', 'interrupted', 'documents', 'agents', 'sharing', 'chat-status'] as const;
export type Topic = (typeof topics)[number];

const keepAliveMs = 15_000;
/** How long `close` waits for pages that do not read. */
const closeLimitMs = 200;
/** More pages than that are nobody's who looks at them. */
const maxPages = 64;
/** WebSocket close codes. */
const [goingAway, internalError, tryAgainLater] = [1001, 1011, 1013];

export interface LivePagesOptions {
  /** What the page with this name hears first. */
  readonly hello: (connection: string) => Promise<PageEvent>;
  /** How each topic stands now. */
  readonly read: { readonly [T in Topic]: () => PageEvent | Promise<PageEvent> };
  /** A page is gone. */
  readonly onDidClose: (connection: LiveConnection) => void;
  readonly logger: Logger;
}

/** The open pages, and what they are told by themselves. Whoever creates it calls `close`. */
export class LivePages {
  readonly #options: LivePagesOptions;
  readonly #connections = new Map<string, LiveConnection>();
  readonly #topics: ReadonlyMap<Topic, LiveTopic>;
  #keepAlive: Disposable | undefined;
  #isClosed = false;

  constructor(options: LivePagesOptions) {
    this.#options = options;
    const { logger } = options;
    this.#topics = new Map(
      topics.map((topic) => {
        const tell = (message: string): void => {
          for (const connection of this.#ready()) connection.tellTopic(topic, message);
        };
        return [topic, new LiveTopic({ read: () => this.#read(topic), tell, logger })];
      }),
    );
    this.#beat();
  }

  /** How many pages are open. */
  get count(): number {
    return this.#connections.size;
  }

  /** Those that are open, by the names they were told. */
  get connections(): ReadonlyMap<string, LiveConnection> {
    return this.#connections;
  }

  /** Takes a socket whose token was right, and tells it how things stand. Never rejects. */
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
      const [hello, ...messages] = await Promise.all([
        this.#options.hello(connection.id),
        ...topics.map((topic) => this.#read(topic)),
      ]);
      connection.tell(hello);
      for (const [at, topic] of topics.entries()) connection.tellTopic(topic, messages[at] ?? '');
      connection.isReady = true;
      // What changed while this was read was told to the others alone.
      this.touch(...topics);
    } catch (error) {
      this.#options.logger.error('a page could not be told how things stand', {
        error: describeError(error),
      });
      connection.close(internalError, 'The companion failed.');
    }
  }

  /** Says that topics may have changed. Pages are told soon, if they did. */
  touch(...touched: readonly Topic[]): void {
    if (this.#connections.size === 0) return;
    for (const topic of touched) this.#topics.get(topic)?.touch();
  }

  /** Tells every page. */
  tell(event: PageEvent): void {
    for (const connection of this.#ready()) connection.tell(event);
  }

  /** Tells every page, after what changed so far of a topic that the event is about. */
  async tellAfter(topic: Topic, event: PageEvent): Promise<void> {
    await this.#topics.get(topic)?.told();
    this.tell(event);
  }

  /** Ends every connection with 1001, and those that do not read that soon after. Idempotent. */
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

  async #read(topic: Topic): Promise<string> {
    return JSON.stringify(await this.#options.read[topic]());
  }
}

const tooManyPages = 'Too many pages of this companion are open. Close some of them.';
const stopping = 'The companion stops.';
