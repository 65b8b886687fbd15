/**
 * The client of `qwen serve` for hosts. A separate entry, because hosts do not import `packages/chat`, and code that
 * needs no daemon must not load it.
 */

export type { ChatAnswer, ChatAsk, ContentBlock } from '@tandem/chat';
export {
  type ChatModel,
  type ChatOption,
  type ChatPatch,
  type ChatPermission,
  type ChatQuestion,
  type ChatQuestions,
  isWholeChange,
  permissionDetails,
  questionOptions,
} from '@tandem/chat/model';
export { DaemonError, validateDaemonBaseUrl } from '@tandem/chat/setup';
export { chatCalls, type PromptFiles, promptBlocks } from './chatCalls.js';
export { CompanionChat } from './companionChat.js';
