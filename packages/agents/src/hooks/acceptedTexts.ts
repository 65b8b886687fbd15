import type { Path } from '@tandem/core';
import { type FileContent, isSameContent } from '@tandem/reviews';
import { plainText } from './fileEdit.js';

/** A file as an agent would leave it. */
export interface FileResult {
  readonly path: Path;
  /** What the file contains before that. */
  readonly file: FileContent;
  /** What it would contain: with line ends and byte order mark. */
  readonly after: string;
  /** It would be deleted, and `after` is empty. */
  readonly isRemoved: boolean;
}

interface Accepted extends FileResult {
  readonly isOwed: boolean;
}

/** What users have accepted and agents may therefore write without a second review, by the sessions of the agents. */
export class AcceptedTexts {
  /** For each file in the order in which they will be written: each of them replaces the one before it. */
  readonly #sessions = new Map<string, Map<Path, readonly Accepted[]>>();

  /** `isOwed`: the agent was asked to write these texts with another call. */
  add(session: string, results: readonly FileResult[], { isOwed }: { readonly isOwed: boolean }): void {
    const files = this.#sessions.get(session) ?? new Map<Path, readonly Accepted[]>();
    this.#sessions.set(session, files);
    for (const result of results) {
      const known = files.get(result.path) ?? [];
      const before = known.filter((earlier) => isSameContent(result.file, contentOf(earlier)));
      files.set(result.path, [...(before.length > 0 ? known : []), { ...result, isOwed }]);
    }
  }

  /** Whether the user has accepted exactly these results, from the same contents. `isOwed`: whether only owed ones count. */
  has(session: string, results: readonly FileResult[], { isOwed }: { readonly isOwed: boolean }): boolean {
    return results.every((result) =>
      this.#of(session, result.path).some(
        (accepted) =>
          accepted.after === result.after &&
          accepted.isRemoved === result.isRemoved &&
          isSameContent(accepted.file, result.file) &&
          (accepted.isOwed || !isOwed),
      ),
    );
  }

  /** As `has`, for a result as an agent describes it right before it writes it: without line ends. Forgets the accepted one then. */
  take(session: string, result: FileResult): boolean {
    const known = this.#of(session, result.path);
    const found = known.find((accepted) => isDescribedBy(accepted, result));
    if (found === undefined) return false;
    const others = known.filter((each) => each !== found);
    this.#sessions.get(session)?.set(result.path, others);
    return true;
  }

  /** The content on which the next call for a file works, of an agent that has not written what was accepted. `file`: its content now. */
  next(session: string, path: Path, file: FileContent): FileContent {
    const [first, ...others] = this.#of(session, path).filter(({ isOwed }) => !isOwed);
    if (first === undefined || !isSameContent(first.file, file)) return file;
    return contentOf(others.at(-1) ?? first);
  }

  /** Forgets these files, or all of the session. */
  delete(session: string, results?: readonly FileResult[]): void {
    if (results === undefined) this.#sessions.delete(session);
    for (const { path } of results ?? []) this.#sessions.get(session)?.delete(path);
  }

  #of(session: string, path: Path): readonly Accepted[] {
    return this.#sessions.get(session)?.get(path) ?? [];
  }
}

function contentOf({ after, isRemoved }: FileResult): FileContent {
  return isRemoved ? { kind: 'missing' } : { kind: 'text', text: after };
}

function isDescribedBy(accepted: Accepted, { file, after, isRemoved }: FileResult): boolean {
  if (accepted.isRemoved !== isRemoved) return false;
  const [text, described] = [plainText(accepted.after).text, plainText(after).text];
  if (accepted.file.kind !== 'text' || file.kind !== 'text') {
    // Nor does it tell whether the last line of a new file has an end.
    return accepted.file.kind === file.kind && text.replace(/\n$/, '') === described.replace(/\n$/, '');
  }
  return text === described && plainText(accepted.file.text).text === plainText(file.text).text;
}
