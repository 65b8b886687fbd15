import { execFile } from 'node:child_process';
import type { Machine } from '@tandem/agents';
import type { Path } from '@tandem/core';
import { findProgramFile } from '../programFiles.js';
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
