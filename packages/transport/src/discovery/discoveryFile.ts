import { type DiscoveryMark, readMarked, sameMark, withMark } from './discoveryMark.js';
import { readPrivateFile, removeQuietly, statOf, writePrivateFile } from './privateFile.js';

/**
 * One file by which agents find this companion. Whoever wrote it removes it; after that it stays removed, a
 * late `rewrite` does nothing.
 */
export class DiscoveryFile {
  readonly path: string;
  readonly #mark: DiscoveryMark;
  #isRemoved = false;

  private constructor(path: string, mark: DiscoveryMark) {
    this.path = path;
    this.#mark = mark;
  }

  /** Writes the file. @throws DiscoveryError */
  static create(
    path: string,
    content: Readonly<Record<string, unknown>>,
    mark: DiscoveryMark,
  ): DiscoveryFile {
    writePrivateFile(path, withMark(content, mark));
    return new DiscoveryFile(path, mark);
  }

  /** Replaces the agent's fields, for example when the workspace changed. @throws DiscoveryError */
  async rewrite(content: Readonly<Record<string, unknown>>): Promise<void> {
    if (!this.#isRemoved) writePrivateFile(this.path, withMark(content, this.#mark));
  }

  /** Whether the file is there: as ours, as one that somebody else wrote in its place, or not at all. */
  get standing(): 'ours' | 'another' | 'gone' {
    if (statOf(this.path) === undefined) return 'gone';
    const found = readMarked(readPrivateFile(this.path) ?? '');
    return found !== undefined && sameMark(found.mark, this.#mark) ? 'ours' : 'another';
  }

  /** Removes the file if it is still ours. Idempotent, never rejects. */
  async remove(): Promise<void> {
    this.removeSync();
  }

  /** `remove` for `process.on('exit')`, where nothing asynchronous runs any more. */
  removeSync(): void {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    removeMarkedFile(this.path, this.#mark);
  }
}

/** Removes a file that carries exactly this mark; false when it was another one or is gone. */
export function removeMarkedFile(path: string, mark: DiscoveryMark): boolean {
  const text = readPrivateFile(path);
  const found = text === undefined ? undefined : readMarked(text);
  return found !== undefined && sameMark(found.mark, mark) && removeQuietly(path);
}
