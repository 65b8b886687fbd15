import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import {
  type Clock,
  type Disposable,
  describeError,
  type Event,
  type Logger,
  silentLogger,
} from '@tandem/core';
import type { ChatModel, ChatProblem } from '../model/chatModel.js';
import { toChatRequest } from '../model/chatRequest.js';
import { endOpenWork } from '../model/reduceChat.js';
import { wirePermissionRequest } from '../model/wire.js';
import { type ChatAsk, type ChatChange, ChatState } from './chatState.js';
import type { DaemonApi, NewSessionOptions } from './daemonApi.js';
import { DaemonError } from './daemonError.js';
import { createSdkDaemonSessionFactory, DaemonIdeConnection } from './daemonIdeConnection.js';
import type { ReopenReason } from './eventPump.js';
import type { AskContext, ContentBlock } from './ideTypes.js';
import { leaveOpen } from './permissionRequests.js';
import { toResponse } from './permissionResponse.js';
import { type ChatSessionSummary, readSession, toSessionSummary } from './readSession.js';
import type { SessionClient } from './sessionClient.js';
import { chatOfHistory, keepLostTurn, rewindBefore, SentPrompts } from './sessionHistory.js';
import { toDaemonError } from './toDaemonError.js';

export interface DaemonChatOptions {
  /** The daemon's URL on this machine. */
  readonly baseUrl: string;
  readonly token?: string;
  /** The workspace folder, as an absolute path. It must be the daemon's own. */
  readonly folder: string;
  /** How long a broken connection is retried before the chat counts as disconnected. Two minutes by default. */
  readonly reconnectForMs?: number;
  readonly logger?: Logger;
  readonly clock?: Clock;
}

export interface ChatAnswer {
  /** Absent to cancel. */
  readonly optionId?: string;
  /** For questions, by `key`: the chosen label, several joined by ", ", or free text. */
  readonly answers?: Readonly<Record<string, string>>;
}

/**
 * A chat with a daemon: one session at a time, through `DaemonIdeConnection`, as a `ChatModel`. The owner disposes it; the
 * session continues in the daemon. Methods that call the daemon throw `DaemonError`.
 */
export class DaemonChat implements Disposable {
  readonly #options: DaemonChatOptions;
  readonly #logger: Logger;
  readonly #state: ChatState;
  readonly #connection: DaemonIdeConnection;
  readonly #sent = new SentPrompts();
  #api: DaemonApi | undefined;
  #lastPrompt: readonly ContentBlock[] | undefined;
  #isDisposed = false;

  constructor(options: DaemonChatOptions) {
    const { logger = silentLogger, clock, reconnectForMs = 120_000 } = options;
    this.#options = options;
    this.#logger = logger;
    this.#state = new ChatState(logger);
    this.#connection = new DaemonIdeConnection({
      logger,
      ...(clock !== undefined && { clock }),
      reconnectForMs,
      // Another client may show the session; an idle one is loaded again from the disk.
      detaches: true,
      observer: {
        onSession: (session, why) => this.#showHistory(session, why),
        onEvent: (event) => {
          this.#sent.handle(event);
          this.#state.handle(event);
        },
        onOpen: (session) => this.#opened(session),
        onBreak: () => this.#state.set({ connection: { state: 'reconnecting' } }),
      },
    });
  }

  /** A new viewer takes this, then the patches of `onDidChange`. */
  get model(): ChatModel {
    return this.#state.model;
  }

  get onDidChange(): Event<ChatChange> {
    return this.#state.onDidChange;
  }

  /** For native prompts. Answer with `answer()`; the request is also in `model.pending`. */
  get onDidAsk(): Event<ChatAsk> {
    return this.#state.onDidAsk;
  }

  /**
   * Connects and opens a session with its history: the given one, otherwise the last one shown, otherwise the shared one. A
   * missing session is an error, unless `orShared` replaces it by the shared one.
   */
  connect(sessionId?: string, { orShared = false }: { readonly orShared?: boolean } = {}): Promise<void> {
    const wanted = sessionId ?? this.model.session?.id;
    return this.#enter(async (api) => {
      if (wanted === undefined) return this.#findShared(api);
      const opened = api.loadSession(wanted, this.#options.folder);
      return orShared ? orElse(opened, () => this.#findShared(api)) : opened;
    });
  }

  /** Detaches from the session, which continues in the daemon. The conversation stays in the model. */
  async disconnect(): Promise<void> {
    await this.#connection.disconnect();
    this.#state.set({ connection: { state: 'disconnected' } });
  }

  /** Starts a new chat. Connects if necessary. */
  newSession(): Promise<void> {
    const options: NewSessionOptions = { workspaceCwd: this.#options.folder, sessionScope: 'thread' };
    return this.#enter((api) => api.createSession(options));
  }

  /** Opens another session with its history. Connects if necessary. */
  openSession(sessionId: string): Promise<void> {
    return this.#enter((api) => api.loadSession(sessionId, this.#options.folder));
  }

  /** The sessions of this folder, the latest first. */
  async listSessions(): Promise<readonly ChatSessionSummary[]> {
    const sessions = await this.#connectedApi().listSessions(this.#options.folder);
    return sessions.map(toSessionSummary).sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0));
  }

  /**
   * Sends a prompt, after a session that is being opened is open. Resolves once the daemon has accepted it; the model shows
   * the turn. With the `promptId` of an earlier message in `replaces`, rewinds the session to before that message if
   * possible, otherwise sends a new prompt. Returns which. Files stay unchanged.
   */
  async send(
    prompt: string | readonly ContentBlock[],
    { replaces }: { readonly replaces?: string } = {},
  ): Promise<'sent' | 'rewound'> {
    const blocks: readonly ContentBlock[] =
      typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
    await this.#connection.settled();
    this.#lastPrompt = blocks;
    const isRewound = replaces !== undefined && (await this.#rewind(replaces));
    await new Promise<void>((resolve, reject) => {
      let accepted = '';
      const onAccepted = (promptId: string, sessionId: string): void => {
        accepted = promptId;
        this.#sent.add({ promptId, sessionId, blocks });
        resolve();
      };
      const turn = this.#connection.sendPrompt([...blocks], { onAccepted });
      // The model shows how the turn ends.
      turn.then(() => this.#sent.end(accepted), reject);
    });
    return isRewound ? 'rewound' : 'sent';
  }

  /** Sends the last prompt again, after an error or a restart of the daemon. */
  async retry(): Promise<void> {
    const blocks = this.#lastPrompt ?? lastPromptOf(this.model);
    if (blocks !== undefined) await this.send(blocks);
  }

  /** Removes a prompt of `model.turn.queued`. `started`: it is no longer queued. */
  async removeQueued(promptId: string): Promise<'removed' | 'started'> {
    await this.#connection.settled();
    const { session } = this.#connection;
    if (session === undefined) throw notConnected();
    this.#state.flush();
    // For a running prompt the daemon would stop the turn.
    const isQueued = this.model.turn.queued.some((each) => each.promptId === promptId);
    const isRemoved =
      isQueued && (await this.#connectedApi().removePrompt(session.sessionId, promptId, session.clientId));
    if (isRemoved) this.#sent.end(promptId);
    return isRemoved ? 'removed' : 'started';
  }

  /** Stops the turn. */
  async cancel(): Promise<void> {
    const { turn } = this.model;
    if (turn.state === 'running') this.#state.set({ turn: { ...turn, state: 'stopping' } });
    await this.#connection.cancelSession();
  }

  /** Switches the model, by an id of `model.models`. The daemon also makes it the default in the user's settings. */
  async setModel(modelId: string): Promise<void> {
    await this.#connection.setModel(modelId);
  }

  /** Switches the approval mode, by an id of `model.modes`. */
  async setApprovalMode(modeId: string): Promise<void> {
    await this.#connection.settled();
    const { currentSessionId } = this.#connection;
    if (currentSessionId === undefined) throw notConnected();
    await this.#connectedApi().setApprovalMode(currentSessionId, modeId);
  }

  /** Answers a request of `model.pending`. `elsewhere`: another client was first, or it is no longer pending. */
  async answer(requestId: string, answer: ChatAnswer): Promise<'answered' | 'elsewhere'> {
    const request = this.model.pending.find((each) => each.requestId === requestId);
    if (request === undefined) return 'elsewhere';
    const response = toResponse(request, answer);
    this.#state.changePending(requestId, (each) => ({ ...each, isAnswering: true }));
    try {
      const outcome = await this.#connection.answer(requestId, response);
      if (outcome === 'elsewhere') this.#state.changePending(requestId, () => undefined);
      return outcome;
    } catch (error) {
      this.#state.changePending(requestId, (each) => ({ ...each, isAnswering: false }));
      throw error;
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    void this.#connection.disconnect();
    this.#state.dispose();
  }

  /** Opens a session and follows it. Where it cannot be opened, the one before is followed on. */
  async #enter(find: (api: DaemonApi) => Promise<DaemonSessionClient>): Promise<void> {
    if (this.#isDisposed) return;
    const { baseUrl, token, folder } = this.#options;
    const open = createSdkDaemonSessionFactory((api) => {
      this.#api = api;
      return find(api);
    });
    try {
      await this.#connection.connect({
        baseUrl,
        ...(token !== undefined && { token }),
        workspaceCwd: folder,
        sessionFactory: (request, signal) => {
          this.#listen();
          return open(request, signal);
        },
      });
    } catch (error) {
      if (this.#isDisposed) return;
      const failure = toDaemonError(error, 'open the chat', baseUrl);
      const { kind, message } = failure;
      if (!this.#connection.isConnected) this.#end({ kind, message });
      throw failure;
    }
  }

  #listen(): void {
    const connection = this.#connection;
    if (!connection.isConnected) this.#state.set({ connection: { state: 'connecting' } });
    connection.onPermissionRequest = (_request, context) => this.#ask(context);
    connection.onAskUserQuestion = (_request, context) => this.#ask(context);
    connection.onDisconnected = (_code, _reason, problem) => {
      if (problem !== undefined) this.#end(problem);
    };
  }

  async #findShared(api: DaemonApi): Promise<DaemonSessionClient> {
    const { folder } = this.#options;
    const created = await api.createSession({ workspaceCwd: folder });
    if (!created.attached) return created;
    return orElse(api.loadSession(created.sessionId, folder, created.clientId), () =>
      // The daemon closed it when its last client detached.
      api.createSession({ workspaceCwd: folder }),
    );
  }

  /** Shows the daemon's history and the sent prompts that it no longer contains. */
  #showHistory(session: SessionClient, why?: ReopenReason): void {
    const { ownIds } = this.#state;
    this.#state.flush();
    const before = this.model;
    if (session.clientId !== undefined) ownIds.add(session.clientId);
    this.#state.change((draft) => {
      draft.apply({ op: 'reset', model: chatOfHistory(session, draft.model, ownIds) });
      const isTurnLost = why === 'restarted' && before.turn.state !== 'idle';
      if (isTurnLost) keepLostTurn(draft, before);
      if (!this.#sent.show(draft) && !isTurnLost) return;
      const text = 'The daemon was restarted while it answered. Send the prompt again to continue.';
      draft.add({ kind: 'error', text, isRetryable: true });
    });
    this.#sent.forget(this.model);
  }

  /** A view answers later. */
  #ask(context: AskContext | undefined): Promise<never> {
    const parsed = wirePermissionRequest.safeParse(context?.request);
    if (context !== undefined && parsed.success) this.#state.ask(toChatRequest(parsed.data), context.signal);
    return leaveOpen();
  }

  async #opened(session: SessionClient): Promise<void> {
    this.#state.set({ connection: { state: 'connected' } });
    try {
      const { parts, title } = await readSession(session);
      if (this.#connection.session !== session) return;
      this.#state.change((draft) => {
        draft.set(parts);
        const shown = draft.model.session;
        if (shown !== undefined && title !== undefined) draft.set({ session: { ...shown, title } });
      });
    } catch (error) {
      this.#logger.debug('the session could not be read', { error: describeError(error) });
    }
  }

  #end(problem: ChatProblem): void {
    this.#state.change((draft) => {
      endOpenWork(draft);
      draft.set({ turn: { state: 'idle', queued: [] }, connection: { state: 'disconnected', problem } });
      this.#sent.show(draft);
    });
  }

  /** False if the session runs or its history was compressed. */
  async #rewind(promptId: string): Promise<boolean> {
    this.#state.flush();
    const { session } = this.#connection;
    const { items, turn } = this.model;
    if (this.#api === undefined || session === undefined || turn.state !== 'idle') return false;
    try {
      return await rewindBefore(this.#api, session, items, promptId);
    } catch (error) {
      this.#logger.debug('the session could not be rewound', { error: describeError(error) });
      return false;
    }
  }

  #connectedApi(): DaemonApi {
    if (this.#api === undefined) throw notConnected();
    return this.#api;
  }
}

/** Another session if this one does not exist. */
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
