import type { Path } from '@tandem/core';
import { toDocumentText } from '@tandem/reviews';
import { RpcError } from '@tandem/rpc';
import { readDiskFile } from '../editor/diskFile.js';
import type { OpenDocument } from '../editor/openDocument.js';
import type { SharedText } from '../editor/sharedText.js';
import type { PageHandlers, PageServices } from './pageServices.js';
import { requireReview } from './reviewCalls.js';

type DocumentCalls = Pick<
  PageHandlers,
  | 'document.open'
  | 'document.close'
  | 'document.save'
  | 'document.conflict'
  | 'document.resolve'
  | 'document.restore'
  | 'focus'
  | 'text.open'
  | 'text.pull'
  | 'text.push'
>;

/**
 * Calls about open files and the texts that pages edit together. They open and write only files of the workspace; files
 * outside it that `tandem focus` opened can be viewed and closed.
 */
export function documentCalls({ editor, paths, texts }: PageServices): DocumentCalls {
  const find = (path: Path): OpenDocument => {
    const document = editor.document(path);
    if (document !== undefined) return document;
    throw new RpcError('not-found', `${path} is not open.`);
  };
  const findText = (text: string): SharedText => {
    const [, kind, name = ''] = /^(review|document):(.+)$/s.exec(text) ?? [];
    if (kind === 'review') return requireReview(editor, name).text;
    const document = editor.document(name);
    if (document === undefined) throw new RpcError('not-found', `${name} is not open.`);
    if (document.kind === 'text') return document.text;
    throw new RpcError('refused', `${name} is not text that can be edited here.`);
  };
  return {
    'document.open': async ({ path }) => {
      await editor.openDocument(await paths.require(path));
    },
    'document.close': async ({ path, discards }) => {
      const isOpen = editor.document(path) !== undefined;
      await editor.closeDocument(isOpen ? path : await paths.require(path), { discards: discards ?? false });
    },
    'document.save': async ({ path, version }) => find(await paths.require(path)).save(version),
    'document.conflict': async ({ path }) => find(await paths.require(path)).conflict(),
    'document.resolve': async ({ path, choice, content }) =>
      find(await paths.require(path)).resolve(choice, content),
    'document.restore': async ({ path: asked, base, content }) => {
      const path = await paths.require(asked);
      await editor.restoreDocument(path, base ?? (await textOnDisk(path)), content);
    },
    focus: async ({ path, range, cursor, focusRequests }) => {
      if (focusRequests !== undefined && !editor.hasReceivedAll(focusRequests)) return;
      if (path === undefined) editor.setFocus(undefined);
      else {
        const isOpen = editor.document(path) !== undefined;
        editor.setFocus(isOpen ? path : await paths.require(path), range, cursor);
      }
    },
    'text.open': ({ text }, connection) => {
      const found = findText(text);
      if (connection !== undefined) texts.follow(connection, text, found);
      return { version: found.version, content: found.content };
    },
    'text.pull': ({ text, version }) => {
      const updates = findText(text).updatesSince(version);
      if (updates !== undefined) return { updates: [...updates] };
      throw new RpcError('changed', 'The updates after that version are gone. Open the text again.');
    },
    'text.push': async ({ text, version, updates }) => {
      const found = findText(text);
      if (text.startsWith('review:')) {
        return { isApplied: requireReview(editor, text.slice('review:'.length)).push(version, updates) };
      }
      await paths.require(text.slice('document:'.length));
      return { isApplied: found.push(version, updates) };
    },
  };
}

/** Empty if the file has no text. */
async function textOnDisk(path: Path): Promise<string> {
  const found = await readDiskFile(path);
  return found.kind === 'text' ? toDocumentText(found.text) : '';
}
