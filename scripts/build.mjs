/**
 * `npm run build`: bundles the `tandem` command, its page and the VS Code extension, and emits every package's `dist`.
 * With `--command-only`, only the command and, if it is missing or out of date, the page; `npm ci` uses that.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { formatMessagesSync } from 'esbuild';
import { buildCommand, hasCommandSource } from './buildCommand.mjs';
import { buildExtension, hasExtensionSource } from './buildExtension.mjs';
import { buildPage, hasPageSource, isPageFresh } from './buildPage.mjs';

const isCommandOnly = process.argv.includes('--command-only');
const root = fileURLToPath(new URL('..', import.meta.url));

if (hasCommandSource()) {
  const { milliseconds, entryBytes, chunks } = await reported(buildCommand);
  console.log(`tandem: ${Math.round(entryBytes / 1024)} KiB and ${chunks} chunks in ${milliseconds} ms`);
} else {
  console.log('tandem: nothing to bundle: hosts/standalone/src/main.ts does not exist.');
}

if (hasPageSource() && !(isCommandOnly && isPageFresh())) {
  const { milliseconds, files } = await reported(buildPage);
  console.log(`page: ${files} files in ${milliseconds} ms`);
}

if (!isCommandOnly && hasExtensionSource()) {
  const { milliseconds, bytes } = await reported(buildExtension);
  console.log(`vscode: ${Math.round(bytes / 1024)} KiB in ${milliseconds} ms`);
}

if (!isCommandOnly) {
  const compiler = fileURLToPath(new URL('../node_modules/typescript-native/bin/tsc', import.meta.url));
  const { status } = spawnSync(process.execPath, [compiler, '-b'], { cwd: root, stdio: 'inherit' });
  process.exit(status ?? 1);
}

/** Runs a build. A compile error is printed and ends this process. */
async function reported(build) {
  try {
    return await build();
  } catch (error) {
    if (!(error instanceof Error && 'errors' in error)) throw error;
    console.error(
      formatMessagesSync(error.errors, { kind: 'error', color: process.stderr.isTTY }).join('\n'),
    );
    process.exit(1);
  }
}
