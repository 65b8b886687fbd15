import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describeError, type Logger, type Path } from '@tandem/core';
import * as z from 'zod';
import { type SavedCompanion, savedCompanion } from './savedCompanion.js';

/** A companion that was alive this long ago may still have agents that look for it. */
const freshMs = 60_000;
/** Older ones are forgotten: nobody comes back to a text after that. */
const forgottenMs = 24 * 60 * 60_000;
/** How often a companion notes that it lives. */
const beatMs = 20_000;

const memoryFile = z.object({
  pid: z.int().positive(),
  /** The window that it belongs to, as long as it is not loaded anew. */
  window: z.string(),
  hasEnded: z.boolean(),
  companion: savedCompanion,
});

type MemoryFile = z.infer<typeof memoryFile>;

interface Left {
  readonly path: Path;
  readonly file: MemoryFile;
  readonly aliveAt: number;
}

/**
 * What the companions of one workspace leave to those that follow, a file for each. Several windows may have the
 * workspace open: a companion takes over from its own window's first, and never from one that lives. Whoever
 * opens a memory closes it.
 */
export class CompanionMemory {
  readonly #options: CompanionMemoryOptions;
  readonly #own: Path;
  readonly #beat: NodeJS.Timeout;

  private constructor(options: CompanionMemoryOptions) {
    this.#options = options;
    const { folder, pid = process.pid } = options;
    this.#own = join(folder, `${pid}-${randomBytes(4).toString('hex')}.json`);
    this.#beat = setInterval(() => this.#noteAlive(), beatMs);
    this.#beat.unref();
  }

  /** Rejects when the folder cannot be used. */
  static open(options: CompanionMemoryOptions): CompanionMemory {
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    return new CompanionMemory(options);
  }

  /** Takes what a companion has left that is gone. Without `sessions` and reviews when its agents are gone as well. */
  take(): SavedCompanion | undefined {
    const { window } = this.#options;
    const isOurs = ({ file }: Left): boolean => file.window === window;
    const left = this.#left().sort((a, b) => Number(isOurs(b)) - Number(isOurs(a)) || b.aliveAt - a.aliveAt);
    for (const { path, file, aliveAt } of left) {
      try {
        // Another window that starts at this moment may want it: one of us moves it first.
        renameSync(path, this.#own);
      } catch {
        continue;
      }
      this.write(file.companion);
      const isFresh = Date.now() - aliveAt < freshMs;
      return isFresh ? file.companion : { ...file.companion, sessions: [] };
    }
    return undefined;
  }

  /** Writes what the running companion would leave. Never throws: without it agents just have to connect anew. */
  write(companion: SavedCompanion, state: { readonly hasEnded: boolean } = { hasEnded: false }): void {
    const { window, logger, pid = process.pid } = this.#options;
    const file: MemoryFile = { pid, window, hasEnded: state.hasEnded, companion };
    const unfinished = `${this.#own}.tmp`;
    try {
      writeFileSync(unfinished, JSON.stringify(file), { mode: 0o600 });
      renameSync(unfinished, this.#own);
    } catch (error) {
      logger.warn('what a restart needs could not be written', { error: describeError(error) });
    }
  }

  close(): void {
    clearInterval(this.#beat);
  }

  #left(): Left[] {
    const { folder } = this.#options;
    const found: Left[] = [];
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (!name.endsWith('.json') || path === this.#own) continue;
      const aliveAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      const file = readMemory(path);
      if (file === undefined || Date.now() - aliveAt > forgottenMs) rmSync(path, { force: true });
      else if (file.hasEnded || !isAlive(file.pid)) found.push({ path, file, aliveAt });
    }
    return found;
  }

  #noteAlive(): void {
    try {
      const now = new Date();
      utimesSync(this.#own, now, now);
    } catch {
      // Nothing was written yet.
    }
  }
}

export interface CompanionMemoryOptions {
  /** Private to the workspace and to this user. */
  readonly folder: Path;
  /** What tells this window from others, as long as it is not loaded anew. */
  readonly window: string;
  readonly logger: Logger;
  readonly pid?: number;
}

function readMemory(path: Path): MemoryFile | undefined {
  try {
    return memoryFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
