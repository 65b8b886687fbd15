/** How code is compared and coloured, in the page and in the chat. */

export { codeHighlighter } from './codeHighlighter.js';
export { diffByLines, diffRows } from './lineDiff.js';
