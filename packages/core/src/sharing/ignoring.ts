/** The parts of the ignore engine, for code that reads ignore files itself and without waiting. */

export { DenyList } from './denyList.js';
export { type NameText, readName } from './glob.js';
export { IgnoreChain } from './ignoreChain.js';
export { IgnorePatterns } from './ignorePatterns.js';
