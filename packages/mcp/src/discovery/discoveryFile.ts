import { utimesSync } from 'node:fs';
import * as z from 'zod';
import { processStartedAt } from '../identity.js';
import { isOpenToOthers, readPrivateFile, removeQuietly, statOf, writePrivateFile } from './privateFile.js';
import { isRunning } from './processStart.js';

/**
 * Identifies the process that wrote a discovery file. The pid in the agent's own fields may be that of an ancestor that
 * outlives us.
 */
export interface DiscoveryMark {
  readonly pid: number;
  /** When the process started, in Unix milliseconds: pids are reused. */
  readonly startedAt: number;
  readonly port: number;
}

const markKey = 'tandem';

const markSchema = z.object({
  pid: z.int().positive(),
  startedAt: z.number(),
  port: z.int().min(0).max(65_535),
});

/** The mark of this process. */
export function ownMark(port: number): DiscoveryMark {
  return { pid: process.pid, startedAt: processStartedAt, port };
}

/** The text of a discovery file: the agent's fields and our mark. */
export function withMark(content: Readonly<Record<string, unknown>>, mark: DiscoveryMark): string {
  return `${JSON.stringify({ ...content, [markKey]: mark }, null, 2)}\n`;
}

export interface MarkedContent {
  readonly mark: DiscoveryMark;
  readonly content: Readonly<Record<string, unknown>>;
}

/** Parses the text of a discovery file; undefined if it is malformed or not ours. */
export function readMarked(text: string): MarkedContent | undefined {
  try {
    const content = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
    return { mark: markSchema.parse(content[markKey]), content };
  } catch {
    return undefined;
  }
}

export function sameMark(a: DiscoveryMark, b: DiscoveryMark): boolean {
  return a.pid === b.pid && a.startedAt === b.startedAt && a.port === b.port;
}

/**
 * A file by which agents find this companion. The creator removes it; after that, `rewrite` does nothing.
 */
export class DiscoveryFile {
  readonly path: string;
  readonly #mark: DiscoveryMark;
  #text: string;
  #isRemoved = false;

  private constructor(path: string, mark: DiscoveryMark, text: string) {
    this.path = path;
    this.#mark = mark;
    this.#text = text;
  }

  /** Writes the file. @throws DiscoveryError */
  static create(
    path: string,
    content: Readonly<Record<string, unknown>>,
    mark: DiscoveryMark,
  ): DiscoveryFile {
    const text = withMark(content, mark);
    writePrivateFile(path, text);
    return new DiscoveryFile(path, mark, text);
  }

  /**
   * Replaces the agent's fields, for example after the workspace changed. Leaves a file alone that has them already: some
   * agents watch it, and connect again when it is replaced.
   *
   * @throws DiscoveryError
   */
  async rewrite(content: Readonly<Record<string, unknown>>): Promise<void> {
    const text = withMark(content, this.#mark);
    if (this.#isRemoved || (text === this.#text && !this.isLost)) return;
    this.#text = text;
    writePrivateFile(this.path, this.#text);
  }

  /**
   * Whether the file must be written again: it is gone, or has our mark but other content or a public mode, like a restored
   * copy. A file of another program in its place is left alone.
   */
  get isLost(): boolean {
    const stats = statOf(this.path);
    if (stats === undefined) return true;
    const text = readPrivateFile(this.path) ?? '';
    if (text === this.#text) return isOpenToOthers(stats);
    const found = readMarked(text);
    return found !== undefined && sameMark(found.mark, this.#mark);
  }

  /** Sets the time of the file. Never throws. */
  touch(at: Date): void {
    if (this.#isRemoved) return;
    try {
      utimesSync(this.path, at, at);
    } catch {
      // It is lost, and soon written again.
    }
  }

  /** Removes the file unless it was replaced. Idempotent, never rejects. */
  async remove(): Promise<void> {
    this.removeSync();
  }

  /** `remove` for `process.on('exit')`. */
  removeSync(): void {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    removeMarkedFile(this.path, this.#mark);
  }
}

/** Removes a file that has exactly this mark. Returns whether it did. */
export function removeMarkedFile(path: string, mark: DiscoveryMark): boolean {
  const text = readPrivateFile(path);
  const found = text === undefined ? undefined : readMarked(text);
  return found !== undefined && sameMark(found.mark, mark) && removeQuietly(path);
}

export interface FoundDiscoveryFile {
  readonly content: Readonly<Record<string, unknown>>;
  /** Whether the process that wrote it is running, as `isRunning` decides. */
  readonly isHeld: boolean;
}

/** Reads a file that `DiscoveryFolder.write` wrote; undefined if it does not exist or is not this user's. */
export function readDiscoveryFile(path: string): FoundDiscoveryFile | undefined {
  const text = readPrivateFile(path);
  const found = text === undefined ? undefined : readMarked(text);
  if (found === undefined) return undefined;
  const { pid, startedAt } = found.mark;
  return { content: found.content, isHeld: isRunning(pid, startedAt) };
}
