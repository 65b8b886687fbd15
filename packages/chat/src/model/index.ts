/** The chat's types and its patches, for a panel in a browser or in Node.js. */
export type * from './chatModel.js';
export { emptyChat, isStreaming } from './chatModel.js';
export { applyChatPatches, type ChatParts, type ChatPatch } from './chatPatch.js';
export { questionOptions } from './chatRequest.js';
export { questionTool } from './judgeRequest.js';
export {
  isWholeChange,
  type PermissionDetails,
  type PermissionField,
  permissionDetails,
} from './permissionDetails.js';
export { chatModel, chatPatches } from './schemas.js';
