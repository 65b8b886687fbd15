import {
  type ChatModel,
  type ChatPatch,
  DaemonChat,
  DaemonError,
  emptyChat,
  type StartedDaemon,
  startDaemon,
  validateDaemonBaseUrl,
} from '@tandem/companion/daemon';
import {
  type Disposable,
  describeError,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type Path,
} from '@tandem/core';
import type { ChatSetup, ChatStatus } from '@tandem/ui/wire';

interface DaemonChoice {
  readonly url: string;
  readonly token?: string;
}

interface CompanionChatOptions {
  /** The one that daemons work in. */
  readonly folder: Path;
  /** Whether the person trusts it: a daemon that is started in it obeys the settings that lie there. */
  readonly isTrusted: () => boolean;
  readonly logger: Logger;
}

const notTrusted =
  'This folder is served as not trusted, so that nothing is started in it. Serve it without --untrusted, or connect to a daemon that you started yourself.';

/**
 * The chat of a companion: which daemon it is set to, the connection to it and, where it was started here, its process.
 * The token stays in here. Whoever creates it calls `close`, which ends a daemon of our own.
 */
export class CompanionChat implements Disposable {
  /** How the chat that is shown became what it is now. */
  readonly onDidChange: Event<readonly ChatPatch[]>;
  /** What `status` says may be something else. */
  readonly onDidChangeStatus: Event<void>;

  readonly #folder: Path;
  readonly #isTrusted: () => boolean;
  readonly #logger: Logger;
  readonly #changed: Emitter<readonly ChatPatch[]>;
  readonly #statusChanged: Emitter<void>;
  #daemon: { readonly chat: DaemonChat; readonly choice: DaemonChoice } | undefined;
  #own: StartedDaemon | undefined;
  #starting: Promise<void> | undefined;
  #problem: string | undefined;
  #isClosed = false;

  constructor({ folder, isTrusted, logger }: CompanionChatOptions) {
    this.#folder = folder;
    this.#isTrusted = isTrusted;
    this.#logger = logger;
    const onError = logListenerError(logger, 'the chat');
    this.#changed = new Emitter(onError);
    this.#statusChanged = new Emitter(onError);
    this.onDidChange = this.#changed.event;
    this.onDidChangeStatus = this.#statusChanged.event;
  }

  get model(): ChatModel {
    return this.#daemon?.chat.model ?? emptyChat;
  }

  get setup(): ChatSetup {
    return {
      isOwn: this.#own !== undefined,
      isStarting: this.#starting !== undefined,
      ...(this.#daemon !== undefined && { url: this.#daemon.choice.url }),
      ...(this.#problem !== undefined && { problem: this.#problem }),
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

  /** Connects to a daemon that runs, in place of the one before. Rejects with `DaemonError`. */
  async connect({ url, token }: DaemonChoice): Promise<void> {
    const { origin } = validateDaemonBaseUrl(url);
    await this.#endOwn();
    await this.#use(token === undefined || token === '' ? { url: origin } : { url: origin, token });
  }

  /** Starts a daemon for the folder and connects to it. Calls that overlap are one. Rejects with `DaemonError`. */
  start(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
      this.#statusChanged.fire();
    });
    this.#statusChanged.fire();
    return this.#starting;
  }

  /** Connects again: to a daemon of our own that has ended, by starting another one. */
  async reconnect(): Promise<void> {
    if (this.#daemon === undefined) return this.start();
    if (this.#own !== undefined && this.model.connection.problem?.kind !== 'session_ended')
      return this.start();
    const { chat } = this.#daemon;
    const sessionId = chat.model.session?.id;
    try {
      await chat.connect(sessionId);
    } catch (error) {
      const isGone = error instanceof DaemonError && error.kind === 'session_not_found';
      if (!isGone || sessionId === undefined) throw error;
      await chat.connect();
    }
  }

  /** Lets go of the daemon, and ends it if it is our own. */
  async disconnect(): Promise<void> {
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
    this.#statusChanged.dispose();
  }

  async #start(): Promise<void> {
    this.#problem = undefined;
    this.#leave();
    await this.#endOwn();
    let daemon: StartedDaemon;
    try {
      if (!this.#isTrusted()) throw new DaemonError('not_started', notTrusted);
      daemon = await startDaemon({ folder: this.#folder });
    } catch (error) {
      this.#problem = error instanceof DaemonError ? error.message : describeError(error);
      throw error;
    }
    if (this.#isClosed) return daemon.dispose();
    this.#own = daemon;
    await this.#use({ url: daemon.url, token: daemon.token });
  }

  async #use(choice: DaemonChoice): Promise<void> {
    this.#problem = undefined;
    const chat = new DaemonChat({
      baseUrl: choice.url,
      ...(choice.token !== undefined && { token: choice.token }),
      folder: this.#folder,
      logger: this.#logger,
    });
    if (this.#isClosed) return chat.dispose();
    this.#daemon?.chat.dispose();
    this.#daemon = { chat, choice };
    chat.onDidChange(({ patches }) => {
      if (this.#daemon?.chat !== chat) return;
      this.#changed.fire(patches);
      this.#statusChanged.fire();
    });
    this.#reset();
    await chat.connect();
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
