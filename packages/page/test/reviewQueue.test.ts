// @vitest-environment happy-dom

import type { ReviewFacts, ReviewSummary } from '@tandem/rpc';
import { screen, within } from '@testing-library/dom';
import { act, createElement } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReviewQueue } from '../src/review/reviewQueue.js';
import { pageReview } from './support/pageReview.js';
import { renderInPage } from './support/renderInPage.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const warning = (kind: string, title: string) => ({ kind, isWarning: true, title, text: `${title}.` });

function render(state: { reviews?: readonly ReviewSummary[]; interrupted?: readonly ReviewFacts[] }) {
  const page = renderInPage(createElement(ReviewQueue, { selectedId: undefined, onSelect: () => {} }));
  act(() => page.store.setState(state));
  return page;
}

const rows = (): string[] =>
  screen
    .queryAllByRole('list', { name: /^Pending/ })
    .flatMap((list) => within(list).getAllByRole('button'))
    .map((row) => row.querySelector('strong')?.textContent ?? '');

const many = Array.from({ length: 9 }, (_, at) => pageReview({ id: `${at}`, label: `src/file${at}.ts` }));

describe('the queue of reviews', () => {
  it('does not say that there are none before the host has listed them', () => {
    const { store } = render({});
    expect(screen.queryByText('No pending reviews')).toBeNull();
    screen.getByText('Loading…');
    act(() => store.setState({ isListed: true }));
    screen.getByText('No pending reviews');
  });

  it('marks each warning once, in a word, and what changed the text', () => {
    const notes = [
      warning('conflict', 'Changed on disk'),
      warning('markers', 'Conflict markers'),
      warning('git', 'In a .git folder'),
    ];
    render({ reviews: [pageReview({ notes, isEdited: true, isMerged: true })] });
    const row = screen.getByRole('button', { name: /a\.ts/ });
    expect(within(row).getAllByText('conflict')).toHaveLength(1);
    within(row).getByText('.git');
    within(row).getByText('Changed on disk');
    within(row).getByText('Merged');
    expect(within(row).queryByText('Edited')).toBeNull();
  });

  it('shows the interrupted reviews first, and of these the edited ones', () => {
    const interrupted = ['plain.ts', 'edited.ts'].map((label) =>
      pageReview({ id: label, label, state: 'interrupted', isEdited: label === 'edited.ts' }),
    );
    render({ reviews: [pageReview()], interrupted });
    const labels = screen.getAllByRole('listitem').map((item) => item.textContent);
    expect(labels[0]).toContain('edited.ts');
    expect(labels[1]).toContain('plain.ts');
    expect(labels[2]).toContain('a.ts');
  });
});

describe('the filter of the queue', () => {
  it('is shown for a long list, and finds reviews by all words of their rows', () => {
    const { store } = render({ reviews: many.slice(0, 8) });
    expect(screen.queryByRole('searchbox')).toBeNull();
    const special = pageReview({
      id: 's',
      label: '.env',
      notes: [warning('hidden', 'Hidden from the agent')],
    });
    act(() => store.setState({ reviews: [...many, special] }));
    const type = (text: string): void => {
      const field = screen.getByRole<HTMLInputElement>('searchbox', { name: 'Filter reviews' });
      act(() => {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text);
        field.dispatchEvent(new Event('input', { bubbles: true }));
      });
    };
    type('gemini FILE3');
    expect(rows()).toEqual(['file3.ts']);
    // All of them would be more than the list shows.
    expect(screen.queryByRole('button', { name: 'Accept all' })).toBeNull();
    type('hidden');
    expect(rows()).toEqual(['.env']);
    type('nothing like this');
    screen.getByText('No pending review matches the filter.');
    type(' ');
    expect(rows()).toHaveLength(10);
    screen.getByRole('button', { name: 'Accept all' });
  });
});
