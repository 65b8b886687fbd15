/**
 * `npm run build`: bundles the `tandem` command and its page, and emits every package's `dist`.
 * With `--command-only` just the bundle and, if it is not there or older than its source, the page: `npm ci` does that.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { formatMessagesSync } from 'esbuild';
import { buildCommand, hasCommandSource } from './buildCommand.mjs';
import { buildPage, hasPageSource, isPageFresh } from './buildPage.mjs';

const isCommandOnly = process.argv.includes('--command-only');
const root = fileURLToPath(new URL('..', import.meta.url));

if (hasCommandSource()) {
  try {
    const { milliseconds, entryBytes, chunks } = await buildCommand();
    console.log(`tandem: ${Math.round(entryBytes / 1024)} KiB and ${chunks} chunks in ${milliseconds} ms`);
  } catch (error) {
    if (!(error instanceof Error && 'errors' in error)) throw error;
    console.error(
      formatMessagesSync(error.errors, { kind: 'error', color: process.stderr.isTTY }).join('\n'),
    );
    process.exit(1);
  }
} else {
  console.log('tandem: nothing to bundle, hosts/standalone/src/main.ts is not there.');
}

if (hasPageSource() && !(isCommandOnly && isPageFresh())) {
  try {
    const { milliseconds, files } = await buildPage();
    console.log(`page: ${files} files in ${milliseconds} ms`);
  } catch (error) {
    console.error(`The page could not be built: ${error instanceof Error ? error.message : error}`);
    process.exit(1);
  }
}

if (!isCommandOnly) {
  const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
  const { status } = spawnSync(process.execPath, [compiler, '-b'], { cwd: root, stdio: 'inherit' });
  process.exit(status ?? 1);
}
