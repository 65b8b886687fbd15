import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const packageFolder = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles the writer with a script, which sees `write` and `openOwnFolder`, into a folder. Resolves to the script's path. */
export async function bundleWriter(folder: string, script: string): Promise<string> {
  const outfile = join(folder, 'writer.mjs');
  await build({
    stdin: {
      contents: `
        import fs from 'node:fs';
        import { openOwnFolder } from '@tandem/mcp';
        import { writeUserFile } from './src/files/userFile/writeUserFile.ts';
        const [file] = process.argv.slice(2);
        const write = (text, path = file) => writeUserFile(path, text, { isExpected: () => true });
        ${script}`,
      resolveDir: packageFolder,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@tandem/source'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    outfile,
    logLevel: 'silent',
  });
  return outfile;
}

/** Runs a shell command with arguments, and returns what it printed as JSON. Throws if it failed. */
export async function runJson(command: readonly string[], env: NodeJS.ProcessEnv): Promise<unknown> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${err}`);
  return JSON.parse(out);
}

/**
 * The command that runs another one with a real disk of one megabyte at `folder`, which only it sees. Throws where no such disk can
 * be had: a test that needs it fails then, because it would prove nothing.
 */
export function onSmallDisk(folder: string, command: readonly string[]): string[] {
  const mounting = 'mount -t tmpfs -o size=1m tmpfs "$1" && shift && exec "$@"';
  for (const namespace of ['-m', '-rm']) {
    const start = ['unshare', namespace, 'sh', '-c', mounting, 'sh', folder];
    const [program = '', ...args] = [...start, 'true'];
    if (spawnSync(program, args).status === 0) return [...start, ...command];
  }
  throw new Error(
    'This test needs a small disk: run it on Linux as root, or as a user who may create user namespaces (unshare -rm).',
  );
}

/** Kills a process with SIGKILL some milliseconds after its first output. */
export async function killSoon(child: ChildProcess, ms: number): Promise<void> {
  const ended = once(child, 'close');
  if (child.stdout === null) throw new Error('The output of the process is not read.');
  await once(child.stdout, 'data');
  await new Promise((resolve) => setTimeout(resolve, ms));
  child.kill('SIGKILL');
  await ended;
}
