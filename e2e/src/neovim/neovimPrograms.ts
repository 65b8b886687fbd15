import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseJson, pickText } from '../json.js';

const script = fileURLToPath(new URL('../../../scripts/neovimInstall.mjs', import.meta.url));

/** The plugin's folder. */
export const neovimPlugin = fileURLToPath(new URL('../../../editors/neovim', import.meta.url));

let path: string | undefined;

/** The path of Neovim, which is downloaded if it is missing. Throws an error that says what to do if that fails. */
export function neovimPath(): string {
  path ??= find();
  return path;
}

function find(): string {
  const output = execFileSync(process.execPath, [script], { encoding: 'utf8' });
  const lastLine = output.trimEnd().split('\n').at(-1) ?? '';
  return pickText(parseJson(lastLine), 'nvim');
}
