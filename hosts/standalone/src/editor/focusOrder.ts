import type { OpenFile, Path, Range, Selection } from '@tandem/core';
import type { LineEndKind } from '@tandem/reviews';
import type { OpenDocument } from './openDocument.js';

/** The user's last location in a document. */
export interface Location {
  readonly range?: Range;
  /** The end of the range at which the cursor is. Default: `end`. */
  readonly cursor?: 'start' | 'end';
  /** The selection as read from the disk, for a file that is not edited here. */
  readonly foreign?: Selection;
}

interface Visit extends Location {
  readonly document: OpenDocument;
  /** Unix time in milliseconds. */
  readonly lastFocusedAt: number;
  /** The last computed selection, for a version of the text and its line ends. */
  found?: { readonly version: number; readonly lineEnds: LineEndKind; readonly selection: Selection };
}

/** When and where the user last was in each open document, the last active one first. */
export class FocusOrder {
  #visits: readonly Visit[] = [];
  #activePath: Path | undefined;

  /** The file that has the focus. */
  get activePath(): Path | undefined {
    return this.#activePath;
  }

  get size(): number {
    return this.#visits.length;
  }

  /** The documents, the least recently used one last. */
  get documents(): readonly OpenDocument[] {
    return this.#visits.map(({ document }) => document);
  }

  /**
   * The open files that exist on disk, and the active one. Cheap unless texts have changed.
   */
  snapshot(): { readonly openFiles: OpenFile[]; readonly activePath?: Path } {
    const onDisk = this.#visits.filter(({ document }) => !document.isMissing);
    const active = onDisk.find(({ document }) => document.path === this.#activePath);
    return {
      openFiles: onDisk.map(openFileOf),
      ...(active && { activePath: active.document.path }),
    };
  }

  locationIn(document: OpenDocument): Location | undefined {
    return this.#find(document);
  }

  /**
   * Records the user's location; without a range, the last one stays. A new document, or one that takes the focus, comes
   * first, or second if the first one keeps the focus.
   */
  visit(document: OpenDocument, takesFocus: boolean, location: Location = {}): void {
    const known = this.#find(document);
    const lastFocusedAt = takesFocus || known === undefined ? Date.now() : known.lastFocusedAt;
    const visit: Visit = { ...(location.range === undefined ? known : location), document, lastFocusedAt };
    if (takesFocus) this.#activePath = document.path;
    if (known !== undefined && !takesFocus) {
      this.#visits = this.#visits.map((other) => (other === known ? visit : other));
      return;
    }
    const others = this.#visits.filter((other) => other !== known);
    const keepsFocus = !takesFocus && others[0] !== undefined && others[0].document.path === this.#activePath;
    this.#visits = others.toSpliced(keepsFocus ? 1 : 0, 0, visit);
  }

  leave(): void {
    this.#activePath = undefined;
  }

  forget(document: OpenDocument): void {
    this.#visits = this.#visits.filter((visit) => visit.document !== document);
    if (document.path === this.#activePath) this.#activePath = undefined;
  }

  #find(document: OpenDocument): Visit | undefined {
    return this.#visits.find((visit) => visit.document === document);
  }
}

function openFileOf(visit: Visit): OpenFile {
  const { document, lastFocusedAt } = visit;
  const selection = visit.foreign ?? selectionOf(visit);
  return { path: document.path, lastFocusedAt, ...(selection && { selection }) };
}

/** The selection in the current text, cached by version: snapshots are frequent. */
function selectionOf(visit: Visit): Selection | undefined {
  const { document, range, cursor } = visit;
  if (range === undefined || document.kind !== 'text') return undefined;
  const { lineEnds } = document;
  const { version } = document.text;
  if (visit.found?.version !== version || visit.found.lineEnds !== lineEnds) {
    const selection = document.selection(range);
    visit.found = {
      version,
      lineEnds,
      selection: cursor === 'start' ? { ...selection, cursor: selection.range.start } : selection,
    };
  }
  return visit.found.selection;
}
