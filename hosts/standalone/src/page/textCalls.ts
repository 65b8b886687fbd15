import type { SharedText } from '../editor/sharedText.js';
import { PageFailure } from './pageAnswer.js';
import type { PageApiServices, PageCalls } from './pageApi.js';
import { requireReview } from './reviewCalls.js';

/** The texts that pages edit together, by `review:<id>` and `document:<path>`. */
export function textCalls({
  editor,
  paths,
  texts,
}: PageApiServices): Pick<PageCalls, 'text.open' | 'text.pull' | 'text.push'> {
  const find = (text: string): SharedText => {
    const [, kind, name = ''] = /^(review|document):(.+)$/s.exec(text) ?? [];
    if (kind === 'review') return requireReview(editor, name).text;
    const document = editor.document(name);
    if (document === undefined) throw new PageFailure('not-found', `${name} is not open.`);
    if (document.kind === 'text') return document.text;
    throw new PageFailure('refused', `${name} is not text that can be edited here.`);
  };
  return {
    'text.open': ({ text }, connection) => {
      const found = find(text);
      if (connection !== undefined) texts.follow(connection, text, found);
      return { version: found.version, content: found.content };
    },
    'text.pull': ({ text, version }) => {
      const updates = find(text).updatesSince(version);
      if (updates !== undefined) return { updates: [...updates] };
      throw new PageFailure('changed', 'The updates after that version are gone. Open the text again.');
    },
    'text.push': async ({ text, version, updates }) => {
      const found = find(text);
      if (text.startsWith('review:')) {
        return { isApplied: requireReview(editor, text.slice('review:'.length)).push(version, updates) };
      }
      await paths.require(text.slice('document:'.length));
      return { isApplied: found.push(version, updates) };
    },
  };
}
