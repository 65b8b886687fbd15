/**
 * The client of `qwen serve` for a host: an entry of its own, because hosts know nothing of `packages/daemon`, and what
 * needs no daemon does not load it.
 */

export {
  type ChatAnswer,
  type ChatChange,
  type ContentBlock,
  DaemonChat,
  DaemonError,
  type StartedDaemon,
  startDaemon,
  validateDaemonBaseUrl,
} from '@tandem/daemon';
export { type ChatModel, type ChatPatch, emptyChat } from '@tandem/daemon/chat';
