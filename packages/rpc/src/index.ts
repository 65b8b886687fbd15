export type {
  ChangeSelection,
  FolderRecording,
  HunkChoice,
  KeptFile,
  RestoredFile,
  WaitingHunk,
} from './changesContract.js';
export type { ChatMention, ChatPrompt, ChatSession, ChatSetup, ChatStatus } from './chatContract.js';
export {
  type Caller,
  type Contract,
  createCaller,
  createDispatcher,
  type Dispatcher,
  type Handlers,
  internalError,
  type MethodOf,
  type Outgoing,
  type Params,
  type Result,
} from './contract.js';
export type { DeskContract, Feedback } from './deskContract.js';
export type { Answer, Question } from './question.js';
export { fileContent, reviewComment, sessionTurn } from './reviewText.js';
export {
  hasCode,
  type RpcAnswer,
  type RpcCode,
  RpcError,
  type RpcFailure,
  rpcFailure,
  rpcStatus,
  toFailure,
} from './rpcError.js';
export type {
  ReviewFacts,
  ReviewSummary,
  SessionSummary,
  SharingStatus,
} from './values.js';
