import { ChangeSet } from '@codemirror/state';
import { type Question, type ReviewSummary, RpcError } from '@tandem/rpc';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { QuestionDialog } from '../src/app/dialogs.js';
import { NoticeBoard } from '../src/app/notices.js';
import { reviewTab, TabList } from '../src/app/tabList.js';
import { createPageStore, type PageHost } from '../src/client/pageStore.js';
import { TextSessions } from '../src/client/textSessions.js';
import { closeReviewTab } from '../src/review/closeReviewTab.js';
import { Closings } from '../src/review/closings.js';
import type { PageEvent } from '../src/wire/index.js';
import { pageReview } from './support/pageReview.js';

const path = '/w/.git/hooks/pre-commit';
const review = pageReview({ path, label: '.git/hooks/pre-commit', isEdited: true });

type Choice = Question['choices'][number];

const accept: Choice = { kind: 'accept', label: 'Accept', answer: {} };
const closing: Question = {
  message: 'You edited the proposal. Decide it now?',
  detail: 'It stays in the list.',
  concerns: [],
  choices: [
    { kind: 'keep', label: 'Keep pending', answer: {} },
    { kind: 'show', label: 'Show again', answer: {} },
    accept,
  ],
};

/**
 * A page with this one review in a tab, and a host that asks what closing it means; with `asks`, also before it accepts.
 * `choose` answers the questions.
 */
function makePage(pending: ReviewSummary, choose: (asked: Question) => Choice | undefined, asks?: Question) {
  const listeners = new Set<(event: PageEvent) => void>();
  const accepted: unknown[] = [];
  let version = 0;
  const notify = (event: PageEvent): void => {
    for (const listener of [...listeners]) listener(event);
  };
  const closed: boolean[] = [];
  const answers: Record<
    string,
    (params: { version?: number; answer?: unknown; canUndo?: boolean }) => unknown
  > = {
    'text.open': () => ({ version, content: 'text' }),
    'review.close': ({ canUndo }) => {
      if (!pending.isEdited) {
        closed.push(canUndo === true);
        return canUndo ? { note: 'Closing rejects it.', undoMs: 10_000 } : {};
      }
      throw new RpcError('question', closing.message, { question: closing });
    },
    'review.accept': (params) => {
      accepted.push(params);
      if (asks !== undefined && params.answer === undefined)
        throw new RpcError('question', asks.message, { question: asks });
      if (params.version !== version) throw new RpcError('changed', 'The text changed meanwhile.');
      return { state: 'accepted' };
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
    choose: async (asked: Question) => choose(asked),
    openReview: (id: string) => page.closings.cancel(id),
    closings: new Closings({ host, store }, notices),
  };
  page.tabs.add(reviewTab(pending.id));
  const typeElsewhere = (): void => {
    const changes = ChangeSet.of({ from: 0, insert: 'theirs ' }, 'text'.length).toJSON();
    const updates = [{ clientId: 'another', changes }];
    notify({ event: 'text', text: `review:${pending.id}`, version: version++, updates });
  };
  const errors = (): string[] => notices.state.getState().notices.map(({ text }) => text);
  return { page, accepted, typeElsewhere, errors, closed };
}

test.each([
  ['closes it if the user keeps it pending', 'keep', true],
  ['leaves it open if the user cancels', undefined, false],
])('closing the tab of an edited review %s', async (_what, kind, isClosed) => {
  const { page, accepted } = makePage(review, ({ choices }) => choices.find((each) => each.kind === kind));
  expect(await closeReviewTab(page, '1')).toBe(isClosed);
  expect(accepted).toEqual([]);
});

test('closing a tab accepts the text that was shown when the question came, and not what came in behind it', async () => {
  const { page, accepted, typeElsewhere, errors } = makePage(review, () => {
    typeElsewhere();
    return accept;
  });
  expect(await closeReviewTab(page, '1')).toBe(false);
  expect(accepted).toMatchObject([{ id: '1', version: 0 }]);
  expect(errors()).toEqual(['The review of .git/hooks/pre-commit stays open: The text changed meanwhile.']);
});

const question: Question = {
  message: 'Accept the proposal for .git/hooks/pre-commit?',
  detail: 'This file is in a .git folder. Git may run commands that it contains.',
  concerns: [{ kind: 'git', text: 'This file is in a .git folder. Git may run commands that it contains.' }],
  choices: [{ kind: 'confirm', label: 'Accept anyway', answer: { confirmed: ['git'] } }],
};

test('closing a tab asks what the host asks, accepts with the answer, and stays open without one', async () => {
  for (const isConfirmed of [true, false]) {
    const confirm = isConfirmed ? question.choices[0] : undefined;
    const { page, accepted } = makePage(review, (asked) => (asked === closing ? accept : confirm), question);
    expect(await closeReviewTab(page, '1')).toBe(isConfirmed);
    const confirmed = { id: '1', version: 0, answer: { confirmed: ['git'] } };
    expect(accepted).toEqual([{ id: '1', version: 0 }, ...(isConfirmed ? [confirmed] : [])]);
  }
});

test('a question has a line for each sentence, cancels first, and confirms on a button with the verb', () => {
  const words = renderToStaticMarkup(
    createElement(QuestionDialog, {
      dialog: { kind: 'question', question, answer: () => {} },
      onClose: () => {},
    }),
  );
  expect(words).toMatch(
    /Accept the proposal for \.git\/hooks\/pre-commit\?.*<p>This file is in a \.git folder.*<\/p>/,
  );
  expect(words).toMatch(/data-first.*Cancel.*Accept anyway/);
});

test('closing rejects after the time for an undo, and not at all if the user takes it', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { page, closed, errors } = makePage({ ...review, isEdited: false }, () => undefined);
  const undo = () => page.notices.state.getState().notices[0]?.action?.run();
  expect(await closeReviewTab(page, '1')).toBe(true);
  expect([closed, errors()]).toEqual([[true], ['Closing rejects it.']]);
  expect(page.services.store.getState().closing).toEqual(['1']);
  undo();
  await vi.advanceTimersByTimeAsync(20_000);
  expect([closed, errors(), page.services.store.getState().closing]).toEqual([[true], [], []]);

  await closeReviewTab(page, '1');
  await vi.advanceTimersByTimeAsync(9_999);
  expect(closed).toEqual([true, true]);
  await vi.advanceTimersByTimeAsync(1);
  expect([closed, errors()]).toEqual([[true, true, false], []]);
});
