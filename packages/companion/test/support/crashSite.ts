import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Path } from '@tandem/core';
import { writeUserFile } from '../../src/files/userFile/writeUserFile.js';
import type { JournalContents } from '../../src/index.js';
import { CompanionStage, makeMachine, makeWorkspace } from './companionStage.js';
import { copyAsKilled, deadPid, openJournal } from './crashedJournal.js';
import { writeAll } from './journalSamples.js';

/**
 * Successive companions of one workspace, each started as after a crash: it finds the journal as it was on the disk at
 * that moment, and nothing that a normal end would have written. The creator disposes it.
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

  /** The running companion. */
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
   * Ends the companion without its own shutdown, and starts the next. `written` replaces the last state of the journal,
   * for example with what the companion would leave at this moment.
   */
  async crash(written?: JournalContents): Promise<void> {
    const left = this.#journal();
    this.#crashes += 1;
    if (written === undefined) copyAsKilled(left, this.#journal());
    // From this point it outputs nothing.
    const stopping = this.stage.companion.stop();
    if (written !== undefined) {
      const memory = openJournal(this.#journal(), deadPid);
      await writeAll(memory, written);
      memory.close();
    }
    await stopping;
    this.#stage = await this.#start();
  }

  /** Ends the companion in order, and starts the next. */
  async restart(): Promise<void> {
    await this.stage.companion.stop();
    this.#stage = await this.#start();
  }

  /** Ends all companions, and returns the remaining files that look like those of a live companion. */
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
      writeFile: writeUserFile,
    });
  }

  #journal(): Path {
    return join(this.#root, `journal-${this.#crashes}`);
  }
}
