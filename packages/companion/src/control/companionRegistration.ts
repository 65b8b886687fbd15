import { randomBytes } from 'node:crypto';
import type { Machine } from '@tandem/agents';
import type { Path } from '@tandem/core';
import {
  createToken,
  DiscoveryError,
  type DiscoveryFile,
  type DiscoveryFolder,
  openOwnFolder,
  sweepStale,
} from '@tandem/mcp';
import { ControlServer, type ControlServerOptions } from './controlServer.js';
import { companionsFolder, registrationName } from './findCompanions.js';

/** A companion's control interface and the file through which the command finds it. The creator closes it. */
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

  /** Rejects when the state folder cannot be used: no command could find the companion. */
  static async create({
    machine,
    describe,
    ...options
  }: Omit<ControlServerOptions, 'token'> & {
    readonly machine: Machine;
    readonly describe: () => Readonly<Record<string, unknown>>;
  }): Promise<CompanionRegistration> {
    const folder = openCompanionsFolder(machine);
    await sweepStale(folder, registrationName, {
      credentials: ({ token }) => (typeof token === 'string' ? { token } : undefined),
    });
    const token = createToken(32);
    const server = await ControlServer.start({ ...options, token });
    const content = () => ({ port: server.port, token, pid: process.pid, ...describe() });
    try {
      // Names sort by the time of start; several companions may run in one process.
      const name = `${Date.now()}-${process.pid}-${randomBytes(3).toString('hex')}.json`;
      return new CompanionRegistration(machine, server, folder.write(name, content(), server.port), content);
    } catch (error) {
      await server.close();
      throw explain(error);
    }
  }

  /** How many clients follow a stream. */
  get followers(): number {
    return this.#server.followers;
  }

  /** Writes the file's current content. Rejects with `DiscoveryError`. */
  async update(): Promise<void> {
    await this.#file.rewrite(this.#content());
  }

  /** Writes the file again if it is lost, and then returns its path. Rejects with `DiscoveryError`. */
  async restore(): Promise<readonly Path[]> {
    if (this.#isRemoved || !this.#file.isLost) return [];
    openCompanionsFolder(this.#machine);
    await this.update();
    return [this.#file.path];
  }

  /** Sets the time of the file, by which commands choose a companion. */
  touch(at: Date): void {
    this.#file.touch(at);
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
    throw explain(cause);
  }
}

/** The consequence of a file that cannot be written. */
function explain(cause: unknown): unknown {
  if (!(cause instanceof DiscoveryError)) return cause;
  const message = `The companion cannot start, because commands would not find it. ${cause.message} Or set XDG_STATE_HOME to another folder.`;
  return new Error(message, { cause });
}
