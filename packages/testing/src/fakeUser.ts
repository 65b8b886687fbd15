import type { Diagnostic, Path, Range } from '@tandem/core';
import type { Review } from '@tandem/reviews';
import type { EditorUser } from './editorUnderTest.js';
import type { FakeDocuments } from './fakeDocuments.js';

/** What a `FakeEditor` exposes to its simulated user. */
export interface FakeEditorSurface {
  readonly documents: FakeDocuments;
  readonly reviewsInView: () => readonly Review[];
  readonly setTrusted: (isTrusted: boolean) => void;
  readonly setFolders: (folders: readonly Path[]) => void;
  readonly setDiagnostics: (path: Path, diagnostics: readonly Diagnostic[]) => void;
}

/** The user of a `FakeEditor`. Actions take effect before the call returns; impossible ones throw. */
export class FakeUser implements EditorUser {
  readonly #surface: FakeEditorSurface;

  constructor(surface: FakeEditorSurface) {
    this.#surface = surface;
  }

  /** Opens a file when it is not open, and gives it the focus. With `text` it need not be on disk. */
  focus(path: Path, text?: string): void {
    this.#surface.documents.focus(path, text);
  }

  /** Moves the focus out of all files. */
  blur(): void {
    this.#surface.documents.blur();
  }

  select(path: Path, range: Range): void {
    this.#surface.documents.select(path, range);
  }

  type(path: Path, text: string): void {
    this.#surface.documents.type(path, text);
  }

  /** Saves an open file. Throws when it cannot be written. */
  save(path: Path): void {
    this.#surface.documents.write(path);
  }

  /** Gives an open file another path. The test moves the file on disk. */
  rename(from: Path, to: Path): void {
    this.#surface.documents.rename(from, to);
  }

  /** Closes a file and discards unsaved changes. */
  close(path: Path): void {
    this.#surface.documents.discard(path);
  }

  setTrusted(isTrusted: boolean): void {
    this.#surface.setTrusted(isTrusted);
  }

  setFolders(folders: readonly Path[]): void {
    this.#surface.setFolders(folders);
  }

  setDiagnostics(path: Path, diagnostics: readonly Diagnostic[]): void {
    this.#surface.setDiagnostics(path, diagnostics);
  }

  /** The reviews that are on the screen, the oldest first. */
  reviewsInView(): readonly Review[] {
    return this.#surface.reviewsInView();
  }

  edit(review: Review, text: string): void {
    this.#requireInView(review);
    review.edit(text);
  }

  /** Accepts the current text. Throws when the review has already ended. */
  accept(review: Review): void {
    this.#requireInView(review);
    if (!review.accept()) throw new Error(`Review ${review.id} is already ${review.state}.`);
  }

  /** Throws when the review has already ended. */
  reject(review: Review): void {
    this.#requireInView(review);
    if (!review.reject()) throw new Error(`Review ${review.id} is already ${review.state}.`);
  }

  keepHunk(review: Review, index: number): void {
    this.#requireInView(review);
    review.keepHunk(index);
  }

  dropHunk(review: Review, index: number): void {
    this.#requireInView(review);
    review.dropHunk(index);
  }

  /** Users can only act on reviews that they see. */
  #requireInView(review: Review): void {
    if (this.reviewsInView().includes(review)) return;
    throw new Error(`Review ${review.id} of ${review.proposal.path} is not in view.`);
  }
}
