/** Checks the format of the Lua code, and lints it if luacheck is installed. `--fix` formats it. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Config, formatCode, IndentType, OutputVerification, QuoteStyle } from '@johnnymorganz/stylua';
import { root } from './devTool.mjs';
import { neovimPrograms } from './neovimInstall.mjs';

const folder = join(root, 'editors/neovim');
const fixes = process.argv.includes('--fix');

let problems = 0;
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.lua'),
);
for (const name of files) {
  const path = join(folder, name);
  const code = readFileSync(path, 'utf8');
  const formatted = formatCode(code, newConfig(), undefined, OutputVerification.None);
  if (formatted === code) continue;
  if (fixes) writeFileSync(path, formatted);
  else fail(`${relative(root, path)} is not formatted (node scripts/checkLua.mjs --fix)`);
}

const { luacheck } = neovimPrograms();
if (luacheck !== undefined) {
  const { status } = spawnSync(luacheck, ['.', '--no-cache', '--quiet'], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) fail('luacheck found problems');
} else {
  console.log('The Lua code is not linted: luacheck is not installed (node scripts/neovimInstall.mjs)');
}
process.exitCode = problems === 0 ? 0 : 1;

/** Each call of `formatCode` uses one up. */
function newConfig() {
  const config = Config.new();
  config.indent_type = IndentType.Spaces;
  config.indent_width = 2;
  config.column_width = 110;
  config.quote_style = QuoteStyle.AutoPreferSingle;
  return config;
}

function fail(line) {
  problems += 1;
  console.error(line);
}
