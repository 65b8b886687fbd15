import { type DiscoveryMark, readMarked, sameMark, withMark } from './discoveryMark.js';
import { isOpenToOthers, readPrivateFile, removeQuietly, statOf, writePrivateFile } from './privateFile.js';

/**
 * One file by which agents find this companion. Whoever wrote it removes it; after that it stays removed, a
 * late `rewrite` does nothing.
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

  /** Replaces the agent's fields, for example when the workspace changed. @throws DiscoveryError */
  async rewrite(content: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#isRemoved) return;
    this.#text = withMark(content, this.#mark);
    writePrivateFile(this.path, this.#text);
  }

  /**
   * Whether the file must be written again: it was moved away, with its folder or alone, or what stands there carries our
   * mark and is not what we wrote, such as a copy that others may read. Another's file in its place is left alone.
   */
  get isLost(): boolean {
    const stats = statOf(this.path);
    if (stats === undefined) return true;
    const text = readPrivateFile(this.path) ?? '';
    if (text === this.#text) return isOpenToOthers(stats);
    const found = readMarked(text);
    return found !== undefined && sameMark(found.mark, this.#mark);
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
