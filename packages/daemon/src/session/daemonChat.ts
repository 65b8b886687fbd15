import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import {
  type Clock,
  type Disposable,
  describeError,
  type Event,
  type Logger,
  silentLogger,
} from '@tandem/core';
import type { ChatModel, ChatRefusal } from '../chat/chatModel.js';
import { toResponse } from '../chat/chatResponse.js';
import { endOpenWork } from '../chat/reduceChat.js';
import { DaemonApi, type NewSessionOptions } from '../connection/daemonApi.js';
import { DaemonError, toDaemonError } from '../connection/daemonError.js';
import { describeEnd } from '../connection/describeEnd.js';
import { EventPump, type StreamEnd } from '../connection/eventPump.js';
import { PromptTurns } from '../connection/promptTurns.js';
import type { ContentBlock, SessionClient } from '../connection/sessionClient.js';
import { systemClock } from '../connection/systemClock.js';
import { type ChatAsk, type ChatChange, ChatState } from './chatState.js';
import { rewindBefore } from './rewindBefore.js';
import { readSession } from './sessionFacts.js';
import { chatOfHistory, keepLostTurn } from './sessionHistory.js';
import { type ChatSessionSummary, toSessionSummary } from './sessionSummary.js';

export interface DaemonChatOptions {
  /** The daemon's address; only one of this machine is accepted. */
  readonly baseUrl: string;
  readonly token?: string;
  /** The workspace folder, as an absolute path: the daemon has to work in it. */
  readonly folder: string;
  /** For how long a broken connection is tried again before the chat counts as disconnected. Two minutes by default. */
  readonly reconnectForMs?: number;
  readonly logger?: Logger;
  readonly clock?: Clock;
}

export interface ChatAnswer {
  /** One of the request's options; absent to cancel. */
  readonly optionId?: string;
  /** For questions: by each question's `key` the label of what was chosen, several joined by ", ", or free text. */
  readonly answers?: Readonly<Record<string, string>>;
}

/**
 * One chat with a daemon: a session at a time, followed by its events and shown as a `ChatModel`. The owner disposes it;
 * the session goes on in the daemon. All methods that ask the daemon throw `DaemonError`.
 */
export class DaemonChat implements Disposable {
  readonly #options: DaemonChatOptions;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #state: ChatState;
  readonly #turns = new PromptTurns();
  #api: DaemonApi | undefined;
  #pump: EventPump | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #lastPrompt: readonly ContentBlock[] | undefined;
  #isDisposed = false;

  constructor(options: DaemonChatOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#clock = options.clock ?? systemClock;
    this.#state = new ChatState(this.#logger);
    this.#state.onDidRefuse((request) => void this.#refuse(request));
  }

  /** What to show now. A new viewer takes this, then the patches of `onDidChange`. */
  get model(): ChatModel {
    return this.#state.model;
  }

  get onDidChange(): Event<ChatChange> {
    return this.#state.onDidChange;
  }

  /** For native prompts. Whoever hears it answers by `answer()`; the request is in `model.pending` as well. */
  get onDidAsk(): Event<ChatAsk> {
    return this.#state.onDidAsk;
  }

  /**
   * Connects and opens a session with its history: the one of this id, else the one that was shown last, else the one that
   * everybody shares. A session that is gone is an error, unless `orShared` takes the shared one for it.
   */
  connect(sessionId?: string, { orShared = false }: { readonly orShared?: boolean } = {}): Promise<void> {
    const wanted = sessionId ?? this.model.session?.id;
    return this.#enter(async (api) => {
      if (wanted === undefined) return this.#findShared(api);
      const opened = api.loadSession(wanted, this.#options.folder);
      return orShared ? orElse(opened, () => this.#findShared(api)) : opened;
    });
  }

  /** Lets go of the session, which goes on in the daemon. What was said stays shown. */
  disconnect(): Promise<void> {
    return this.#exclusively(async () => {
      await this.#leave();
      this.#state.set({ connection: { state: 'disconnected' } });
    });
  }

  /** Begins a new chat, beside those that are there. Connects where that was not done. */
  newSession(): Promise<void> {
    const options: NewSessionOptions = { workspaceCwd: this.#options.folder, sessionScope: 'thread' };
    return this.#enter((api) => api.createSession(options));
  }

  /** Shows another session, with its history. Connects where that was not done. */
  openSession(sessionId: string): Promise<void> {
    return this.#enter((api) => api.loadSession(sessionId, this.#options.folder));
  }

  /** The sessions of this folder, running and past, the latest first. */
  async listSessions(): Promise<readonly ChatSessionSummary[]> {
    const sessions = await this.#connectedApi().listSessions(this.#options.folder);
    return sessions.map(toSessionSummary).sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0));
  }

  /**
   * Sends a prompt, while another session opens to that one. Resolves once the daemon has accepted it; the turn shows in
   * the model. With the `promptId` of an earlier message the session first goes back to before it, where it can; else the
   * prompt is sent as a new one. Says whether it went back. Changed files stay as they are.
   */
  async send(
    prompt: string | readonly ContentBlock[],
    { replaces }: { readonly replaces?: string } = {},
  ): Promise<'sent' | 'rewound'> {
    const blocks: readonly ContentBlock[] =
      typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
    await this.#queue;
    this.#lastPrompt = blocks;
    const isRewound = replaces !== undefined && (await this.#rewind(replaces));
    await this.#call('take the prompt', (session) => this.#turns.submit(session, blocks));
    return isRewound ? 'rewound' : 'sent';
  }

  /** Sends the last prompt again: after an error, or after the daemon was restarted. */
  async retry(): Promise<void> {
    const blocks = this.#lastPrompt ?? lastPromptOf(this.model);
    if (blocks !== undefined) await this.send(blocks);
  }

  /** Stops the turn. */
  async cancel(): Promise<void> {
    const { turn } = this.model;
    if (turn.state === 'running') this.#state.set({ turn: { ...turn, state: 'stopping' } });
    await this.#call('stop the turn', (session) => session.cancel());
  }

  /** Switches the model, by an id of `model.models`. The daemon makes it the default in the user's settings. */
  async setModel(modelId: string): Promise<void> {
    await this.#call('switch the model', (session) => session.setModel(modelId));
  }

  /** Switches what the agent may do unasked, by an id of `model.modes`. */
  async setApprovalMode(modeId: string): Promise<void> {
    await this.#call('switch the approval mode', async ({ sessionId }) => {
      await this.#connectedApi().setApprovalMode(sessionId, modeId);
    });
  }

  /** Answers a request of `model.pending`. Gives `elsewhere` when somebody else was first, or it waits no more. */
  async answer(requestId: string, { optionId, answers }: ChatAnswer): Promise<'answered' | 'elsewhere'> {
    const request = this.model.pending.find((each) => each.requestId === requestId);
    if (request === undefined) return 'elsewhere';
    const response = toResponse(request, { optionId, answers });
    this.#state.changePending(requestId, (each) => ({ ...each, isAnswering: true }));
    try {
      const isTaken = await this.#call('take the answer', (session) =>
        session.respondToPermission(requestId, response),
      );
      if (!isTaken) this.#state.changePending(requestId, () => undefined);
      return isTaken ? 'answered' : 'elsewhere';
    } catch (error) {
      this.#state.changePending(requestId, (each) => ({ ...each, isAnswering: false }));
      throw error;
    }
  }

  /** Rejects what is neither a permission nor a question. Where that fails, the views still offer to reject it. */
  async #refuse({ requestId, reason }: ChatRefusal): Promise<void> {
    this.#logger.warn('a question of the agent was refused', { requestId, reason });
    try {
      await this.answer(requestId, {});
    } catch (error) {
      this.#logger.warn('a refusal did not reach the daemon', { requestId, error: describeError(error) });
    }
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    void this.#leave();
    this.#state.dispose();
  }

  /** Opens a session and follows it. Where it cannot be opened, the one before is followed on. */
  #enter(find: (api: DaemonApi) => Promise<DaemonSessionClient>): Promise<void> {
    return this.#exclusively(async () => {
      const isConnected = this.#pump !== undefined && this.model.connection.state !== 'disconnected';
      if (!isConnected) this.#state.set({ connection: { state: 'connecting' } });
      try {
        const { baseUrl, token } = this.#options;
        this.#api = await DaemonApi.open(token === undefined ? { baseUrl } : { baseUrl, token });
        await this.#show(await find(this.#api));
      } catch (error) {
        const failure = toDaemonError(error, 'open the chat', this.#options.baseUrl);
        const problem = { kind: failure.kind, message: failure.message };
        if (!isConnected) this.#state.set({ connection: { state: 'disconnected', problem } });
        throw failure;
      }
    });
  }

  async #findShared(api: DaemonApi): Promise<DaemonSessionClient> {
    const { folder } = this.#options;
    const created = await api.createSession({ workspaceCwd: folder });
    if (!created.attached) return created;
    return orElse(api.loadSession(created.sessionId, folder, created.clientId), () =>
      // It was closed behind the last one who left it.
      api.createSession({ workspaceCwd: folder }),
    );
  }

  /** Follows this session instead of the one before. */
  async #show(session: DaemonSessionClient): Promise<void> {
    if (this.#isDisposed) return session.detach();
    await this.#leave();
    const api = this.#connectedApi();
    this.#takeHistory(session);
    await new Promise<void>((resolve, reject) => this.#follow(session, api, resolve, reject));
  }

  #follow(
    session: DaemonSessionClient,
    api: DaemonApi,
    onFirstOpen: () => void,
    onFailure: (error: unknown) => void,
  ): void {
    const pump = new EventPump({
      session,
      clock: this.#clock,
      logger: this.#logger,
      reconnectForMs: this.#options.reconnectForMs ?? 120_000,
      reopen: async (why, old) => {
        const again = await api.loadSession(old.sessionId, this.#options.folder);
        this.#state.flush();
        const before = this.model;
        this.#takeHistory(again);
        if (why === 'restarted') this.#loseTurn(before);
        return again;
      },
      onEvent: (event) => {
        this.#turns.hear(event);
        this.#state.hear(event);
      },
      onOpen: (open) => {
        this.#state.set({ connection: { state: 'connected' } });
        void this.#readFacts(open).then(onFirstOpen);
      },
      onBreak: () => this.#state.set({ connection: { state: 'reconnecting' } }),
      onEnd: (end) => {
        this.#end(end);
        onFailure(end.error ?? new DaemonError('session_ended', describeEnd(end).message));
      },
    });
    this.#pump = pump;
    pump.start();
  }

  /** Shows what the daemon knows of the session's past. */
  #takeHistory(session: DaemonSessionClient): void {
    const { ownIds } = this.#state;
    if (session.clientId !== undefined) ownIds.add(session.clientId);
    this.#state.change((draft) => {
      draft.apply({ op: 'reset', model: chatOfHistory(session, draft.model, ownIds) });
    });
  }

  /** The daemon that ran the turn is gone; the one that is there now knows nothing of it. */
  #loseTurn(before: ChatModel): void {
    const text = 'The daemon was restarted while it answered. Ask again to go on.';
    this.#turns.fail(new DaemonError('daemon_stopped', text));
    if (before.turn.state === 'idle') return;
    this.#state.change((draft) => {
      keepLostTurn(draft, before);
      draft.add({ kind: 'error', text, isRetryable: true });
    });
  }

  /** What the events tell only the changes of. The chat works without. */
  async #readFacts(session: SessionClient): Promise<void> {
    try {
      const { parts, title, pending } = await readSession(session);
      if (this.#pump?.session !== session) return;
      this.#state.change((draft) => {
        draft.set(parts);
        const shown = draft.model.session;
        if (shown !== undefined && title !== undefined) draft.set({ session: { ...shown, title } });
      });
      this.#state.addPending(pending);
    } catch (error) {
      this.#logger.debug('the session could not be read', { error: describeError(error) });
    }
  }

  #end(end: StreamEnd): void {
    const problem = describeEnd(end);
    this.#pump = undefined;
    this.#turns.fail(new DaemonError(problem.kind, problem.message));
    this.#state.change((draft) => {
      endOpenWork(draft);
      draft.set({ turn: { state: 'idle', queued: [] }, connection: { state: 'disconnected', problem } });
    });
  }

  /** Takes the session back to before a message. False where it cannot: it runs, or its past was compressed. */
  async #rewind(promptId: string): Promise<boolean> {
    this.#state.flush();
    const session = this.#pump?.session;
    const { items, turn } = this.model;
    if (this.#api === undefined || session === undefined || turn.state !== 'idle') return false;
    try {
      return await rewindBefore(this.#api, session, items, promptId);
    } catch (error) {
      this.#logger.debug('the session could not go back', { error: describeError(error) });
      return false;
    }
  }

  async #leave(): Promise<void> {
    const pump = this.#pump;
    if (pump === undefined) return;
    this.#pump = undefined;
    pump.dispose();
    this.#turns.fail(new DaemonError('session_ended', 'The chat has left the session.'));
    await pump.session.detach().catch((error: unknown) => {
      this.#logger.debug('the session could not be left', { error: describeError(error) });
    });
  }

  async #call<T>(what: string, request: (session: SessionClient) => Promise<T>): Promise<T> {
    // Between two sessions there is none for a moment: what is asked then is meant for the next one.
    if (this.#pump === undefined) await this.#queue;
    const session = this.#pump?.session;
    if (session === undefined) throw notConnected();
    try {
      return await request(session);
    } catch (error) {
      throw toDaemonError(error, what, this.#api?.origin ?? this.#options.baseUrl);
    }
  }

  #connectedApi(): DaemonApi {
    if (this.#api === undefined) throw notConnected();
    return this.#api;
  }

  /** One after the other: what opens a session must not overtake what leaves it. */
  #exclusively(task: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(() => (this.#isDisposed ? undefined : task()));
    this.#queue = done.catch(() => {});
    return done;
  }
}

/** The session that is being opened, or another one when it is gone. */
async function orElse(
  opened: Promise<DaemonSessionClient>,
  another: () => Promise<DaemonSessionClient>,
): Promise<DaemonSessionClient> {
  try {
    return await opened;
  } catch (error) {
    if (error instanceof DaemonError && error.kind === 'session_not_found') return another();
    throw error;
  }
}

function lastPromptOf(model: ChatModel): readonly ContentBlock[] | undefined {
  const last = model.items.findLast((item) => item.kind === 'user');
  if (last === undefined) return undefined;
  const images = last.images.map(({ data, mimeType }) => ({ type: 'image' as const, data, mimeType }));
  return [{ type: 'text', text: last.text }, ...images];
}

function notConnected(): DaemonError {
  return new DaemonError('unreachable', 'The chat is not connected to a daemon. Connect it first.');
}
