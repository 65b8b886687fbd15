import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import {
  type Clock,
  type Disposable,
  describeError,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  silentLogger,
} from '@tandem/core';
import { type ChatModel, type ChatRequest, emptyChat } from '../chat/chatModel.js';
import { ChatDraft, type ChatPatch } from '../chat/chatPatch.js';
import { endOpenWork, reduceChat } from '../chat/reduceChat.js';
import { DaemonApi, type NewSessionOptions } from '../connection/daemonApi.js';
import { DaemonError, toDaemonError } from '../connection/daemonError.js';
import { describeEnd } from '../connection/describeEnd.js';
import { EventPump, type StreamEnd } from '../connection/eventPump.js';
import { PromptTurns } from '../connection/promptTurns.js';
import type { ContentBlock, DaemonEvent, SessionClient } from '../connection/sessionClient.js';
import { systemClock } from '../connection/systemClock.js';
import { readSession, type SessionFacts } from './sessionFacts.js';
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

export interface ChatChange {
  /** The chat after the change. */
  readonly model: ChatModel;
  /** How to get there from the chat before. */
  readonly patches: readonly ChatPatch[];
}

/** A permission or a question that came up. `signal` fires when it is settled, by whomever, or cannot be any more. */
export interface ChatAsk {
  readonly request: ChatRequest;
  readonly signal: AbortSignal;
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
  readonly #changed: Emitter<ChatChange>;
  readonly #asked: Emitter<ChatAsk>;
  readonly #turns = new PromptTurns();
  readonly #ownIds = new Set<string>();
  readonly #asks = new Map<string, AbortController>();
  /** Requests that were settled, so that a status read a moment before does not bring them back. */
  readonly #settled = new Set<string>();
  readonly #waitingEvents: DaemonEvent[] = [];
  #model: ChatModel = emptyChat;
  #api: DaemonApi | undefined;
  #pump: EventPump | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #lastPrompt: readonly ContentBlock[] | undefined;
  #isDisposed = false;

  constructor(options: DaemonChatOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#clock = options.clock ?? systemClock;
    this.#changed = new Emitter(logListenerError(this.#logger, 'onDidChange'));
    this.#asked = new Emitter(logListenerError(this.#logger, 'onDidAsk'));
  }

  /** What to show now. A new viewer takes this, then the patches of `onDidChange`. */
  get model(): ChatModel {
    return this.#model;
  }

  get onDidChange(): Event<ChatChange> {
    return this.#changed.event;
  }

  /** For native prompts. Whoever hears it answers by `answer()`; the request is in `model.pending` as well. */
  get onDidAsk(): Event<ChatAsk> {
    return this.#asked.event;
  }

  /** Connects and opens a session: the one of this id, else the one that everybody shares, with its history. */
  connect(sessionId?: string): Promise<void> {
    return this.#exclusively(async () => {
      this.#set({ connection: { state: 'connecting' } });
      try {
        const { baseUrl, token } = this.#options;
        this.#api = await DaemonApi.open(token === undefined ? { baseUrl } : { baseUrl, token });
        await this.#show(await this.#find(this.#api, sessionId));
      } catch (error) {
        const failure = toDaemonError(error, 'open the chat', this.#options.baseUrl);
        const problem = { kind: failure.kind, message: failure.message };
        if (!this.#isDisposed) this.#set({ connection: { state: 'disconnected', problem } });
        throw failure;
      }
    });
  }

  /** Lets go of the session, which goes on in the daemon. What was said stays shown. */
  disconnect(): Promise<void> {
    return this.#exclusively(async () => {
      await this.#leave();
      this.#set({ connection: { state: 'disconnected' } });
    });
  }

  /** Begins a new chat, beside those that are there. */
  newSession(): Promise<void> {
    return this.#exclusively(async () => {
      const options: NewSessionOptions = { workspaceCwd: this.#options.folder, sessionScope: 'thread' };
      await this.#show(await this.#connectedApi().createSession(options));
    });
  }

  /** Shows another session, with its history. */
  openSession(sessionId: string): Promise<void> {
    return this.#exclusively(async () => {
      await this.#show(await this.#connectedApi().loadSession(sessionId, this.#options.folder));
    });
  }

  /** The sessions of this folder, running and past, the latest first. */
  async listSessions(): Promise<readonly ChatSessionSummary[]> {
    const sessions = await this.#connectedApi().listSessions(this.#options.folder);
    return sessions.map(toSessionSummary).sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0));
  }

  /** Sends a prompt. Resolves once the daemon has accepted it; the turn shows in the model. */
  async send(prompt: string | readonly ContentBlock[]): Promise<void> {
    const blocks: readonly ContentBlock[] =
      typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
    this.#lastPrompt = blocks;
    await this.#call('take the prompt', (session) => this.#turns.submit(session, blocks));
  }

  /** Sends the last prompt again: after an error, or after the daemon was restarted. */
  async retry(): Promise<void> {
    const blocks = this.#lastPrompt ?? lastPromptOf(this.#model);
    if (blocks !== undefined) await this.send(blocks);
  }

  /** Stops the turn. */
  async cancel(): Promise<void> {
    const { turn } = this.#model;
    if (turn.state === 'running') this.#set({ turn: { ...turn, state: 'stopping' } });
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
    if (!this.#model.pending.some((each) => each.requestId === requestId)) return 'elsewhere';
    this.#setAnswering(requestId, true);
    try {
      const outcome =
        optionId === undefined
          ? { outcome: 'cancelled' as const }
          : { outcome: 'selected' as const, optionId };
      const response = answers === undefined ? { outcome } : { outcome, answers: { ...answers } };
      const isTaken = await this.#call('take the answer', (session) =>
        session.respondToPermission(requestId, response),
      );
      if (!isTaken) this.#dropRequest(requestId);
      return isTaken ? 'answered' : 'elsewhere';
    } catch (error) {
      this.#setAnswering(requestId, false);
      throw error;
    }
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    void this.#leave();
    for (const ask of this.#asks.values()) ask.abort();
    this.#asks.clear();
    this.#changed.dispose();
    this.#asked.dispose();
  }

  async #find(api: DaemonApi, sessionId: string | undefined): Promise<DaemonSessionClient> {
    const { folder } = this.#options;
    if (sessionId !== undefined) return api.loadSession(sessionId, folder);
    const created = await api.createSession({ workspaceCwd: folder });
    if (!created.attached) return created;
    return api.loadSession(created.sessionId, folder, created.clientId);
  }

  /** Follows this session instead of the one before. */
  async #show(session: DaemonSessionClient): Promise<void> {
    if (this.#isDisposed) return session.detach();
    await this.#leave();
    const api = this.#connectedApi();
    this.#settled.clear();
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
        this.#takeHistory(again);
        if (why === 'restarted') this.#loseTurn();
        return again;
      },
      onEvent: (event) => this.#hear(event),
      onOpen: (open) => {
        this.#set({ connection: { state: 'connected' } });
        void this.#readFacts(open).then(onFirstOpen);
      },
      onBreak: () => this.#set({ connection: { state: 'reconnecting' } }),
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
    this.#flush();
    if (session.clientId !== undefined) this.#ownIds.add(session.clientId);
    const { compactedReplay, liveJournal } = session.consumeReplaySnapshot();
    const { connection, models, modes, commands } = this.#model;
    const base: ChatModel = {
      ...emptyChat,
      connection,
      models,
      modes,
      commands,
      session: { id: session.sessionId, folder: session.workspaceCwd },
    };
    const { model } = reduceChat(base, [...compactedReplay, ...liveJournal], this.#ownIds);
    const draft = new ChatDraft(model);
    if (!session.hasActivePrompt && model.turn.state !== 'idle') {
      endOpenWork(draft);
      draft.set({ turn: { state: 'idle', queued: [] } });
    }
    this.#apply([{ op: 'reset', model: draft.model }]);
  }

  /** The daemon that ran the turn is gone; the one that is there now knows nothing of it. */
  #loseTurn(): void {
    const wasRunning = this.#turns.isRunning;
    const text = 'The daemon was restarted while it answered. Ask again to go on.';
    this.#turns.fail(new DaemonError('daemon_stopped', text));
    if (wasRunning) this.#change((draft) => draft.add({ kind: 'error', text, isRetryable: true }));
  }

  async #readFacts(session: SessionClient): Promise<void> {
    const api = this.#api;
    if (api === undefined) return;
    const facts = await readSession(session).catch((error: unknown) => {
      this.#logger.debug('the session could not be read', { error: describeError(error) });
      return undefined;
    });
    if (facts === undefined || this.#isDisposed || this.#pump?.session !== session) return;
    this.#change((draft) => this.#takeFacts(draft, facts));
  }

  #takeFacts(draft: ChatDraft, facts: SessionFacts): void {
    const { session, pending } = draft.model;
    draft.set(facts.parts);
    if (session !== undefined && facts.title !== undefined) {
      draft.set({ session: { ...session, title: facts.title } });
    }
    const known = new Set(pending.map(({ requestId }) => requestId));
    const missed = facts.pending.filter(
      ({ requestId }) => !known.has(requestId) && !this.#settled.has(requestId),
    );
    if (missed.length > 0) draft.set({ pending: [...pending, ...missed] });
  }

  #hear(event: DaemonEvent): void {
    this.#turns.hear(event);
    this.#waitingEvents.push(event);
    // What came in one read of the socket is one change.
    if (this.#waitingEvents.length === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    if (this.#waitingEvents.length === 0 || this.#isDisposed) return;
    const events = this.#waitingEvents.splice(0);
    const { model, patches } = reduceChat(this.#model, events, this.#ownIds);
    if (patches.length > 0) this.#take(model, patches);
  }

  #end(end: StreamEnd): void {
    const problem = describeEnd(end);
    this.#turns.fail(new DaemonError(problem.kind, problem.message));
    this.#change((draft) => {
      endOpenWork(draft);
      draft.set({ turn: { state: 'idle', queued: [] }, connection: { state: 'disconnected', problem } });
    });
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

  #setAnswering(requestId: string, isAnswering: boolean): void {
    const pending = this.#model.pending.map((each) =>
      each.requestId === requestId ? { ...each, isAnswering } : each,
    );
    this.#set({ pending });
  }

  #dropRequest(requestId: string): void {
    this.#set({ pending: this.#model.pending.filter((each) => each.requestId !== requestId) });
  }

  #set(parts: Parameters<ChatDraft['set']>[0]): void {
    this.#change((draft) => draft.set(parts));
  }

  #change(change: (draft: ChatDraft) => void): void {
    this.#flush();
    if (this.#isDisposed) return;
    const draft = new ChatDraft(this.#model);
    change(draft);
    this.#take(draft.model, draft.patches);
  }

  #apply(patches: readonly ChatPatch[]): void {
    this.#change((draft) => {
      for (const patch of patches) draft.apply(patch);
    });
  }

  #take(model: ChatModel, patches: readonly ChatPatch[]): void {
    this.#model = model;
    this.#changed.fire({ model, patches });
    this.#tellAsks(model.pending);
  }

  #tellAsks(pending: readonly ChatRequest[]): void {
    const ids = new Set(pending.map(({ requestId }) => requestId));
    for (const [requestId, ask] of this.#asks) {
      if (ids.has(requestId)) continue;
      this.#asks.delete(requestId);
      this.#settled.add(requestId);
      ask.abort();
    }
    for (const request of pending) {
      if (this.#asks.has(request.requestId)) continue;
      const ask = new AbortController();
      this.#asks.set(request.requestId, ask);
      this.#asked.fire({ request, signal: ask.signal });
    }
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
