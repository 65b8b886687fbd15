import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { neovimPath, neovimPlugin } from '../../src/neovim/neovimPrograms.js';
import { Sandbox } from '../../src/sandbox.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);
/** A user without any rights, if the tests run as root. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

let sandbox: Sandbox;
/** The folder of what was packed. */
let packed: string;
/** Where the command was installed from its tarball: a read-only path with spaces. */
let prefix: string;

/** Packs a copy of the checkout in a folder of its own. Resolves to the folder of the results. */
async function pack(name: string): Promise<string> {
  const copy = join(sandbox.root, name, 'checkout');
  const { copyCheckout } = await import(`${root}scripts/copyCheckout.mjs`);
  copyCheckout(copy, { withModules: true });
  const out = join(sandbox.root, name, 'release');
  await run(process.execPath, [join(copy, 'scripts/packPackages.mjs'), out], { cwd: copy });
  return out;
}

const tarball = (name: string): string => join(packed, `${name}-${version}.tgz`);
let version = '';

async function npm(args: readonly string[], cwd: string): Promise<void> {
  // The cache of the user, which `npm ci` has filled, spares the downloads.
  await run('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline'], { cwd });
}

beforeAll(async () => {
  sandbox = await Sandbox.create();
  await chmod(sandbox.root, 0o755);
  await giveAway(sandbox.home, sandbox.temporary, sandbox.state);
  packed = await pack('one place');
  version = JSON.parse(await readFile(`${root}hosts/standalone/package.json`, 'utf8')).version;
  prefix = await sandbox.folder('an empty prefix');
  await npm(['install', '--global', '--prefix', prefix, tarball('tandem-cli')], sandbox.root);
  await run('chmod', ['-R', 'a-w,a+rX', prefix]);
}, 300_000);

afterAll(async () => {
  await run('chmod', ['-R', 'u+w', prefix]);
  await sandbox.dispose();
});

const command = (): string => join(prefix, 'bin/tandem');

async function hashes(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => {
      const hash = createHash('sha256').update(await readFile(join(folder, name)));
      return `${hash.digest('hex')}  ${name}`;
    }),
  );
}

/** Makes folders belong to the user without rights. */
async function giveAway(...folders: readonly string[]): Promise<void> {
  if (unprivileged.uid !== undefined)
    await run('chown', ['-R', `${unprivileged.uid}:${unprivileged.gid}`, ...folders]);
}

async function workFolder(name: string): Promise<string> {
  const folder = await sandbox.folder(name);
  await giveAway(folder);
  return folder;
}

/** Runs a program in the sandbox, as a user without rights. Resolves to its output. */
async function runAsUser(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await run(program, args, { cwd, env: sandbox.environment(), ...unprivileged });
  return stdout;
}

/** Starts a program like `runAsUser`, and ends it with the test. */
function start(program: string, args: readonly string[], cwd: string): ChildProcess {
  const child = spawn(program, args, { cwd, env: sandbox.environment(), ...unprivileged });
  onTestFinished(async () => {
    const ended = child.exitCode ?? new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
  });
  return child;
}

/** Resolves with the first line that matches. Rejects with all lines if the output ends before. */
function lineOf({ stdout, stderr }: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    if (stdout === null || stderr === null) throw new Error('It has no output.');
    const lines: string[] = [];
    createInterface({ input: stderr }).on('line', (line) => lines.push(line));
    createInterface({ input: stdout })
      .on('line', (line) => {
        lines.push(line);
        if (pattern.test(line)) resolve(line);
      })
      .once('close', () => reject(new Error(`No line matches ${pattern}:\n${lines.join('\n')}`)));
  });
}

const tandem = (args: readonly string[], cwd: string): Promise<string> => runAsUser(command(), args, cwd);

describe('the packages', () => {
  it('are the same bytes from the same sources, whatever their folder', exhaustive, async () => {
    expect(await hashes(packed)).toEqual(await hashes(await pack('in another place')));
    expect(await readdir(packed)).toHaveLength(6);
  });

  it.each(['tandem-cli', 'tandem-core', 'tandem-reviews', 'tandem-testing', 'tandem-companion'])(
    'say in %s who made them and what they need',
    async (name) => {
      const { stdout } = await run('tar', ['xzOf', tarball(name), 'package/package.json']);
      const manifest = JSON.parse(stdout);
      expect(manifest).toMatchObject({
        license: 'Apache-2.0',
        engines: { node: '>=20.19' },
        repository: { type: 'git', directory: expect.any(String) },
      });
      expect(manifest).not.toHaveProperty('devDependencies');
      expect(manifest).not.toHaveProperty('private');
      const { stdout: files } = await run('tar', ['tzf', tarball(name)]);
      expect(files.split('\n')).toEqual(expect.arrayContaining(['package/README.md', 'package/LICENSE']));
      expect(files).not.toMatch(/\.map$|tsbuildinfo|\.tsx?$(?<!\.d\.ts)/m);
    },
  );

  it('name the licence of everything in a bundle', async () => {
    const { stdout } = await run('tar', ['xzOf', tarball('tandem-cli'), 'package/THIRD-PARTY-NOTICES.txt']);
    for (const name of ['react-dom', 'ws', 'zod', 'commander', '@codemirror/view']) {
      expect(stdout).toMatch(new RegExp(`^${name} [\\d.]+ \\(MIT\\)$`, 'm'));
    }
  });
});

describe('the installed command', () => {
  it('has no dependencies and is small', async () => {
    const folder = join(prefix, 'lib/node_modules');
    expect(await readdir(folder)).toEqual(['tandem-cli']);
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      files
        .filter((each) => each.isFile())
        .map(async (each) => (await stat(join(each.parentPath, each.name))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(12_000_000);
  });

  it('prints its version, its completion and a diagnosis', async () => {
    const folder = await sandbox.folder('home');
    expect(await tandem(['--version'], folder)).toBe(`${version}\n`);
    expect(await tandem(['completion', 'bash'], folder)).toContain('complete');
    const failed = await tandem(['doctor', '--json'], folder).catch(({ stdout }) => stdout);
    expect(JSON.parse(failed)).toMatchObject({ folder });
  });

  it('serves a folder, and answers other commands there', async () => {
    const folder = await workFolder('my project');
    const child = start(command(), ['serve', '--no-open', '--json'], folder);
    await lineOf(child, /"event":"ready"/);
    expect(JSON.parse(await tandem(['status', '--json'], folder))).toMatchObject([{ version }]);
    const address = await tandem(['page', '--json'], folder);
    const page = await fetch(JSON.parse(address).url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<script type="module"');
  });

  it('runs an agent that the folder has installed', async () => {
    const folder = await workFolder('with an agent');
    const agent =
      '#!/usr/bin/env node\nconsole.log(process.env.GEMINI_CLI_IDE_SERVER_PORT > 0 ? "connected" : "alone");\n';
    await sandbox.write('with an agent/node_modules/.bin/gemini', agent, 0o755);
    await giveAway(folder);
    const child = start(command(), ['run', 'gemini'], folder);
    await lineOf(child, /^connected$/);
  });

  it('plays its demo', async () => {
    const child = start(command(), ['demo'], await workFolder('anywhere'));
    await lineOf(child, /http:\/\/127\.0\.0\.1:\d+/);
  });
});

describe('the libraries', () => {
  let examples: string;

  beforeAll(async () => {
    examples = await sandbox.folder('examples');
    await cp(`${root}examples`, examples, { recursive: true });
    const libraries = ['core', 'reviews', 'testing', 'companion'].map((name) => tarball(`tandem-${name}`));
    await Promise.all([
      npm(['install', ...libraries], join(examples, 'minimal-editor')),
      npm(['install', tarball('tandem-cli')], join(examples, 'minimal-agent-client')),
      npm(['install', tarball('tandem-cli')], join(examples, 'editor-plugin')),
    ]);
    await symlink(join(examples, 'editor-plugin/node_modules/.bin/tandem'), join(sandbox.bin, 'tandem'));
    await giveAway(sandbox.bin);
  }, 180_000);

  it('hold an editor in under 100 lines that passes the contract', async () => {
    const folder = join(examples, 'minimal-editor');
    const lines = (await readFile(join(folder, 'editor.mjs'), 'utf8')).split('\n').length;
    expect(lines).toBeLessThanOrEqual(100);
    const stdout = await runAsUser(process.execPath, ['--test'], folder);
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(30);
  });

  it('hold the schemas of the editor protocol, and check a plugin of 60 lines with the contract', async () => {
    const folder = join(examples, 'editor-plugin');
    const lines = (await readFile(join(folder, 'plugin.mjs'), 'utf8')).split('\n').length;
    expect(lines).toBeLessThanOrEqual(60);
    await cp(`${root}e2e/src/headersPeer.mjs`, join(folder, 'headersPeer.mjs'));
    const driver = [process.execPath, 'check.mjs'];
    // One message per line, and with headers.
    for (const words of [driver, [process.execPath, 'headersPeer.mjs', ...driver]]) {
      const stdout = await runAsUser(command(), ['editor', '--check', ...words], folder);
      expect(stdout).toMatch(/^(4\d) of \1 checks passed\.$/m);
    }
    const schema = await readFile(
      join(prefix, 'lib/node_modules/tandem-cli/editor-protocol.schema.json'),
      'utf8',
    );
    expect(JSON.parse(schema).fromEditor).toHaveProperty('initialize');
  });

  it('check a real Neovim with the contract', async () => {
    const neovim = [neovimPath(), '--headless', '--clean', '-u', `${neovimPlugin}/test/driver.lua`];
    const words = [process.execPath, `${root}e2e/src/editorPeer.mjs`, ...neovim];
    // Neovim is in the cache of the user who runs the tests.
    const env = sandbox.environment();
    const { stdout } = await run(command(), ['editor', '--check', ...words], { cwd: sandbox.root, env });
    expect(stdout).toMatch(/^(\d+) of \1 checks passed\.$/m);
  });

  it.each([
    { name: 'an editor in TypeScript', program: 'minimal-editor/editor.mjs', isReady: /port \d+/ },
    { name: 'a plugin', program: 'editor-plugin/main.mjs', isReady: /^Start an agent in / },
  ])('let an agent propose to $name, and write what the user accepts', async ({ program, isReady }) => {
    const folder = await workFolder(`work/${program}`);
    const editor = start(process.execPath, [join(examples, program), folder], folder);
    await lineOf(editor, isReady);
    const agent = start(
      process.execPath,
      [join(examples, 'minimal-agent-client/agent.mjs'), 'notes.txt', 'A new line'],
      folder,
    );
    const accepted = lineOf(agent, /^Accepted/);
    await lineOf(editor, /^(\+ )?A new line$/);
    editor.stdin?.write('accept\n');
    await accepted;
    expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('A new line\n');
  });

  it.each(['testing', 'companion'])('run the example in the README of %s', async (name) => {
    const readme = await readFile(`${root}packages/${name}/README.md`, 'utf8');
    const [, code = ''] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
    const file = join(examples, 'minimal-editor', `${name}.readme.mjs`);
    await writeFile(file, code);
    onTestFinished(() => rm(file));
    const stdout = await runAsUser(process.execPath, [file], sandbox.home);
    expect(stdout).toMatch(name === 'testing' ? /^# fail 0$/m : /^Agents connect to port \d+\.$/m);
  });

  it('have types that a strict project compiles with', async () => {
    const folder = join(examples, 'minimal-editor');
    await writeFile(
      join(folder, 'consumer.ts'),
      `import { type Companion, createCompanion } from '@tandem/companion';
import type { Editor, Review } from '@tandem/reviews';
import { runEditorContract } from '@tandem/testing';

export async function open(editor: Editor, onReview: (review: Review) => void): Promise<Companion> {
  const companion = await createCompanion({ editor, version: '1.0.0', agents: ['claude'] });
  companion.onEvent((event) => event.event === 'review.opened' && console.log(event.path, onReview));
  // @ts-expect-error: it is a function
  runEditorContract.call(1);
  return companion;
}
`,
    );
    const tsc = `${root}node_modules/typescript-native/bin/tsc`;
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    const types = ['--typeRoots', `${root}node_modules/@types`];
    await run(process.execPath, [tsc, ...options, ...types, '--skipLibCheck', 'false', 'consumer.ts'], {
      cwd: folder,
    });
  });
});
