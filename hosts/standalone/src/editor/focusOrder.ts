import type { LineEndKind, OpenFile, Path, Range, Selection } from '@tandem/core';
import type { OpenDocument } from './openDocument.js';

/** Where in a document a person was. */
export interface Place {
  readonly range?: Range;
  /** The end of the range that the caret stands at; the end when left out. */
  readonly cursor?: 'start' | 'end';
  /** The selection as it was read from the disk, for a file that is not edited here. */
  readonly foreign?: Selection;
}

interface Visit extends Place {
  readonly document: OpenDocument;
  /** Unix time in milliseconds. */
  readonly lastFocusedAt: number;
  /** The selection as it was found last, in that version of the text and with these ends. */
  found?: { readonly version: number; readonly lineEnds: LineEndKind; readonly selection: Selection };
}

/** When and where a person was last in each open document; the one that had the focus last comes first. */
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

  /** The documents, the one that was left alone for longest last. */
  get documents(): readonly OpenDocument[] {
    return this.#visits.map(({ document }) => document);
  }

  /**
   * What agents may receive: the files that are on disk, as values that stay as they are, and the one that has the focus.
   * Cheap unless texts have changed.
   */
  snapshot(): { readonly openFiles: OpenFile[]; readonly activePath?: Path } {
    const onDisk = this.#visits.filter(({ document }) => !document.isMissing);
    const active = onDisk.find(({ document }) => document.path === this.#activePath);
    return {
      openFiles: onDisk.map(openFileOf),
      ...(active && { activePath: active.document.path }),
    };
  }

  placeIn(document: OpenDocument): Place | undefined {
    return this.#find(document);
  }

  /**
   * Notes where the person is, or still was when no place is given. A document that is new or takes the focus comes
   * first, or behind the one that has the focus and keeps it.
   */
  visit(document: OpenDocument, takesFocus: boolean, place: Place = {}): void {
    const known = this.#find(document);
    const lastFocusedAt = takesFocus || known === undefined ? Date.now() : known.lastFocusedAt;
    const visit: Visit = { ...(place.range === undefined ? known : place), document, lastFocusedAt };
    if (takesFocus) this.#activePath = document.path;
    if (known !== undefined && !takesFocus) {
      this.#visits = this.#visits.map((other) => (other === known ? visit : other));
      return;
    }
    const others = this.#visits.filter((other) => other !== known);
    const keepsFocus = !takesFocus && others[0] !== undefined && others[0].document.path === this.#activePath;
    this.#visits = others.toSpliced(keepsFocus ? 1 : 0, 0, visit);
  }

  /** No file has the focus any more. */
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

/** The selection in the text as it is now. A snapshot is taken often: it is found once for each version. */
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
