import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { stateFolder, thisMachine } from '@tandem/companion/control';
import type { Path } from '@tandem/core';
import { splitBom } from '@tandem/reviews';
import type { PageEditor } from './editor/pageEditor.js';

export interface RescuedText {
  /** The file that was edited. */
  readonly path: Path;
  readonly file: Path;
}

/**
 * Writes unsaved documents, and edited reviews without a journal, to private files in the state folder when the companion ends.
 * Throws the file system's error if one cannot be written.
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
