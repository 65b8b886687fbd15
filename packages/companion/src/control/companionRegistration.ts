import { randomBytes } from 'node:crypto';
import type { Machine } from '@tandem/agents';
import type { Logger, Path } from '@tandem/core';
import {
  createToken,
  DiscoveryError,
  type DiscoveryFile,
  type DiscoveryFolder,
  openOwnFolder,
  sweepStale,
} from '@tandem/mcp';
import { type ControlHandlers, ControlServer, type ControlStreams } from './controlServer.js';
import { companionsFolder, registrationName } from './findCompanions.js';

/** A companion's own control interface and the file by which the command finds it. Whoever creates it closes it. */
export class CompanionRegistration {
  readonly #machine: Machine;
  readonly #server: ControlServer;
  readonly #content: () => Record<string, unknown>;
  readonly #file: DiscoveryFile;
  #isRemoved = false;

  private constructor(
    machine: Machine,
    server: ControlServer,
    file: DiscoveryFile,
    content: () => Record<string, unknown>,
  ) {
    this.#machine = machine;
    this.#server = server;
    this.#file = file;
    this.#content = content;
  }

  /** Rejects when the state folder cannot be used: nobody could steer the companion. */
  static async create(options: {
    readonly machine: Machine;
    readonly handlers: ControlHandlers;
    readonly streams: ControlStreams;
    readonly describe: () => Readonly<Record<string, unknown>>;
    readonly logger: Logger;
  }): Promise<CompanionRegistration> {
    const { machine, handlers, streams, logger } = options;
    const folder = openCompanionsFolder(machine);
    await sweepStale(folder, registrationName, { tokenField: 'token' });
    const token = createToken(32);
    const server = await ControlServer.start({ token, handlers, streams, logger });
    const content = () => ({ port: server.port, token, pid: process.pid, ...options.describe() });
    try {
      // Names sort by the time of start; several companions may run in one process.
      const name = `${Date.now()}-${process.pid}-${randomBytes(3).toString('hex')}.json`;
      return new CompanionRegistration(machine, server, folder.write(name, content(), server.port), content);
    } catch (error) {
      await server.close();
      throw notToBeFound(error);
    }
  }

  /** How many clients follow a stream. */
  get followers(): number {
    return this.#server.followers;
  }

  /** Writes anew what others are told of the companion. Rejects with `DiscoveryError`. */
  async update(): Promise<void> {
    await this.#file.rewrite(this.#content());
  }

  /** Writes the file again if it is lost, and returns its path if it was. Rejects with `DiscoveryError`. */
  async restore(): Promise<readonly Path[]> {
    if (this.#isRemoved || !this.#file.isLost) return [];
    openCompanionsFolder(this.#machine);
    await this.update();
    return [this.#file.path];
  }

  removeSync(): void {
    this.#isRemoved = true;
    this.#file.removeSync();
  }

  async close(): Promise<void> {
    this.removeSync();
    await this.#server.close();
  }
}

function openCompanionsFolder(machine: Machine): DiscoveryFolder {
  try {
    return openOwnFolder(companionsFolder(machine));
  } catch (cause) {
    throw notToBeFound(cause);
  }
}

/** What that means which went wrong with the file by which commands find a companion. */
function notToBeFound(cause: unknown): unknown {
  if (!(cause instanceof DiscoveryError)) return cause;
  const message = `Commands could not find this companion. ${cause.message} Set XDG_STATE_HOME to use another folder.`;
  return new Error(message, { cause });
}
