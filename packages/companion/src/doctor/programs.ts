import { execFile } from 'node:child_process';
import { constants, statSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Machine } from '@tandem/agents';
import type { Path } from '@tandem/core';
import { onDisk } from '../files/diskGate.js';
import type { ProgramFacts } from './doctorFacts.js';

/** What installs the `tandem` command. */
export const installCommand = 'npm install --global tandem-cli';

/** The file of a program on the PATH of this machine, otherwise in one of these folders. It is not run. Never rejects. */
async function findProgramFile(
  program: string,
  { env, platform }: Pick<Machine, 'env' | 'platform'>,
  folders: readonly Path[] = [],
): Promise<Path | undefined> {
  const names = platform === 'win32' ? [`${program}.exe`, `${program}.cmd`] : [program];
  const onPath = (env.PATH ?? env.Path ?? '').split(delimiter).filter((each) => each !== '');
  for (const folder of [...onPath, ...folders]) {
    for (const name of names) {
      const path = resolve(folder, name);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

/** How the user of this machine runs the `tandem` command; undefined if it is not on the PATH. */
export async function commandOnPath(machine: Pick<Machine, 'env' | 'platform'>): Promise<string | undefined> {
  return (await findProgramFile('tandem', machine)) && 'tandem';
}

async function isExecutable(path: Path): Promise<boolean> {
  try {
    await onDisk(path, () => access(path, constants.X_OK));
    return (await onDisk(path, () => stat(path))).isFile();
  } catch {
    return false;
  }
}

/**
 * The folders with the programs of the projects around a folder, the nearest first. Stops at the first folder that
 * belongs to another user, because its programs may be theirs. `user`: the id of this user; undefined where files have no
 * owner.
 */
export function projectPrograms(folder: Path, user = process.getuid?.()): Path[] {
  const isOwn = user === undefined || statSync(folder, { throwIfNoEntry: false })?.uid === user;
  if (!isOwn) return [];
  const parent = dirname(folder);
  const here = join(folder, 'node_modules', '.bin');
  return [here, ...(parent === folder ? [] : projectPrograms(parent, user))];
}

/** A JavaScript CLI takes a second or two to report its version, and more on a slow machine. */
const versionLimitMs = 10_000;

/**
 * A program on the PATH of this machine, or in the projects around a folder, with its answer to `--version`. Never
 * rejects.
 */
export async function readProgram(
  program: string,
  machine: Machine,
  folder?: Path,
): Promise<ProgramFacts | undefined> {
  const path = await findProgramFile(program, machine, folder === undefined ? [] : projectPrograms(folder));
  if (path === undefined) return undefined;
  // On Windows, npm installs a script that only a shell can start.
  return { path, version: path.endsWith('.cmd') ? undefined : await askVersion(path, machine) };
}

function askVersion(path: Path, { env, home }: Machine): Promise<string | undefined> {
  return new Promise((done) => {
    // Not in the workspace: the program may read the settings there before it reports its version.
    const options = { env: { ...env, HOME: home }, cwd: home, timeout: versionLimitMs, windowsHide: true };
    const child = execFile(path, ['--version'], options, (error, stdout) =>
      done(error ? undefined : /\d+\.\d+\.\d+[\w.-]*/.exec(stdout)?.[0]),
    );
    child.stdin?.end();
  });
}
