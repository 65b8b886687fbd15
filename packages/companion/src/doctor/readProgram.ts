import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import type { Path } from '@tandem/core';
import type { Machine } from '@tandem/protocols';
import type { ProgramFacts } from './doctorFacts.js';

/** A CLI of JavaScript takes a second or two to say its version, on a slow machine more. */
const versionLimitMs = 10_000;

/** A program on the PATH of this machine, with what it answers to `--version`. Never rejects. */
export async function readProgram(program: string, machine: Machine): Promise<ProgramFacts | undefined> {
  const { env, platform } = machine;
  const names = platform === 'win32' ? [`${program}.exe`, `${program}.cmd`] : [program];
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => folder !== '');
  const path = folders.flatMap((folder) => names.map((name) => resolve(folder, name))).find(isExecutable);
  if (path === undefined) return undefined;
  // What npm installs on Windows is a script that only a shell starts.
  return { path, version: path.endsWith('.cmd') ? undefined : await askVersion(path, machine) };
}

function askVersion(path: Path, { env, home }: Machine): Promise<string | undefined> {
  return new Promise((done) => {
    // Not in the folder of the companion: the program would read settings there.
    const cwd = dirname(path);
    const options = { env: { ...env, HOME: home }, cwd, timeout: versionLimitMs, windowsHide: true };
    const child = execFile(path, ['--version'], options, (error, stdout) =>
      done(error ? undefined : /\d+\.\d+\.\d+[\w.-]*/.exec(stdout)?.[0]),
    );
    child.stdin?.end();
  });
}

function isExecutable(path: Path): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
