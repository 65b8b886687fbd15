/**
 * What an editor is, and what agents may see of it.
 *
 * @module @tandem/core
 */

export { awakeTimeout, type Clock, systemClock } from './clock.js';
export { cmdLine, type ProgramCall, programCall } from './cmdLine.js';
export { ContextFeed, contextDebounceMs, contextMaxDelayMs } from './context/contextFeed.js';
export {
  type EditorContext,
  maxSharedSelectionBytes,
  type OpenFile,
  type Selection,
} from './context/editorContext.js';
export { SharedContext, type SharedContextOptions } from './context/sharedContext.js';
export { type Disposable, DisposableStore, toDisposable } from './disposable.js';
export {
  type ContextSource,
  type Diagnostic,
  type Diagnostics,
  DocumentError,
  type DocumentState,
  type Documents,
  type EditorInfo,
  type FileDiagnostics,
  type SavedDocument,
  type Workspace,
} from './editor.js';
export { type Elapsed, elapsed } from './elapsed.js';
export { Emitter, type Event } from './event.js';
export {
  describeError,
  describeFailure,
  errorCode,
  type LogFields,
  type Logger,
  logListenerError,
  messageOf,
  silentLogger,
} from './logger.js';
export {
  isWithin,
  joinPath,
  labelIn,
  looksRemote,
  normalPath,
  parentPath,
  partsBelow,
  pathParts,
} from './paths.js';
export { isEmptyRange, type Path, type Position, type Range } from './position.js';
export { defaultDenyList } from './sharing/denyList.js';
export { FileCache, type PolicyFiles } from './sharing/fileCache.js';
export { type AgentIgnoreFile, IgnoreFiles } from './sharing/ignoreFiles.js';
export {
  type AgentIdentity,
  SharingPolicy,
  type SharingPolicyOptions,
  type SharingVerdict,
} from './sharing/sharingPolicy.js';
export { isInGitFolder, SpecialFileNames, type SpecialFiles } from './sharing/specialFiles.js';
export { isSocketPath } from './socketPath.js';
export { TouchDelay } from './touchDelay.js';
export { shorten, truncateToBytes } from './truncate.js';
export { Turns } from './turns.js';
export { shownTitle, visibleJson, visibleLines, visibleName, visibleText } from './visibleName.js';
export { TimeoutError, withTimeout } from './withTimeout.js';
