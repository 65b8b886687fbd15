import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { stateFolder, thisMachine } from '@tandem/companion/control';
import { type Path, splitBom } from '@tandem/core';
import type { PageEditor } from './editor/pageEditor.js';

/** A text that was nowhere else when the companion ended, and where it lies now. */
export interface RescuedText {
  /** The file that it was meant for. */
  readonly path: Path;
  readonly file: Path;
}

/**
 * Writes what a person typed and nobody has saved or accepted into files of their own, below the state folder, for
 * this user alone; reviews only where no journal keeps them. For the end of a companion: an open page holds the same, but there may be none. Throws the file
 * system's error when one cannot be written.
 */
export function rescueUnsaved(editor: PageEditor, isJournaled: boolean): RescuedText[] {
  const texts = [
    ...(isJournaled ? [] : editor.shownReviews)
      .filter(({ review }) => review.isEdited)
      .map(({ review }) => ({ path: review.proposal.path, text: splitBom(review.content).body })),
    ...editor.openDocuments
      .filter(({ isDirty, kind }) => isDirty && kind === 'text')
      .map(({ path, text }) => ({ path, text: text.content })),
  ];
  if (texts.length === 0) return [];
  const folder = join(stateFolder(thisMachine()), 'unsaved', `${Date.now()}-${process.pid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return texts.map(({ path, text }, at) => {
    const file = join(folder, `${at + 1}-${basename(path)}`);
    writeFileSync(`${file}.tmp`, text, { mode: 0o600, flag: 'wx' });
    renameSync(`${file}.tmp`, file);
    return { path, file };
  });
}
