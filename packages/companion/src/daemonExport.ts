/**
 * The client of `qwen serve` for a host: an entry of its own, because hosts know nothing of `packages/daemon`, and what
 * needs no daemon does not load it.
 */

export {
  type ChatAnswer,
  type ChatChange,
  type ChatSessionSummary,
  type ContentBlock,
  DaemonChat,
  DaemonError,
  validateDaemonBaseUrl,
} from '@tandem/daemon';
export type { ChatModel, ChatPatch } from '@tandem/daemon/chat';
