/** How a file is read whose path or content others control: an entry of its own, because short commands read files too. */
export { type BoundedFile, type ReadLimits, readBoundedFile, readFileHead } from './boundedFile.js';
export { isDiskFree, onDisk } from './diskGate.js';
export { RefusedFileError } from './refusedFileError.js';
