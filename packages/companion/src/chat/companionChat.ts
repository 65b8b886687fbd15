import type { ChatAsk, DaemonChat, StartedDaemon } from '@tandem/chat';
import type { ChatModel, ChatPatch } from '@tandem/chat/model';
import { DaemonError, emptyChat, validateDaemonBaseUrl } from '@tandem/chat/setup';
import {
  type Disposable,
  describeError,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type Path,
} from '@tandem/core';
import type { ChatSetup, ChatStatus } from '@tandem/rpc';

/** Loaded when the chat is first used: most companions never use it. */
const loadDaemon = () => import('@tandem/chat/client');

interface DaemonChoice {
  readonly url: string;
  readonly token?: string;
}

interface CompanionChatOptions {
  /** The workspace folder of the daemon. */
  readonly folder: Path;
  /** Why no daemon may be started in the folder, and what to do. An untrusted folder's settings would apply to the daemon. */
  readonly obstacle: () => string | undefined;
  /** The daemon's program and the arguments before `serve`. `['qwen']` by default. */
  readonly command?: () => readonly string[];
  /** Where the user configures that program, such as "the setting x.y", for the error if it is missing. */
  readonly commandPlace?: string;
  /** Receives each line of our own daemon's output, without its token. */
  readonly onOutput?: (line: string) => void;
  /** Stores the id of the last shown session of the folder. Without it, the id is kept in memory. */
  readonly lastSession?: { readonly get: () => string | undefined; readonly set: (id: string) => void };
  readonly logger: Logger;
}

/**
 * The chat of a companion: the chosen daemon, the connection to it and, if it was started here, its process. The token does
 * not leave this class. The owner calls `close`, which ends our own daemon.
 */
export class CompanionChat implements Disposable {
  /** The changes of `model`. */
  readonly onDidChange: Event<readonly ChatPatch[]>;
  /** `status` may have changed. */
  readonly onDidChangeStatus: Event<void>;
  /** A new permission or question, for native prompts. Answer with `chat.answer`. */
  readonly onDidAsk: Event<ChatAsk>;

  readonly #options: CompanionChatOptions;
  readonly #changed: Emitter<readonly ChatPatch[]>;
  readonly #asked: Emitter<ChatAsk>;
  readonly #statusChanged: Emitter<void>;
  #daemon: { readonly chat: DaemonChat; readonly choice: DaemonChoice } | undefined;
  #own: StartedDaemon | undefined;
  #starting: Promise<void> | undefined;
  #problem: string | undefined;
  #lastSession: string | undefined;
  /** Counts the choices of a daemon: work for an earlier choice is abandoned. */
  #choices = 0;
  #isClosed = false;

  constructor(options: CompanionChatOptions) {
    this.#options = options;
    this.#lastSession = options.lastSession?.get();
    const onError = logListenerError(options.logger, 'the chat');
    this.#changed = new Emitter(onError);
    this.#asked = new Emitter(onError);
    this.#statusChanged = new Emitter(onError);
    this.onDidChange = this.#changed.event;
    this.onDidAsk = this.#asked.event;
    this.onDidChangeStatus = this.#statusChanged.event;
  }

  get model(): ChatModel {
    return this.#daemon?.chat.model ?? emptyChat;
  }

  get setup(): ChatSetup {
    const obstacle = this.#options.obstacle();
    return {
      isOwn: this.#own !== undefined,
      isStarting: this.#starting !== undefined,
      ...(this.#daemon !== undefined && { url: this.#daemon.choice.url }),
      ...(this.#problem !== undefined && { problem: this.#problem }),
      ...(obstacle !== undefined && { obstacle }),
    };
  }

  get status(): ChatStatus {
    const { connection, turn, pending } = this.model;
    return {
      setup: this.setup,
      connection: connection.state,
      isRunning: turn.state !== 'idle',
      waiting: pending.length,
    };
  }

  /** @throws DaemonError if no daemon is chosen */
  get chat(): DaemonChat {
    if (this.#daemon !== undefined) return this.#daemon.chat;
    throw new DaemonError('unreachable', 'The chat is not connected to a daemon. Connect it first.');
  }

  /** The host calls this when `obstacle` may return another value. */
  obstacleChanged(): void {
    this.#statusChanged.fire();
  }

  /** Connects to a running daemon and disconnects the previous one. Rejects with `DaemonError`. */
  async connect({ url, token }: DaemonChoice): Promise<void> {
    const { origin } = validateDaemonBaseUrl(url);
    const isCurrent = this.#choose();
    await this.#endOwn();
    await this.#use(
      token === undefined || token === '' ? { url: origin } : { url: origin, token },
      isCurrent,
    );
  }

  /** Starts a daemon for the folder and connects to it. Overlapping calls share one start. Rejects with `DaemonError`. */
  start(): Promise<void> {
    if (this.#starting !== undefined) return this.#starting;
    const starting = this.#start().finally(() => {
      if (this.#starting === starting) this.#starting = undefined;
      this.#statusChanged.fire();
    });
    this.#starting = starting;
    this.#statusChanged.fire();
    return starting;
  }

  /** Reconnects to the same daemon. If our own daemon accepts no connection, starts another. */
  async reconnect(): Promise<void> {
    if (this.#daemon === undefined) return this.start();
    const own = this.#own;
    try {
      await this.#open(this.#daemon.chat);
    } catch (error) {
      if (own === undefined || own !== this.#own) throw error;
      await this.start();
    }
  }

  /** Disconnects from the daemon, and ends it if it is our own. */
  async disconnect(): Promise<void> {
    this.#choose();
    this.#problem = undefined;
    this.#leave();
    await this.#endOwn();
  }

  dispose(): void {
    void this.close();
  }

  /** Disconnects and waits until our own daemon has ended. Never rejects; can be called twice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#daemon?.chat.dispose();
    this.#daemon = undefined;
    await this.#own?.stop();
    this.#own = undefined;
    this.#changed.dispose();
    this.#asked.dispose();
    this.#statusChanged.dispose();
  }

  /** Returns a function that reports whether this choice is still the current one. */
  #choose(): () => boolean {
    const choice = ++this.#choices;
    this.#starting = undefined;
    return () => choice === this.#choices && !this.#isClosed;
  }

  async #start(): Promise<void> {
    const obstacle = this.#options.obstacle();
    if (obstacle !== undefined) throw new DaemonError('not_started', obstacle);
    const isCurrent = this.#choose();
    this.#problem = undefined;
    this.#leave();
    await this.#endOwn();
    let daemon: StartedDaemon;
    try {
      const { folder, command, commandPlace, onOutput } = this.#options;
      const { startDaemon } = await loadDaemon();
      daemon = await startDaemon({
        folder,
        ...(command !== undefined && { command: command() }),
        ...(commandPlace !== undefined && { commandPlace }),
        ...(onOutput !== undefined && { onOutput }),
      });
    } catch (error) {
      if (isCurrent()) this.#problem = error instanceof DaemonError ? error.message : describeError(error);
      throw error;
    }
    if (!isCurrent()) return daemon.stop();
    this.#own = daemon;
    await this.#use({ url: daemon.url, token: daemon.token }, isCurrent);
  }

  async #use(choice: DaemonChoice, isCurrent: () => boolean): Promise<void> {
    const { DaemonChat } = await loadDaemon();
    if (!isCurrent()) return;
    this.#problem = undefined;
    const chat = new DaemonChat({
      baseUrl: choice.url,
      ...(choice.token !== undefined && { token: choice.token }),
      folder: this.#options.folder,
      logger: this.#options.logger,
    });
    this.#daemon?.chat.dispose();
    this.#daemon = { chat, choice };
    chat.onDidChange(({ patches }) => {
      if (this.#daemon?.chat !== chat) return;
      this.#remember(chat.model.session?.id);
      this.#changed.fire(patches);
      this.#statusChanged.fire();
    });
    chat.onDidAsk((ask) => this.#asked.fire(ask));
    this.#reset();
    await this.#open(chat);
  }

  /** Sessions belong to the folder, so another daemon can open the last one too. */
  #open(chat: DaemonChat): Promise<void> {
    return chat.connect(this.#lastSession, { orShared: true });
  }

  #remember(session: string | undefined): void {
    if (session === undefined || session === this.#lastSession) return;
    this.#lastSession = session;
    this.#options.lastSession?.set(session);
  }

  #leave(): void {
    this.#daemon?.chat.dispose();
    this.#daemon = undefined;
    this.#reset();
  }

  #reset(): void {
    this.#changed.fire([{ op: 'reset', model: this.model }]);
    this.#statusChanged.fire();
  }

  async #endOwn(): Promise<void> {
    const own = this.#own;
    this.#own = undefined;
    await own?.stop();
  }
}
