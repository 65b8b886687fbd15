// @vitest-environment happy-dom
import { unifiedMergeView } from '@codemirror/merge';
import { openSearchPanel, SearchQuery, search, setSearchQuery } from '@codemirror/search';
import { EditorState, Text } from '@codemirror/state';
import { EditorView, panels } from '@codemirror/view';
import { diffByLines } from '@tandem/chat-panel/code';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findMatches, reviewSearch } from '../src/review/reviewSearch.js';

const before = 'name one\nkept name\nold name name\nend\n';
const after = 'kept name\nnew\nname\nend\nname\n';

function matchesOf(search: string, options: { caseSensitive?: boolean; regexp?: boolean } = {}): string[] {
  const original = Text.of(before.split('\n'));
  const compare = unifiedMergeView({ original, diffConfig: { override: diffByLines } });
  const state = EditorState.create({ doc: after, extensions: [compare] });
  const query = new SearchQuery({ search, ...options });
  return findMatches(state, original, query).map(({ isRemoved, from }) => {
    const line = (isRemoved ? original : state.doc).lineAt(from);
    return `${isRemoved ? '-' : ''}${line.text}`;
  });
}

describe('the matches of a search', () => {
  it('are those of the text and of removed lines, in the order of the view', () => {
    expect(matchesOf('name')).toEqual([
      '-name one',
      'kept name',
      '-old name name',
      '-old name name',
      'name',
      'name',
    ]);
  });

  it('depend on case only if the user wants it', () => {
    expect(matchesOf('NAME')).toHaveLength(6);
    expect(matchesOf('NAME', { caseSensitive: true })).toEqual([]);
  });

  it('are none without words, and for an expression that is not valid', () => {
    expect(matchesOf('')).toEqual([]);
    expect(matchesOf('(', { regexp: true })).toEqual([]);
  });
});

it('shows in the panel of the search which match of both sides is chosen', async () => {
  const panelParent = document.createElement('div');
  const compare = unifiedMergeView({
    original: Text.of(before.split('\n')),
    diffConfig: { override: diffByLines },
  });
  const extensions = [
    compare,
    panels({ topContainer: panelParent }),
    search({ top: true }),
    reviewSearch(panelParent),
  ];
  const view = new EditorView({ state: EditorState.create({ doc: after, extensions }) });
  onTestFinished(() => view.destroy());
  openSearchPanel(view);
  view.dispatch({ effects: setSearchQuery.of(new SearchQuery({ search: 'name' })) });
  await Promise.resolve();
  const count = panelParent.querySelector('[role=status]');
  expect(count?.textContent).toBe('6 results');
  const press = (name: string): void => panelParent.querySelector<HTMLElement>(`[name=${name}]`)?.click();
  press('next');
  expect(count?.textContent).toBe('1 of 6, in removed lines');
  press('next');
  expect(count?.textContent).toBe('2 of 6');
  press('prev');
  press('prev');
  expect(count?.textContent).toBe('6 of 6');
});
