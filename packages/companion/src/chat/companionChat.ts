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

/** The client of a daemon, which most companions never have: they start without it. */
const loadDaemon = () => import('@tandem/chat/client');

/** Which daemon the chat is set to, as a panel is told it. */
export interface ChatSetup {
  /** The daemon's address. Absent while none was chosen. */
  readonly url?: string;
  /** It was started here, and ends with the host. */
  readonly isOwn: boolean;
  readonly isStarting: boolean;
  /** Why a daemon could not be started, and what to do. */
  readonly problem?: string;
  /** Why none may be started now, and what to do. */
  readonly obstacle?: string;
}

/** What is known of the chat without following it. */
export interface ChatStatus {
  readonly setup: ChatSetup;
  readonly connection: ChatModel['connection']['state'];
  readonly isRunning: boolean;
  /** How many permissions and questions wait for an answer. */
  readonly waiting: number;
}

interface DaemonChoice {
  readonly url: string;
  readonly token?: string;
}

interface CompanionChatOptions {
  /** The one that daemons work in. */
  readonly folder: Path;
  /**
   * Why no daemon may be started in it, and what to do: when the person does not trust it. A daemon that is started
   * there obeys the settings that lie there.
   */
  readonly obstacle: () => string | undefined;
  /** The program of a daemon and what comes before `serve`. `['qwen']` by default. */
  readonly command?: () => readonly string[];
  /** Where the user names that program, such as "the setting x.y": for the error when it is missing. */
  readonly commandPlace?: string;
  /** Hears each line that a daemon of our own prints, without its token. */
  readonly onOutput?: (line: string) => void;
  /** Keeps which session of the folder was shown last, for the next time. Without it, this chat alone remembers. */
  readonly lastSession?: LastSession;
  readonly logger: Logger;
}

/** Where the id of a daemon's session is kept. */
interface LastSession {
  readonly get: () => string | undefined;
  readonly set: (id: string) => void;
}

/**
 * The chat of a companion: which daemon it is set to, the connection to it and, where it was started here, its process.
 * The token stays in here. Whoever creates it calls `close`, which ends a daemon of our own.
 */
export class CompanionChat implements Disposable {
  /** How the chat that is shown became what it is now. */
  readonly onDidChange: Event<readonly ChatPatch[]>;
  /** What `status` says may be something else. */
  readonly onDidChangeStatus: Event<void>;
  /** A permission or a question came up, for native prompts. Those who hear it answer by `chat.answer`. */
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
  /** How often somebody chose a daemon or none: what was begun for an earlier choice comes to nothing. */
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

  /** The chat to ask. Throws `DaemonError` while there is none. */
  get chat(): DaemonChat {
    if (this.#daemon !== undefined) return this.#daemon.chat;
    throw new DaemonError('unreachable', 'The chat is not connected to a daemon. Connect it first.');
  }

  /** The host says that `setup.obstacle` may have another value. */
  obstacleChanged(): void {
    this.#statusChanged.fire();
  }

  /** Connects to a daemon that runs, in place of the one before. Rejects with `DaemonError`. */
  async connect({ url, token }: DaemonChoice): Promise<void> {
    const { origin } = validateDaemonBaseUrl(url);
    const isMeant = this.#choose();
    await this.#endOwn();
    await this.#use(token === undefined || token === '' ? { url: origin } : { url: origin, token }, isMeant);
  }

  /** Starts a daemon for the folder and connects to it. Calls that overlap are one. Rejects with `DaemonError`. */
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

  /** Connects again: to the same daemon, whose turns go on, or in place of one of our own that takes no connection to another. */
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

  /** Lets go of the daemon, and ends it if it is our own. */
  async disconnect(): Promise<void> {
    this.#choose();
    this.#problem = undefined;
    this.#leave();
    await this.#endOwn();
  }

  dispose(): void {
    void this.close();
  }

  /** Lets go of the daemon and waits until one of our own has ended. Never rejects, and can be called twice. */
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

  /** Says of what follows whether it is still meant. */
  #choose(): () => boolean {
    const choice = ++this.#choices;
    this.#starting = undefined;
    return () => choice === this.#choices && !this.#isClosed;
  }

  async #start(): Promise<void> {
    const obstacle = this.#options.obstacle();
    if (obstacle !== undefined) throw new DaemonError('not_started', obstacle);
    const isMeant = this.#choose();
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
      if (isMeant()) this.#problem = error instanceof DaemonError ? error.message : describeError(error);
      throw error;
    }
    if (!isMeant()) return daemon.stop();
    this.#own = daemon;
    await this.#use({ url: daemon.url, token: daemon.token }, isMeant);
  }

  async #use(choice: DaemonChoice, isMeant: () => boolean): Promise<void> {
    const { DaemonChat } = await loadDaemon();
    if (!isMeant()) return;
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

  /** The session that was shown last is shown again, also by another daemon: the folder has them. */
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
