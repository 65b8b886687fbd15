import type { Companion } from '@tandem/companion';
import type { CompanionChat } from '@tandem/companion/chat';
import { type Disposable, DisposableStore, type Review } from '@tandem/core';
import type { PageEditor } from '../editor/pageEditor.js';
import type { LivePages } from './livePages.js';

/** Pages say when an agent last spoke; to the second is enough. */
const heardMs = 1_000;

/** Tells the open pages what happens in a companion and its editor, until it is disposed. */
export function tellPages(of: {
  readonly companion: Companion;
  readonly editor: PageEditor;
  readonly live: LivePages;
  readonly chat: CompanionChat;
}): Disposable {
  const { companion, editor, live, chat } = of;
  const store = new DisposableStore();
  const told = new WeakMap<Review, string>();
  const tellHunks = (review: Review): void => {
    const kept = [...review.keptHunks];
    const key = kept.map(Number).join('');
    if (key === (told.get(review) ?? '1'.repeat(kept.length))) return;
    told.set(review, key);
    live.tell({ event: 'hunks', id: review.id, kept });
  };
  store.add(editor.onDidChangeReviews(() => live.touch('reviews')));
  // Until then a decision is shown as none.
  store.add(
    companion.reviews.onDidDecide(() => {
      void companion.reviews.writtenDown().then(() => live.touch('reviews'));
    }),
  );
  store.add(companion.journal.onDidChange(() => live.touch('reviews')));
  store.add(companion.interrupted.onDidChange(() => live.touch('interrupted')));
  store.add(companion.reviews.onDidChange(tellHunks));
  store.add(editor.onDidChangeDocuments(() => live.touch('documents', 'interrupted')));
  store.add(
    // A page that is told to show a document knows it by then.
    editor.onDidRequestShow(({ path, range, takesFocus }) => {
      void live.tellAfter('documents', { event: 'show', path, ...(range && { range }), takesFocus });
    }),
  );
  store.add(chat.onDidChangeStatus(() => live.touch('chat-status')));
  store.add(companion.feed.onDidChange(() => live.touch('sharing')));
  store.add(companion.policy.onDidChange(() => live.touch('sharing', 'documents')));
  store.add(
    companion.onEvent(({ event }) => {
      if (event === 'session.connected' || event === 'session.closed') live.touch('agents', 'sharing');
      if (event === 'session.lost' || event === 'session.returned') live.touch('agents');
    }),
  );
  let hearing: NodeJS.Timeout | undefined;
  store.add(
    companion.agents.onDidReceive(() => {
      hearing ??= setTimeout(() => {
        hearing = undefined;
        live.touch('agents');
      }, heardMs);
    }),
  );
  store.add({ dispose: () => clearTimeout(hearing) });
  return store;
}
