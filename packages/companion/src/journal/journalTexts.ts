import { createHash } from 'node:crypto';
import { open, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, type Path } from '@tandem/core';
import { readPrivateBytes } from '@tandem/mcp';
import { inlineLength, type TextReference } from './journalFormat.js';

/** How many code units of text are encoded at a time. Encoding a part of this size takes a few milliseconds. */
const partLength = 1024 * 1024;

/** A text of the journal is missing, or differs from what was written. */
export class LostTextError extends Error {
  override readonly name = 'LostTextError';
}

/**
 * The large texts of a journal, each in a file named after the hash of its content: a text that several reviews share
 * is stored once. Calls of `put`, `hold` and `release` may overlap, but not with `collect`.
 */
export class JournalTexts {
  readonly #folder: Path;
  readonly #noteWritten: (path: Path) => void;
  /** How many reviews use each file. */
  readonly #users = new Map<string, number>();
  /** Files that may be unused. */
  readonly #idle = new Set<string>();
  #count = 0;

  constructor(folder: Path, noteWritten: (path: Path) => void) {
    this.#folder = folder;
    this.#noteWritten = noteWritten;
  }

  /** Stores a text, a large one in a file of its own. Rejects with the file system's error. */
  async put(text: string): Promise<TextReference> {
    if (text.length <= inlineLength) return text;
    // UTF-8 cannot represent half of a surrogate pair.
    const encoding = text.isWellFormed() ? 'utf8' : 'utf16le';
    const hash = createHash('sha256');
    let size = 0;
    const unfinished = join(this.#folder, `text-${++this.#count}.tmp`);
    try {
      const handle = await open(unfinished, 'wx', 0o600);
      try {
        await writeFile(
          handle,
          parts(text, encoding, (part) => {
            hash.update(part);
            size += part.length;
          }),
        );
      } finally {
        await handle.close();
      }
      const file = `${hash.digest('hex')}.${encoding}`;
      this.#idle.add(file);
      if (this.#users.has(file)) await removeFile(unfinished);
      else {
        await rename(unfinished, join(this.#folder, file));
        this.#noteWritten(join(this.#folder, file));
      }
      return { file, size };
    } catch (error) {
      await removeFile(unfinished).catch(() => {});
      throw error;
    }
  }

  /** Reads a text. Throws `LostTextError`. */
  get(reference: TextReference): string {
    if (typeof reference === 'string') return reference;
    const { file, size } = reference;
    const bytes = readPrivateBytes(join(this.#folder, file), size);
    if (bytes === undefined) throw new LostTextError(`${file} is missing, or not a file of ${size} bytes.`);
    if (!file.startsWith(createHash('sha256').update(bytes).digest('hex'))) {
      throw new LostTextError(`${file} does not contain what was written.`);
    }
    return bytes.toString(file.endsWith('.utf8') ? 'utf8' : 'utf16le');
  }

  /** One more review uses these files. */
  hold(files: Iterable<string>): void {
    for (const file of files) this.#users.set(file, (this.#users.get(file) ?? 0) + 1);
  }

  /** One review less uses these files. */
  release(files: Iterable<string>): void {
    for (const file of files) {
      const users = (this.#users.get(file) ?? 0) - 1;
      if (users > 0) this.#users.set(file, users);
      else {
        this.#users.delete(file);
        this.#idle.add(file);
      }
    }
  }

  /** Resets the state: all files are gone. */
  forget(): void {
    this.#users.clear();
    this.#idle.clear();
  }

  /** Adds existing files that may all be unused. */
  noteIdle(files: Iterable<string>): void {
    for (const file of files) this.#idle.add(file);
  }

  /** Removes the files that no review uses. Never rejects: a file that cannot be removed only wastes space. */
  async collect(): Promise<void> {
    const unused = [...this.#idle].filter((file) => !this.#users.has(file));
    this.#idle.clear();
    for (const file of unused) await removeFile(join(this.#folder, file)).catch(() => {});
  }
}

/** Removes a file, if it is there. Rejects with the file system's error. */
export async function removeFile(path: Path): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Whether an error of the file system says that something is not there. */
export function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}

function* parts(text: string, encoding: 'utf8' | 'utf16le', note: (part: Buffer) => void): Generator<Buffer> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + partLength, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    const part = Buffer.from(text.slice(at, end), encoding);
    note(part);
    yield part;
    at = end;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}
