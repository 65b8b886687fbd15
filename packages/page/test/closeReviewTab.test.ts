import { ChangeSet } from '@codemirror/state';
import { RpcError } from '@tandem/rpc';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { CloseReviewDialog } from '../src/app/dialogs.js';
import { NoticeBoard } from '../src/app/notices.js';
import type { CloseReviewChoice } from '../src/app/shellState.js';
import { reviewTab, TabList } from '../src/app/tabList.js';
import { createPageStore, type PageHost } from '../src/client/pageStore.js';
import { TextSessions } from '../src/client/textSessions.js';
import { closeReviewTab } from '../src/review/closeReviewTab.js';
import type { PageEvent, PageReview } from '../src/wire/index.js';
import { pageReview } from './support/pageReview.js';

const path = '/w/.git/hooks/pre-commit';
const review = pageReview({ path, label: '.git/hooks/pre-commit', isEdited: true });

/** A page with this one review in a tab, and a host that asks what closing it means. `choose` answers the dialog. */
function makePage(pending: PageReview, choose: (asked: PageReview) => CloseReviewChoice) {
  const listeners = new Set<(event: PageEvent) => void>();
  const accepted: unknown[] = [];
  let version = 0;
  const notify = (event: PageEvent): void => {
    for (const listener of [...listeners]) listener(event);
  };
  const answers: Record<string, (params: { version?: number }) => unknown> = {
    'text.open': () => ({ version, content: 'text' }),
    'review.accept': (params) => {
      accepted.push(params);
      if (params.version !== version) throw new RpcError('changed', 'The text changed meanwhile.');
      return null;
    },
  };
  const host: PageHost = {
    connection: 'open',
    request: async (method, params) => answers[method]?.(params as { version?: number }) as never,
    onEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onConnection: () => () => {},
    start: () => {},
    retry: () => {},
    close: () => {},
  };
  const store = createPageStore(host);
  store.setState({ reviews: [pending] });
  const notices = new NoticeBoard();
  const page = {
    services: { host, store, texts: new TextSessions(host, store) },
    tabs: new TabList(),
    notices,
    advancedAt: Number.NEGATIVE_INFINITY,
    askAboutReview: async (asked: PageReview) => choose(asked),
  };
  page.tabs.add(reviewTab(pending.id));
  const typeElsewhere = (): void => {
    const changes = ChangeSet.of({ from: 0, insert: 'theirs ' }, 'text'.length).toJSON();
    const updates = [{ clientId: 'another', changes }];
    notify({ event: 'text', text: `review:${pending.id}`, version: version++, updates });
  };
  const errors = (): string[] => notices.state.getState().notices.map(({ text }) => text);
  return { page, accepted, typeElsewhere, errors };
}

test('closing a tab accepts the text that was shown when the question came, and not what came in behind it', async () => {
  const { page, accepted, typeElsewhere, errors } = makePage(review, () => {
    typeElsewhere();
    return 'accept';
  });
  expect(await closeReviewTab(page, '1')).toBe(false);
  expect(accepted).toMatchObject([{ id: '1', version: 0 }]);
  expect(errors()).toEqual(['The review of .git/hooks/pre-commit stays open: The text changed meanwhile.']);
});

test('closing a tab accepts over a changed file only when the question named that', async () => {
  for (const isFileChanged of [false, true]) {
    const asked: PageReview[] = [];
    const { page, accepted } = makePage({ ...review, isFileChanged }, (each) => {
      asked.push(each);
      return 'accept';
    });
    expect(await closeReviewTab(page, '1')).toBe(true);
    expect([asked, accepted]).toMatchObject([
      [{ isFileChanged }],
      [{ id: '1', version: 0, overwrites: isFileChanged }],
    ]);
  }
});

test('the question on closing a tab names what makes accepting dangerous', () => {
  const wordsFor = (asked: PageReview): string =>
    renderToStaticMarkup(
      createElement(CloseReviewDialog, {
        dialog: { kind: 'close-review', review: asked, answer: () => {} },
        onClose: () => {},
      }),
    );
  expect(wordsFor(review)).not.toMatch(/\.git folder|changed on disk|and replace/);
  const dangerous = wordsFor({ ...review, isInGitFolder: true, isFileChanged: true });
  expect(dangerous).toMatch(
    /in a \.git folder\. Git may run.*changed on disk, on lines that this proposal also changes.*Accept and overwrite/,
  );
});
