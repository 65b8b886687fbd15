/**
 * What a chat panel shows: one state, reduced from the daemon's events. It is plain JSON, so that it can be posted to a
 * webview or sent over a WebSocket, whole and then as `ChatPatch`es. Nothing in it is mutated; what did not change
 * stays the same object.
 */
export interface ChatModel {
  readonly connection: ChatConnection;
  /** The session that is shown. Absent before the first one is open. */
  readonly session?: ChatSessionInfo;
  readonly turn: ChatTurn;
  /** In the order of the conversation. An item's `id` is its position here; items are never moved, and removed only at the end, by a rewind. */
  readonly items: readonly ChatItem[];
  /** Permissions and questions that wait for an answer, oldest first. */
  readonly pending: readonly ChatRequest[];
  /** The agent's latest plan; empty when it has none. */
  readonly plan: readonly ChatPlanEntry[];
  readonly usage: ChatUsage;
  readonly models: ChatChoices;
  /** Approval modes: what the agent may do unasked. */
  readonly modes: ChatChoices;
  /** The daemon's slash commands, their names without the slash. */
  readonly commands: readonly ChatCommand[];
  /** What the daemon suggests to ask next. */
  readonly suggestion?: string;
}

export interface ChatConnection {
  readonly state: 'disconnected' | 'connecting' | 'connected' | 'reconnecting';
  /** Why it is not connected, and the way out. Absent when it was not connected yet or was disconnected on purpose. */
  readonly problem?: ChatProblem;
}

/** A failure as a person reads it. Neither a token nor a file's content is in it. */
export interface ChatProblem {
  readonly kind: DaemonProblemKind;
  /** What failed, with what, and what to do. */
  readonly message: string;
}

/** `setup` problems are not retried: somebody has to change something. */
export type DaemonProblemKind =
  | 'not_loopback'
  | 'unreachable'
  | 'unauthorized'
  | 'workspace_mismatch'
  | 'no_auth_configured'
  | 'incompatible'
  | 'session_not_found'
  | 'session_ended'
  | 'daemon_stopped'
  | 'not_started'
  | 'request_failed';

export interface ChatSessionInfo {
  readonly id: string;
  /** The workspace folder that the daemon works in, as an absolute path. */
  readonly folder: string;
  readonly title?: string;
}

export interface ChatTurn {
  /** `stopping`: the person has cancelled, the daemon has not ended the turn yet. */
  readonly state: 'idle' | 'running' | 'stopping';
  readonly promptId?: string;
  /** Prompts that wait for the running one, this client's or another's, oldest first. */
  readonly queued: readonly ChatQueuedPrompt[];
}

export interface ChatQueuedPrompt {
  readonly promptId: string;
  readonly text: string;
}

interface ChatItemBase {
  readonly id: number;
  readonly promptId?: string;
  /** The tool call of the sub-agent that this belongs to. */
  readonly parentToolCallId?: string;
  /** Unix time in milliseconds by the daemon's clock. */
  readonly at?: number;
}

export interface ChatUserMessage extends ChatItemBase {
  readonly kind: 'user';
  readonly text: string;
  readonly images: readonly ChatImage[];
}

/** Markdown of the model. It still grows when `isStreaming` says so. */
export interface ChatAssistantMessage extends ChatItemBase {
  readonly kind: 'assistant';
  readonly text: string;
}

export interface ChatThought extends ChatItemBase {
  readonly kind: 'thought';
  readonly text: string;
}

export interface ChatToolCard extends ChatItemBase {
  readonly kind: 'tool';
  readonly toolCallId: string;
  /** The agent's name of the tool, such as `write_file`. */
  readonly toolName?: string;
  /** ACP's kind of tool: `edit`, `execute`, `read`, `search`, `fetch`, `think`, `other` … */
  readonly toolKind: string;
  readonly title: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed';
  readonly content: readonly ChatToolContent[];
  readonly locations: readonly ChatLocation[];
  /** The tool's arguments. */
  readonly input?: unknown;
  /** The open request of this tool, an id in `ChatModel.pending`. */
  readonly requestId?: string;
  /** Why the tool's request was refused unasked, as a clause. */
  readonly refusal?: string;
  /** How the tool's request ended. */
  readonly decision?: ChatDecision;
}

/** The daemon or the model failed in this turn. `isRetryable`: the prompt can be sent again as it was. */
export interface ChatError extends ChatItemBase {
  readonly kind: 'error';
  readonly text: string;
  readonly code?: string;
  readonly isRetryable: boolean;
}

/** Something that happened to the session and is neither said by anybody nor an error. */
export interface ChatNotice extends ChatItemBase {
  readonly kind: 'notice';
  readonly notice: 'cancelled' | 'model_switched' | 'session_ended' | 'history_cut' | 'other';
  readonly text: string;
}

export type ChatItem =
  | ChatUserMessage
  | ChatAssistantMessage
  | ChatThought
  | ChatToolCard
  | ChatError
  | ChatNotice;

export interface ChatImage {
  readonly mimeType: string;
  /** Base64. Empty when the daemon holds it as an attachment. */
  readonly data: string;
}

export type ChatToolContent =
  | { readonly type: 'text'; readonly text: string }
  /** `oldText` is absent for a new file. */
  | { readonly type: 'diff'; readonly path: string; readonly oldText?: string; readonly newText: string }
  | { readonly type: 'image'; readonly mimeType: string; readonly data: string };

export interface ChatLocation {
  readonly path: string;
  /** Counted from 1. */
  readonly line?: number;
}

export interface ChatDecision {
  /** Absent when it was cancelled. */
  readonly optionId?: string;
  readonly isAllowed: boolean;
  /** Somebody else answered: another client, or the daemon itself. */
  readonly isElsewhere: boolean;
}

export type ChatRequest = ChatPermission | ChatQuestions | ChatRefusal;

interface ChatRequestBase {
  readonly requestId: string;
  readonly toolCallId: string;
  /** In the words of the agent, which chooses them: no view shows it as what would be executed. */
  readonly title: string;
  readonly options: readonly ChatOption[];
  /** An answer is under way; the daemon has not confirmed it. */
  readonly isAnswering: boolean;
}

export interface ChatPermission extends ChatRequestBase {
  readonly kind: 'permission';
  readonly toolName?: string;
  readonly toolKind: string;
  readonly content: readonly ChatToolContent[];
  readonly locations: readonly ChatLocation[];
  readonly input?: unknown;
}

/** There is at least one question, and an answer executes nothing. */
export interface ChatQuestions extends ChatRequestBase {
  readonly kind: 'questions';
  readonly questions: readonly ChatQuestion[];
}

/** A request that is rejected unasked, since it is neither a permission nor a question. It is pending until the daemon confirms. */
export interface ChatRefusal extends ChatRequestBase {
  readonly kind: 'refused';
  /** Why, as a clause: "it asks nothing". */
  readonly reason: string;
}

export interface ChatOption {
  readonly optionId: string;
  readonly name: string;
  readonly isAllow: boolean;
  /** For how long it holds. `project` is written to `.qwen/settings.json` of the workspace, `user` to that of the home folder. */
  readonly scope: 'once' | 'session' | 'project' | 'user';
}

export interface ChatQuestion {
  /** The key of its answer. */
  readonly key: string;
  readonly header: string;
  readonly question: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly isMultiSelect: boolean;
}

export interface ChatPlanEntry {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly priority?: string;
}

/** Tokens of this session, as far as this client has seen it. */
export interface ChatUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly contextUsed?: number;
  readonly contextSize?: number;
}

export interface ChatChoices {
  readonly current?: string;
  readonly available: readonly ChatChoice[];
}

export interface ChatChoice {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** Of a model: whether the daemon hands it pictures. Absent where the daemon does not say. */
  readonly takesImages?: boolean;
}

export interface ChatCommand {
  readonly name: string;
  readonly description: string;
  /** What may follow the command, in the daemon's words. Absent when nothing may. */
  readonly hint?: string;
}

/** A chat without a session. */
export const emptyChat: ChatModel = {
  connection: { state: 'disconnected' },
  turn: { state: 'idle', queued: [] },
  items: [],
  pending: [],
  plan: [],
  usage: { inputTokens: 0, outputTokens: 0 },
  models: { available: [] },
  modes: { available: [] },
  commands: [],
};

/** Whether a text still grows: it is the last item of a turn that runs. */
export function isStreaming(model: ChatModel, item: ChatItem): boolean {
  return model.turn.state !== 'idle' && item.id === model.items.length - 1;
}
