import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { codeOfSignal } from './signals.js';

/** Whether a program can be found on the path. On Windows nobody knows before it is tried. */
export function isInstalled(program: string, path = process.env.PATH ?? ''): boolean {
  if (process.platform === 'win32') return true;
  return path.split(delimiter).some((folder) => isExecutable(join(folder || '.', program)));
}

/**
 * Runs a program on our own terminal, with more variables than we have. Resolves to its exit code; rejects when
 * it cannot be started. The terminal sends Ctrl+C to both of us; it is the program's to act on it. What is sent to
 * us alone is passed on.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: 'inherit',
      env: { ...process.env, ...env },
      // npm's programs are scripts on Windows, which only a shell starts.
      shell: process.platform === 'win32',
    });
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
