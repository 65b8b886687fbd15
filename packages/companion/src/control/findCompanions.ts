import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from '@tandem/agents';
import type { Path } from '@tandem/core';
import { readPrivateFile } from '@tandem/mcp';
import * as z from 'zod';
import { ControlClient } from './controlClient.js';
import { stateFolder, thisMachine } from './thisMachine.js';

/** A companion's file in the state folder. */
const registrationFile = z.object({
  port: z.int().min(1).max(65_535),
  token: z.string().min(1),
  pid: z.int().positive(),
  version: z.string(),
  editor: z.string(),
  workspaceFolders: z.array(z.string()),
});

/** How long a companion may take to identify itself. */
const identityLimitMs = 1_000;

/** A companion that runs on this machine, as the `tandem` command finds it. */
export interface FoundCompanion {
  readonly pid: number;
  readonly version: string;
  /** The editor's display name. */
  readonly editor: string;
  readonly workspaceFolders: readonly Path[];
  readonly client: ControlClient;
}

/** The companions of this user that answer, the earliest started first. Files of crashed ones are skipped. */
export async function findCompanions(machine: Machine = thisMachine()): Promise<FoundCompanion[]> {
  const folder = companionsFolder(machine);
  const found = await Promise.all(registrationsIn(folder).map((name) => findOne(join(folder, name))));
  return found.filter((companion) => companion !== undefined);
}

/** The folder of the files of this user's companions. */
export function companionsFolder(machine: Machine): Path {
  return join(stateFolder(machine), 'companions');
}

/** The name of such a file: Unix milliseconds of the start, process id, random digits. */
export const registrationName = /^\d+-\d+-[0-9a-f]+\.json$/;

function registrationsIn(folder: Path): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => registrationName.test(name))
      .sort();
  } catch {
    // The folder does not exist before the first companion has run.
    return [];
  }
}

async function findOne(path: Path): Promise<FoundCompanion | undefined> {
  const parsed = registrationFile.safeParse(readJson(path));
  if (!parsed.success) return undefined;
  const { port, token, pid, version, editor, workspaceFolders } = parsed.data;
  const client = new ControlClient({ port, token });
  const isItself = (await client.identify(identityLimitMs)) === pid;
  return isItself ? { pid, version, editor, workspaceFolders, client } : undefined;
}

/** The file may be gone, belong to another user, be a pipe or a link, or be huge: then `undefined`. */
function readJson(path: Path): unknown {
  try {
    return JSON.parse(readPrivateFile(path) ?? '');
  } catch {
    return undefined;
  }
}
