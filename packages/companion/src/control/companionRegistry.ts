import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeError, type Event, type Logger, type Path } from '@tandem/core';
import type { Machine } from '@tandem/protocols';
import { askIdentity, createToken, type DiscoveryFile, openOwnFolder, sweepStale } from '@tandem/transport';
import { z } from 'zod';
import type { CompanionEvent } from '../companionEvent.js';
import { stateFolder } from '../stateFolder.js';
import { thisMachine } from '../thisMachine.js';
import { ControlClient } from './controlClient.js';
import { type ControlHandlers, ControlServer } from './controlServer.js';

/** What a companion's file in the state folder says. Unknown fields are those of a newer one. */
const registrationFile = z.object({
  port: z.int().min(1).max(65_535),
  token: z.string().min(1),
  pid: z.int().positive(),
  version: z.string(),
  editor: z.string(),
  workspaceFolders: z.array(z.string()),
});

/** How long a companion may take to say that it is there. */
const identityLimitMs = 1_000;

/** A companion that runs on this machine, as the `tandem` command finds it. */
export interface FoundCompanion {
  readonly pid: number;
  readonly version: string;
  /** What a person calls its editor. */
  readonly editor: string;
  readonly workspaceFolders: readonly Path[];
  readonly client: ControlClient;
}

/** The companions of this user that answer, the earliest started first. */
export async function findCompanions(machine: Machine = thisMachine()): Promise<FoundCompanion[]> {
  const folder = companionsFolder(machine);
  const found = await Promise.all(namesIn(folder).map((name) => findOne(join(folder, name))));
  return found.filter((companion) => companion !== undefined);
}

/** A companion's own control interface and the file by which the command finds it. Whoever creates it closes it. */
export class CompanionRegistration {
  readonly #server: ControlServer;
  readonly #content: () => Record<string, unknown>;
  readonly #file: DiscoveryFile;

  private constructor(server: ControlServer, file: DiscoveryFile, content: () => Record<string, unknown>) {
    this.#server = server;
    this.#file = file;
    this.#content = content;
  }

  /** Rejects with `DiscoveryError` when the state folder cannot be used: nobody could steer the companion. */
  static async create(options: {
    readonly machine: Machine;
    readonly handlers: ControlHandlers;
    readonly onEvent: Event<CompanionEvent>;
    readonly describe: () => Readonly<Record<string, unknown>>;
    readonly logger: Logger;
  }): Promise<CompanionRegistration> {
    const { machine, handlers, onEvent, logger } = options;
    const folder = openOwnFolder(companionsFolder(machine));
    await sweepStale(folder, fileName, { tokenField: 'token' });
    const token = createToken(32);
    const server = await ControlServer.start({ token, handlers, onEvent, logger });
    const content = () => ({ port: server.port, token, pid: process.pid, ...options.describe() });
    try {
      // Names sort by the time of start; several companions may run in one process.
      const name = `${Date.now()}-${process.pid}-${randomBytes(3).toString('hex')}.json`;
      return new CompanionRegistration(server, folder.write(name, content(), server.port), content);
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** How many clients follow the events. */
  get followers(): number {
    return this.#server.followers;
  }

  /** Writes anew what others are told of the companion. */
  async update(): Promise<void> {
    await this.#file.rewrite(this.#content());
  }

  removeSync(): void {
    this.#file.removeSync();
  }

  async close(): Promise<void> {
    await this.#file.remove();
    await this.#server.close();
  }
}

const fileName = /^\d+-\d+-[0-9a-f]+\.json$/;

function companionsFolder(machine: Machine): Path {
  return join(stateFolder(machine), 'companions');
}

function namesIn(folder: Path): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => fileName.test(name))
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
  const identity = await askIdentity({ port, token, timeoutMs: identityLimitMs });
  if (identity?.pid !== pid) return undefined;
  return { pid, version, editor, workspaceFolders, client: new ControlClient({ port, token }) };
}

function readJson(path: Path): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // It may just have been removed by a companion that ended.
    return describeError(error);
  }
}
