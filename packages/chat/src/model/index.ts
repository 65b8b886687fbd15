/** What a panel needs, in a browser as in Node: the chat's types and how its patches are applied. */
export {
  type ChatAssistantMessage,
  type ChatChoice,
  type ChatChoices,
  type ChatCommand,
  type ChatConnection,
  type ChatDecision,
  type ChatError,
  type ChatImage,
  type ChatItem,
  type ChatLocation,
  type ChatModel,
  type ChatNotice,
  type ChatOption,
  type ChatPermission,
  type ChatPlanEntry,
  type ChatProblem,
  type ChatQuestion,
  type ChatQuestions,
  type ChatQueuedPrompt,
  type ChatRefusal,
  type ChatRequest,
  type ChatSessionInfo,
  type ChatThought,
  type ChatToolCard,
  type ChatToolContent,
  type ChatTurn,
  type ChatUsage,
  type ChatUserMessage,
  type DaemonProblemKind,
  emptyChat,
  isStreaming,
} from './chatModel.js';
export { applyChatPatches, type ChatParts, type ChatPatch } from './chatPatch.js';
export { questionTool } from './judgeRequest.js';
export {
  isWholeChange,
  type PermissionDetails,
  type PermissionField,
  permissionDetails,
} from './permissionDetails.js';
export { questionOptions } from './questionOptions.js';
