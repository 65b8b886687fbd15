import type { DiscoveryEntry, Machine } from '@tandem/agents';
import { describeError, type EditorContext, isWithin, type Logger, type Path } from '@tandem/core';
import { DiscoveryKeeper } from '../agents/discoveryKeeper.js';
import { CompanionRegistration } from './companionRegistration.js';
import type { ControlHandlers } from './controlContract.js';
import type { ControlStreams } from './controlServer.js';
import { findCompanions } from './findCompanions.js';
import { toRpcError } from './rpcErrors.js';

/** The use of an editor is noted after this pause, in milliseconds. */
const usePauseMs = 200;

/** How often the files are checked, in milliseconds. After a pause of the process the check is due at once. */
const checkIntervalMs = 5_000;

interface Services {
  readonly machine: Machine;
  readonly handlers: () => Promise<ControlHandlers>;
  readonly streams: ControlStreams;
  /** The registration's description of the companion. */
  readonly describe: () => { readonly workspaceFolders: readonly Path[] };
  /** The files by which the agents find the companion, as they should be now. */
  readonly discovery: () => readonly DiscoveryEntry[];
  /** The port that agents connect to. */
  readonly port: number;
  readonly logger: Logger;
}

/**
 * The files by which commands and agents find a companion. Another companion that started while this one was suspended
 * or hung has removed them as stale: they are written again, and the log names the others that serve the same folders.
 * The creator closes it.
 */
export class Presence {
  readonly #services: Services;
  readonly #registration: CompanionRegistration;
  readonly #discovery: DiscoveryKeeper;
  readonly #timer: NodeJS.Timeout;
  #noting: NodeJS.Timeout | undefined;
  #usedAt = new Date();
  #position = '';
  #isChecking = false;
  #isClosed = false;

  private constructor(services: Services, registration: CompanionRegistration) {
    this.#services = services;
    this.#registration = registration;
    this.#discovery = new DiscoveryKeeper(services);
    this.#timer = setInterval(() => void this.#check(), checkIntervalMs);
    this.#timer.unref();
  }

  /**
   * Writes the registration. Rejects when the state folder cannot be used, for then no command could find the
   * companion.
   */
  static async create(services: Services): Promise<Presence> {
    return new Presence(services, await CompanionRegistration.create({ ...services, toRpcError }));
  }

  /** How many clients follow a stream of the control interface. */
  get followers(): number {
    return this.#registration.followers;
  }

  /** For each entry its file, and why it could not be written. */
  report(entries: readonly DiscoveryEntry[]): { file: Path; problem?: string }[] {
    return this.#discovery.report(entries);
  }

  /** Writes the discovery files as they should be now. */
  async writeDiscovery(): Promise<void> {
    await this.#discovery.write(this.#services.discovery());
  }

  /** When the user worked in this editor last, in Unix milliseconds. */
  get usedAt(): number {
    return this.#usedAt.getTime();
  }

  /**
   * Agents and commands that find several companions choose the one used last. Another file or selection is the user's doing;
   * other changes of the context need not be.
   */
  noteUse({ activePath, openFiles: [active] }: EditorContext): void {
    const position = JSON.stringify([activePath, active?.selection?.range, active?.selection?.cursor]);
    if (this.#isClosed || position === this.#position) return;
    this.#position = position;
    this.#usedAt = new Date();
    this.#noting ??= setTimeout(() => {
      this.#noting = undefined;
      this.#touch();
    }, usePauseMs).unref();
  }

  /** Workspace folders were added or removed: commands and agents find the companion by them. */
  async updateFolders(): Promise<void> {
    try {
      await this.#registration.update();
    } catch (error) {
      this.#services.logger.warn(
        "the companion's list of folders could not be updated; commands may not find it in new folders",
        {
          error: describeError(error),
        },
      );
    }
    await this.writeDiscovery();
  }

  /** For exit handlers, which cannot await. */
  removeSync(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#noting);
    this.#discovery.removeSync();
    this.#registration.removeSync();
  }

  async close(): Promise<void> {
    this.removeSync();
    await Promise.all([this.#registration.close(), this.#discovery.remove()]);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const restored = await Promise.all([this.#discovery.restore(), this.#registration.restore()]);
      if (restored.flat().length === 0 || this.#isClosed) return;
      this.#touch();
      await this.#reportRestored();
    } catch (error) {
      // A full disk, for example: the next check tries again.
      this.#services.logger.info('the discovery files of this companion could not be written again', {
        error: describeError(error),
      });
    } finally {
      this.#isChecking = false;
    }
  }

  #touch(): void {
    this.#discovery.touch(this.#usedAt);
    this.#registration.touch(this.#usedAt);
  }

  async #reportRestored(): Promise<void> {
    const { describe, machine, logger } = this.#services;
    const serves = (other: Path): boolean =>
      describe().workspaceFolders.some((folder) => isWithin(other, folder) || isWithin(folder, other));
    const found = await findCompanions(machine);
    const others = found.filter(
      ({ pid, workspaceFolders }) => pid !== process.pid && workspaceFolders.some(serves),
    );
    const pids = others.map(({ pid }) => pid).join(', ');
    const shared =
      pids === ''
        ? ''
        : ` Process ${pids} now serves the same folder, and new agents may find either one: stop one of them.`;
    logger.warn(
      `the discovery files of this companion were missing, for example after it was suspended; they have been written again.${shared}`,
    );
  }
}
