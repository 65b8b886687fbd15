import type { Path } from '@tandem/core';
import { type FileContent, isSameContent } from '@tandem/reviews';

/** A file as an agent would leave it. */
export interface FileResult {
  readonly path: Path;
  /** What the file contains now. */
  readonly file: FileContent;
  /** What it would contain: with line ends and byte order mark. */
  readonly after: string;
}

interface Accepted extends FileResult {
  readonly isOwed: boolean;
}

/** What users have accepted and agents may therefore write without a second review, by the sessions of the agents. */
export class AcceptedTexts {
  readonly #sessions = new Map<string, Map<Path, Accepted>>();

  /** `isOwed`: the agent was told to write these texts with another call. */
  add(session: string, results: readonly FileResult[], { isOwed }: { readonly isOwed: boolean }): void {
    const files = this.#sessions.get(session) ?? new Map<Path, Accepted>();
    this.#sessions.set(session, files);
    for (const result of results) files.set(result.path, { ...result, isOwed });
  }

  /** Whether the user has accepted exactly these results, from the same contents. `isOwed`: whether only owed ones count. */
  has(session: string, results: readonly FileResult[], { isOwed }: { readonly isOwed: boolean }): boolean {
    const files = this.#sessions.get(session);
    return results.every(({ path, file, after }) => {
      const accepted = files?.get(path);
      const isSame = accepted?.after === after && isSameContent(accepted.file, file);
      return isSame && (accepted.isOwed || !isOwed);
    });
  }

  /** Forgets these files, or all of the session. */
  delete(session: string, results?: readonly FileResult[]): void {
    if (results === undefined) this.#sessions.delete(session);
    for (const { path } of results ?? []) this.#sessions.get(session)?.delete(path);
  }
}
