/**
 * What changed in a folder since the last look, and a private store of what its files contained.
 *
 * @module @tandem/changes
 */

export { AgentMarks, type Attribution, type Author, type ChangeTime } from './attribution/agentMarks.js';
export { type FileState, isSameState, type SeenChange, type UnreadReason } from './fileState.js';
export { createFolderScan, type FolderScan, type FolderScanOptions, type Look } from './scan/folderScan.js';
export type { ScanLimits } from './scan/scanner.js';
export type { ScanStatus } from './scan/workerCalls.js';
export type { StoreLimits } from './store/blobStore.js';
export { bytesOfStore, deleteUnusedStores } from './store/storeFolders.js';
