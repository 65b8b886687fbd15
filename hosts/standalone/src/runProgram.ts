import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { programCall } from '@tandem/core';
import { codeOfSignal } from './processEnd.js';

/** Whether a program is on the path. On Windows always true: only an attempt shows it. */
export function isInstalled(
  program: string,
  path = process.env.PATH ?? '',
  platform = process.platform,
): boolean {
  if (platform === 'win32') return true;
  return path.split(delimiter).some((folder) => isExecutable(join(folder || '.', program)));
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

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
