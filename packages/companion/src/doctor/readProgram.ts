import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import type { Machine } from '@tandem/agents';
import type { Path } from '@tandem/core';
import { onDisk } from '../diskGate.js';
import { projectPrograms } from '../projectPrograms.js';
import type { ProgramFacts } from './doctorFacts.js';

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
  const { env, platform } = machine;
  const names = platform === 'win32' ? [`${program}.exe`, `${program}.cmd`] : [program];
  const folders = [
    ...(env.PATH ?? env.Path ?? '').split(delimiter).filter((each) => each !== ''),
    ...(folder === undefined ? [] : projectPrograms(folder)),
  ];
  const path = await findFirst(folders.flatMap((each) => names.map((name) => resolve(each, name))));
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

async function findFirst(paths: readonly Path[]): Promise<Path | undefined> {
  for (const path of paths) if (await isExecutable(path)) return path;
  return undefined;
}

async function isExecutable(path: Path): Promise<boolean> {
  try {
    await onDisk(path, () => access(path, constants.X_OK));
    return (await onDisk(path, () => stat(path))).isFile();
  } catch {
    return false;
  }
}
