// The editor, which knows nothing of Tandem: a list of open files, the latest focus first. It edits nothing.
import { readFileSync, statSync } from 'node:fs';

let files = [];
let active;

export const print = (text) => console.log(text);
export const isOpen = (path) => files.some((file) => file.path === path);
export const reset = () => {
  files = [];
  active = undefined;
};

/** The open files, as the protocol has them. */
export const context = () => ({ openFiles: files, activePath: active });

/** Opens a file, selects a range of it, and gives it the focus. */
export function open(path, range, takesFocus = true) {
  const found = statSync(path, { throwIfNoEntry: false });
  const code = found ? 'not-a-file' : 'not-found';
  if (!found?.isFile()) throw Object.assign(new Error(`${path} is not a file.`), { code });
  const known = files.find((file) => file.path === path);
  const file = { path, ...known, ...(range && { selection: select(readFileSync(path, 'utf8'), range) }) };
  const others = files.filter((each) => each !== known);
  files = takesFocus ? [{ ...file, lastFocusedAt: Date.now() }, ...others] : [...others, file];
  if (takesFocus) active = path;
}

/** Closes a file. Returns whether it was open. */
export function close(path) {
  const wasOpen = isOpen(path);
  files = files.filter((file) => file.path !== path);
  if (active === path) active = files[0]?.path;
  return wasOpen;
}

/** The selected text, with the range clamped to the text. */
function select(text, { start, end }) {
  const lines = text.split('\n');
  const clamp = ({ line, character }) =>
    line < lines.length
      ? { line, character: Math.min(character, lines[line].length) }
      : { line: lines.length - 1, character: lines.at(-1).length };
  const offset = ({ line, character }) => lines.slice(0, line).join('\n').length + (line && 1) + character;
  const range = { start: clamp(start), end: clamp(end) };
  return { range, text: text.slice(offset(range.start), offset(range.end)) };
}
