import { type Path, toDocumentText } from '@tandem/core';
import { readDiskFile } from '../editor/diskFile.js';
import type { OpenDocument } from '../editor/openDocument.js';
import { PageFailure } from './pageAnswer.js';
import type { PageApiServices, PageCalls } from './pageApi.js';

type DocumentCalls = Pick<
  PageCalls,
  | 'document.open'
  | 'document.close'
  | 'document.save'
  | 'document.conflict'
  | 'document.resolve'
  | 'document.restore'
  | 'focus'
>;

/**
 * The open files. Only files of the workspace are opened and written. What `tandem focus` opened from elsewhere may be
 * looked at and closed.
 */
export function documentCalls({ editor, paths }: PageApiServices): DocumentCalls {
  const find = (path: Path): OpenDocument => {
    const document = editor.document(path);
    if (document !== undefined) return document;
    throw new PageFailure('not-found', `${path} is not open.`);
  };
  return {
    'document.open': async ({ path }) => {
      await editor.openDocument(await paths.require(path));
      return null;
    },
    'document.close': async ({ path, discards }) => {
      const isOpen = editor.document(path) !== undefined;
      await editor.closeDocument(isOpen ? path : await paths.require(path), { discards: discards ?? false });
      return null;
    },
    'document.save': async ({ path, version }) => {
      await find(await paths.require(path)).save(version);
      return null;
    },
    'document.conflict': async ({ path }) => find(await paths.require(path)).conflict(),
    'document.resolve': async ({ path, choice, content }) => {
      await find(await paths.require(path)).resolve(choice, content);
      return null;
    },
    'document.restore': async ({ path: asked, base, content }) => {
      const path = await paths.require(asked);
      await editor.restoreDocument(path, base ?? (await textOnDisk(path)), content);
      return null;
    },
    focus: async ({ path, range, cursor }) => {
      if (path === undefined) editor.setFocus(undefined);
      else {
        const isOpen = editor.document(path) !== undefined;
        editor.setFocus(isOpen ? path : await paths.require(path), range, cursor);
      }
      return null;
    },
  };
}

/** Empty where there is no text: what is put there adds to nothing. */
async function textOnDisk(path: Path): Promise<string> {
  const found = await readDiskFile(path);
  return found.kind === 'text' ? toDocumentText(found.text) : '';
}
