import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from '@tandem/agents';
import type { Path } from '@tandem/core';
import { readPrivateFile } from '@tandem/mcp';
import * as z from 'zod';
import type { ControlClient } from './controlClient.js';
import { stateFolder, thisMachine } from './thisMachine.js';

/** A companion's file in the state folder. */
const registrationFile = z.object({
  port: z.int().min(1).max(65_535),
  token: z.string().min(1),
  pid: z.int().positive(),
  version: z.string(),
  editor: z.string(),
  workspaceFolders: z.array(z.string()),
  /** Absent from a companion of an earlier version. */
  agentPort: z.int().optional(),
});

/** The variable in the terminals of an editor that names its companion: the port that agents connect to. */
export const portVariable = 'TANDEM_PORT';

/** How long a companion may take to identify itself. */
const identityLimitMs = 1_000;

/** A companion that runs on this machine, as the `tandem` command finds it. */
export interface FoundCompanion {
  readonly pid: number;
  readonly version: string;
  /** The editor's display name. */
  readonly editor: string;
  readonly workspaceFolders: readonly Path[];
  /** The port that agents connect to, as in `portVariable`. */
  readonly agentPort?: number;
  readonly client: ControlClient;
}

/** The companions of this user that answer, the one used last at the end. Files of crashed ones are skipped. */
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
    const names = readdirSync(folder).filter((name) => registrationName.test(name));
    const usedAt = new Map(
      names.map((name) => [name, statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0]),
    );
    return names.sort().sort((one, other) => (usedAt.get(one) ?? 0) - (usedAt.get(other) ?? 0));
  } catch {
    // The folder does not exist before the first companion has run.
    return [];
  }
}

async function findOne(path: Path): Promise<FoundCompanion | undefined> {
  const parsed = registrationFile.safeParse(readJson(path));
  if (!parsed.success) return undefined;
  const { port, token, agentPort, ...described } = parsed.data;
  // Its contract takes a tenth of the start of a companion that finds no other one.
  const { ControlClient } = await import('./controlClient.js');
  const client = new ControlClient({ port, token });
  if ((await client.identify(identityLimitMs)) !== described.pid) return undefined;
  return { ...described, ...(agentPort !== undefined && { agentPort }), client };
}

/** The file may be gone, belong to another user, be a pipe or a link, or be huge: then `undefined`. */
function readJson(path: Path): unknown {
  try {
    return JSON.parse(readPrivateFile(path) ?? '');
  } catch {
    return undefined;
  }
}
