import type { Companion } from '@tandem/companion';
import type { CompanionChat } from '@tandem/companion/chat';
import { type Disposable, DisposableStore } from '@tandem/core';
import type { Review } from '@tandem/reviews';
import type { PageEditor } from '../editor/pageEditor.js';
import type { LivePages } from './livePages.js';

/** Pages show when an agent last sent a message; accurate to the second is enough. */
const lastMessageMs = 1_000;

/** Sends the events of a companion and its editor to the open pages until it is disposed. */
export function sendPageEvents(of: {
  readonly companion: Companion;
  readonly editor: PageEditor;
  readonly live: LivePages;
  readonly chat: CompanionChat;
}): Disposable {
  const { companion, editor, live, chat } = of;
  const store = new DisposableStore();
  const sentHunks = new WeakMap<Review, string>();
  const sendHunks = (review: Review): void => {
    // Finding the hunks of a large text is slow.
    if (!review.hasDroppedHunks && !sentHunks.has(review)) return;
    const kept = [...review.keptHunks];
    const key = kept.map(Number).join('');
    if (key === (sentHunks.get(review) ?? '1'.repeat(kept.length))) return;
    sentHunks.set(review, key);
    live.send({ event: 'hunks', id: review.id, kept });
  };
  const sentComments = new WeakMap<Review, Review['comments']>();
  const sendComments = (review: Review): void => {
    if (review.commentCount === 0 && !sentComments.has(review)) return;
    const { comments } = review;
    if (comments === sentComments.get(review)) return;
    sentComments.set(review, comments);
    live.send({ event: 'comments', id: review.id, comments: [...comments] });
  };
  store.add(editor.onDidChangeReviews(() => live.touch('reviews')));
  // Pages show a decision only once the journal has it.
  store.add(
    companion.reviews.onDidDecide(() => {
      void companion.reviews.persisted().then(() => live.touch('reviews'));
    }),
  );
  store.add(companion.reviews.onDidForget((review) => editor.forgetReview(review)));
  store.add(companion.history.onDidChange(() => live.touch('decided')));
  store.add(companion.sessions.onDidChange(() => live.touch('sessions')));
  store.add(companion.journal.onDidChange(() => live.touch('reviews')));
  store.add(companion.interrupted.onDidChange(() => live.touch('interrupted')));
  store.add(companion.reviews.onDidChange(sendHunks));
  store.add(companion.reviews.onDidChange(sendComments));
  store.add(editor.onDidChangeDocuments(() => live.touch('documents', 'interrupted')));
  store.add(
    // A page must know the document before it receives the request to show it.
    editor.onDidRequestShow(({ path, range, takesFocus, count }) => {
      const event = { event: 'show', path, ...(range && { range }), takesFocus, count } as const;
      void live.sendAfter('documents', event);
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
  let agentsTimer: NodeJS.Timeout | undefined;
  store.add(
    companion.agents.onDidReceive(() => {
      agentsTimer ??= setTimeout(() => {
        agentsTimer = undefined;
        // A session may have another title.
        live.touch('agents', 'sessions');
      }, lastMessageMs);
    }),
  );
  store.add({ dispose: () => clearTimeout(agentsTimer) });
  return store;
}
