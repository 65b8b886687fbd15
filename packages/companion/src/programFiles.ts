import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import type { Machine } from '@tandem/agents';
import type { Path } from '@tandem/core';
import { onDisk } from './diskGate.js';

/** What installs the `tandem` command. */
export const installCommand = 'npm install --global tandem-cli';

/** The file of a program on the PATH of this machine, otherwise in one of these folders. It is not run. Never rejects. */
export async function findProgramFile(
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
