/**
 * What a chat panel shows, reduced from the daemon's events. It is plain JSON: a panel receives it whole, then as
 * `ChatPatch`es. Nothing in it is mutated; unchanged parts stay the same objects.
 */
export interface ChatModel {
  readonly connection: ChatConnection;
  /** Absent before the first session is open. */
  readonly session?: ChatSessionInfo;
  readonly turn: ChatTurn;
  /** An item's `id` is its index. Items never move; a rewind removes the last ones. */
  readonly items: readonly ChatItem[];
  /** Unanswered permissions and questions, oldest first. */
  readonly pending: readonly ChatRequest[];
  /** The agent's latest plan; empty when it has none. */
  readonly plan: readonly ChatPlanEntry[];
  readonly usage: ChatUsage;
  readonly models: ChatChoices;
  /** Approval modes: what the agent may do without asking. */
  readonly modes: ChatChoices;
  /** The daemon's slash commands; names have no slash. */
  readonly commands: readonly ChatCommand[];
  /** The next prompt that the daemon suggests. */
  readonly suggestion?: string;
}

export interface ChatConnection {
  readonly state: 'disconnected' | 'connecting' | 'connected' | 'reconnecting';
  /** Absent before the first connection and after a deliberate disconnect. */
  readonly problem?: ChatProblem;
}

/** A failure, for the user. Contains no token and no file content. */
export interface ChatProblem {
  readonly kind: DaemonProblemKind;
  /** What failed, with what, and what to do. */
  readonly message: string;
}

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
  /** `stopping`: the user has cancelled, and the daemon has not ended the turn yet. */
  readonly state: 'idle' | 'running' | 'stopping';
  readonly promptId?: string;
  /** Prompts of any client that are sent after the running one, oldest first. */
  readonly queued: readonly ChatQueuedPrompt[];
}

export interface ChatQueuedPrompt {
  readonly promptId: string;
  readonly text: string;
}

interface ChatItemBase {
  readonly id: number;
  readonly promptId?: string;
  /** The tool call of the sub-agent that the item belongs to. */
  readonly parentToolCallId?: string;
  /** Unix time in milliseconds by the daemon's clock. */
  readonly at?: number;
}

export interface ChatUserMessage extends ChatItemBase {
  readonly kind: 'user';
  readonly text: string;
  readonly images: readonly ChatImage[];
}

/** Markdown from the model. */
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
  /** ACP's tool kind: `edit`, `execute`, `read`, `search`, `fetch`, `think`, `other` … */
  readonly toolKind: string;
  readonly title: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed';
  readonly content: readonly ChatToolContent[];
  readonly locations: readonly ChatLocation[];
  /** The tool's arguments. */
  readonly input?: unknown;
  /** The pending request of this tool call. */
  readonly requestId?: string;
  /** Why the request was refused without asking the user, as a clause. */
  readonly refusal?: string;
  /** How the tool's request ended. */
  readonly decision?: ChatDecision;
}

/** The daemon or the model failed. `isRetryable`: the same prompt can be sent again. */
export interface ChatError extends ChatItemBase {
  readonly kind: 'error';
  readonly text: string;
  readonly code?: string;
  readonly isRetryable: boolean;
}

/** A change of the session that is neither a message nor an error. */
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
  /** Another client or the daemon itself answered. */
  readonly isElsewhere: boolean;
}

export type ChatRequest = ChatPermission | ChatQuestions | ChatRefusal;

interface ChatRequestBase {
  readonly requestId: string;
  readonly toolCallId: string;
  /** Written by the agent. A view must not present it as what would be executed. */
  readonly title: string;
  readonly options: readonly ChatOption[];
  /** An answer was sent, and the daemon has not confirmed it. */
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

/** At least one question. An answer executes nothing. */
export interface ChatQuestions extends ChatRequestBase {
  readonly kind: 'questions';
  readonly questions: readonly ChatQuestion[];
}

/** Neither a permission nor a question, so it is rejected automatically. Pending until the daemon confirms. */
export interface ChatRefusal extends ChatRequestBase {
  readonly kind: 'refused';
  /** Why, as a clause: "it asks nothing". */
  readonly reason: string;
}

export interface ChatOption {
  readonly optionId: string;
  readonly name: string;
  readonly isAllow: boolean;
  /** `project` is written to `.qwen/settings.json` of the workspace, `user` to that of the home folder. */
  readonly scope: 'once' | 'session' | 'project' | 'user';
}

export interface ChatQuestion {
  /** The key of the answer. */
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

/** Tokens of this session that this client has seen. */
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
  /** Of a model: whether the daemon sends it images. Absent if the daemon does not report it. */
  readonly takesImages?: boolean;
}

export interface ChatCommand {
  readonly name: string;
  readonly description: string;
  /** The arguments, as the daemon describes them. Absent if the command takes none. */
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

/** Whether an item may still grow: it is the last one of a running turn. */
export function isStreaming(model: ChatModel, item: ChatItem): boolean {
  return model.turn.state !== 'idle' && item.id === model.items.length - 1;
}
