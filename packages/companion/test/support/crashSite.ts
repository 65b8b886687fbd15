import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Path } from '@tandem/core';
import type { JournalContents } from '../../src/index.js';
import { CompanionStage, makeMachine, makeWorkspace } from './companionStage.js';
import { copyAsKilled, deadPid, openJournal } from './crashedJournal.js';

/**
 * Companions of one workspace, each following the one before as after a crash: it finds the journal as that stood on the
 * disk at that moment, and nothing of what an end in order would have written. Whoever opens it disposes it.
 */
export class CrashSite {
  readonly folder = makeWorkspace();
  readonly #machine = makeMachine();
  readonly #root = makeWorkspace();
  #stage: CompanionStage | undefined;
  #crashes = 0;

  static async open(): Promise<CrashSite> {
    const site = new CrashSite();
    site.#stage = await site.#start();
    return site;
  }

  /** The one that runs. */
  get stage(): CompanionStage {
    if (this.#stage === undefined) throw new Error('No companion runs.');
    return this.#stage;
  }

  get crashes(): number {
    return this.#crashes;
  }

  /** Writes a file of the workspace and returns its path. */
  write(name: string, text: string): Path {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  /**
   * Ends the companion without its having a say, and starts the next. With `written` as if that had been written last:
   * what it would leave at this very moment, say.
   */
  async crash(written?: JournalContents): Promise<void> {
    const left = this.#journal();
    this.#crashes += 1;
    if (written === undefined) copyAsKilled(left, this.#journal());
    // From here on it says nothing any more.
    const stopping = this.stage.companion.stop();
    if (written !== undefined) {
      const memory = openJournal(this.#journal(), deadPid);
      await memory.write(written);
      memory.close();
    }
    await stopping;
    this.#stage = await this.#start();
  }

  /** Ends what runs, and tells which files are left that others could take for a living companion's. */
  async end(): Promise<{ readonly discovery: Path[]; readonly journals: string[] }> {
    const { stage } = this;
    await stage.companion.stop();
    return { discovery: stage.discoveryFiles(), journals: readdirSync(this.#journal()) };
  }

  dispose(): void {
    const { home } = this.#machine;
    for (const folder of [this.folder, this.#root, join(home, '..')]) {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  #start(): Promise<CompanionStage> {
    const memory = openJournal(this.#journal());
    return CompanionStage.create({
      folders: [this.folder],
      machine: this.#machine,
      journal: memory,
      writeFile: async (path, text) => writeFileSync(path, text),
    });
  }

  #journal(): Path {
    return join(this.#root, `journal-${this.#crashes}`);
  }
}
