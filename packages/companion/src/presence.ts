import type { Machine } from '@tandem/agents';
import { type Disposable, describeError, isWithin, type Logger, type Path } from '@tandem/core';
import { findCompanions } from './control/findCompanions.js';

/** How often it is looked whether the files still stand, in milliseconds. A pause makes it due at once. */
const beatMs = 5_000;

interface Services {
  /** Each writes again what is gone, and resolves to the paths. */
  readonly files: readonly { restore(): Promise<readonly Path[]> }[];
  readonly folders: () => readonly Path[];
  readonly machine: Machine;
  readonly logger: Logger;
}

/**
 * Sees to it that a companion that lives can be found. Another one that started while this one was stopped, as by
 * Ctrl+Z, or hung, has taken its files for a dead one's: then agents would have hung on them. They are written again, and
 * it is said who else serves the same folders by now. Whoever creates it disposes it.
 */
export class Presence implements Disposable {
  readonly #services: Services;
  readonly #beat: NodeJS.Timeout;
  #isLooking = false;
  #isDisposed = false;

  constructor(services: Services) {
    this.#services = services;
    this.#beat = setInterval(() => void this.#look(), beatMs);
    this.#beat.unref();
  }

  dispose(): void {
    this.#isDisposed = true;
    clearInterval(this.#beat);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { files, logger } = this.#services;
    try {
      const restored = await Promise.all(files.map((each) => each.restore()));
      if (restored.flat().length > 0 && !this.#isDisposed) await this.#tell();
    } catch (error) {
      // A disk that is full, say: the next beat tries again.
      logger.info('the files by which this companion is found could not be written again', {
        error: describeError(error),
      });
    } finally {
      this.#isLooking = false;
    }
  }

  async #tell(): Promise<void> {
    const { folders, machine, logger } = this.#services;
    const serves = (other: Path): boolean =>
      folders().some((folder) => isWithin(other, folder) || isWithin(folder, other));
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
