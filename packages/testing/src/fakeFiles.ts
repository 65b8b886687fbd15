import { DocumentError, type Path, pathParts } from '@tandem/core';
import type { FileContent } from '@tandem/reviews';

/**
 * A file system in memory. Provides the file access for reviews, the sharing policy, the protocols and the fake editor.
 * A folder exists if it contains something or `makeFolder` created it.
 */
export class FakeFiles {
  readonly #files = new Map<Path, FileContent>();
  readonly #folders = new Set<Path>(['/']);
  readonly #links = new Map<Path, Path>();

  constructor(files: Readonly<Record<Path, string>> = {}) {
    for (const [path, text] of Object.entries(files)) this.write(path, text);
  }

  write(path: Path, text: string): void {
    this.#put(path, { kind: 'text', text });
  }

  /** A file that is not UTF-8 text. */
  writeBinary(path: Path, size: number): void {
    this.#put(path, { kind: 'binary', size });
  }

  makeFolder(path: Path): void {
    const parts = pathParts(path);
    for (let count = 1; count <= parts.length; count++)
      this.#folders.add(`/${parts.slice(0, count).join('/')}`);
  }

  /** A symbolic link at `path`, to a file or a folder, which need not exist. */
  link(path: Path, target: Path): void {
    this.makeFolder(above(path));
    this.#links.set(path, target);
  }

  remove(path: Path): void {
    this.#files.delete(path);
    this.#folders.delete(path);
    this.#links.delete(path);
  }

  /** What is at a path, with links followed. */
  lookUp(path: Path): FileContent | { readonly kind: 'folder' } {
    const real = this.#resolve(path);
    if (this.#folders.has(real)) return { kind: 'folder' };
    return this.#files.get(real) ?? { kind: 'missing' };
  }

  /** Rejects with `DocumentError` for a folder. */
  async read(path: Path): Promise<FileContent> {
    const found = this.lookUp(path);
    if (found.kind === 'folder') throw new DocumentError('not-a-file', `${path} is a folder.`);
    return found;
  }

  async isOnDisk(path: Path): Promise<boolean> {
    const { kind } = this.lookUp(path);
    return kind === 'text' || kind === 'binary';
  }

  async readText(path: Path): Promise<string | undefined> {
    const found = this.lookUp(path);
    return found.kind === 'text' ? found.text : undefined;
  }

  async realPath(path: Path): Promise<Path> {
    return this.#resolve(path);
  }

  async nextTurn(): Promise<void> {}

  #put(path: Path, content: FileContent): void {
    const real = this.#resolve(path);
    this.makeFolder(above(real));
    this.#files.set(real, content);
  }

  /** Follows the links in every part of a path. A chain of forty counts as a loop, as in the kernel. */
  #resolve(path: Path, followed = 0): Path {
    let resolved = '';
    const parts = pathParts(path);
    for (const [index, part] of parts.entries()) {
      resolved = `${resolved}/${part}`;
      const target = this.#links.get(resolved);
      if (target === undefined) continue;
      if (followed === 40) throw new Error(`Too many symbolic links at ${path}.`);
      return this.#resolve([target, ...parts.slice(index + 1)].join('/'), followed + 1);
    }
    return resolved === '' ? '/' : resolved;
  }
}

function above(path: Path): Path {
  return `/${pathParts(path).slice(0, -1).join('/')}`;
}
