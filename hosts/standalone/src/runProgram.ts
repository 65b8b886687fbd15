import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { projectPrograms } from '@tandem/companion/files';
import { type Path, programCall } from '@tandem/core';
import { codeOfSignal } from './processEnd.js';

/** Where programs are looked for. */
export interface ProgramSearch {
  readonly cwd: Path;
  readonly path: string;
  readonly platform: NodeJS.Platform;
  /** The id of this user; undefined where files have no owner. */
  readonly user?: number | undefined;
}

const ourSearch = (): ProgramSearch => ({
  cwd: process.cwd(),
  path: process.env.PATH ?? '',
  platform: process.platform,
  user: process.getuid?.(),
});

/**
 * How to call a program: its name if it is on the PATH, otherwise its file in the `node_modules/.bin` of the project around
 * the folder; undefined if it is in neither. On Windows, only an attempt shows what is on the PATH.
 */
export function findProgram(program: string, search: ProgramSearch = ourSearch()): string | undefined {
  const { cwd, path, platform, user } = search;
  const isOnPath = path.split(delimiter).some((folder) => isExecutable(join(folder || '.', program)));
  if (isOnPath) return program;
  const name = platform === 'win32' ? `${program}.cmd` : program;
  const installed = projectPrograms(cwd, user).map((folder) => join(folder, name));
  return installed.find(isExecutable) ?? (platform === 'win32' ? program : undefined);
}

/**
 * Runs a program on our terminal, with additional variables. Resolves to its exit code; rejects if it cannot be started.
 * Ctrl+C reaches the program from the terminal; signals sent to us are passed on.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const { command, args: words, shell } = programCall(program, args, process.platform);
    const child = spawn(command, words, { stdio: 'inherit', env: { ...process.env, ...env }, shell });
    const ignore = (): void => {};
    const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
    process.on('SIGINT', ignore).on('SIGTERM', pass).on('SIGHUP', pass);
    const settle = (): void => void process.off('SIGINT', ignore).off('SIGTERM', pass).off('SIGHUP', pass);
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      settle();
      resolve(code ?? (signal === null ? 1 : codeOfSignal(signal)));
    });
  });
}

/** Whether a path is a program that this user can run. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
