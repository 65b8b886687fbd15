/** Reads a file whose path or content others control. A separate entry, because short commands read files too. */

export { projectPrograms } from '../doctor/programs.js';
export { type BoundedFile, type ReadLimits, readBoundedFile, readFileHead } from './boundedFile.js';
export { isDiskFree, onDisk } from './diskGate.js';
export { decodeText, type EncodedText, encodeText, expectContent } from './encodedText.js';
export { encodingNotes } from './encodingNotes.js';
export { pausing } from './pausing.js';
export { RefusedFileError } from './refusedFileError.js';
export { readIfPossible, WorkspaceFiles } from './workspaceFiles.js';
export { canWrite, isWriteProtected } from './writeProtection.js';
