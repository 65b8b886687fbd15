// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/dom';
import { act, createElement } from 'react';
import { expect, it } from 'vitest';
import { documentTab } from '../src/app/tabList.js';
import { TabStrip } from '../src/app/tabStrip.js';
import { renderInPage } from './support/renderInPage.js';

const names = ['a.ts', 'b.ts', 'c.ts'];

/** Three tabs; the first is active. */
function openTabs(): void {
  const { shell } = renderInPage(createElement(TabStrip));
  act(() => {
    for (const name of names) shell.tabs.add(documentTab(`/w/${name}`));
    shell.activate(documentTab('/w/a.ts').key);
  });
  selected().focus();
}

const selected = (): HTMLElement => screen.getByRole('tab', { selected: true });

async function press(key: string, expected: string): Promise<void> {
  fireEvent.keyDown(selected(), { key });
  await waitFor(() => {
    expect(selected().textContent).toBe(expected);
    expect(document.activeElement).toBe(selected());
  });
}

it('is walked through by arrow keys, which start again at the other end, and by Home and End', async () => {
  openTabs();
  await press('ArrowRight', 'b.ts');
  await press('ArrowRight', 'c.ts');
  await press('ArrowRight', 'a.ts');
  await press('ArrowLeft', 'c.ts');
  await press('Home', 'a.ts');
  await press('End', 'c.ts');
});

it('closes the active tab by Delete, and stays in the strip', async () => {
  openTabs();
  fireEvent.keyDown(selected(), { key: 'Delete' });
  await waitFor(() => {
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['b.ts', 'c.ts']);
    expect(document.activeElement).toBe(selected());
  });
});

it('leaves keys with a modifier to the page', () => {
  openTabs();
  for (const modifier of ['altKey', 'ctrlKey', 'metaKey'])
    fireEvent.keyDown(selected(), { key: 'ArrowRight', [modifier]: true });
  expect(selected().textContent).toBe('a.ts');
});

it('has one tab in the order of the keyboard: the active one', () => {
  openTabs();
  expect(screen.getAllByRole('tab').map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1]);
});
