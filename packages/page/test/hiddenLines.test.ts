// @vitest-environment happy-dom
import { MergeView } from '@codemirror/merge';
import { StateEffect } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expandAt, hiddenLines } from '../src/review/hiddenLines.js';

const lines = Array.from({ length: 60 }, (_, at) => `line ${at}`);

/** Two sides of 60 lines; one has another line after the 30th. */
function openSides(): MergeView {
  const merge = new MergeView({
    parent: document.body,
    a: { doc: lines.join('\n') },
    b: { doc: lines.toSpliced(30, 0, 'added').join('\n') },
  });
  onTestFinished(() => merge.destroy());
  for (const view of [merge.a, merge.b]) view.dispatch({ effects: StateEffect.appendConfig.of(hiddenLines) });
  return merge;
}

const rows = ({ dom }: EditorView): string[] =>
  [...dom.querySelectorAll('.cm-hiddenLines')].map((row) =>
    [...row.children].map(({ textContent }) => textContent).join(', '),
  );

function press({ dom }: EditorView, title: string): void {
  const button = dom.querySelector<HTMLElement>(`button[title="${title}"]`);
  if (button === null) throw new Error(`no button ${title}`);
  button.click();
}

describe('hidden unchanged lines', () => {
  it('are all but those around a change, on both sides', () => {
    const { a, b } = openSides();
    const expected = ['Show 27 unchanged lines, ↑ 20', 'Show 27 unchanged lines, ↓ 20'];
    expect(rows(a)).toEqual(expected);
    expect(rows(b)).toEqual(expected);
  });

  it('are shown 20 at a time beside the change, on both sides', () => {
    const { a, b } = openSides();
    press(a, 'Show the last 20 of them');
    press(b, 'Show the first 20 of them');
    // The rest is shown at once.
    const expected = ['Show 7 unchanged lines', 'Show 7 unchanged lines'];
    expect(rows(a)).toEqual(expected);
    expect(rows(b)).toEqual(expected);
  });

  it('are shown where the cursor goes', () => {
    const { a, b } = openSides();
    b.dispatch({ selection: { anchor: b.state.doc.line(55).from } });
    expect(rows(a)).toEqual(['Show 27 unchanged lines, ↑ 20']);
    expect(rows(b)).toEqual(rows(a));
    expect(expandAt(a, 0)).toBe(true);
    expect(expandAt(a, 0)).toBe(false);
    expect([...rows(a), ...rows(b)]).toEqual([]);
  });

  it('are shown where an edit changes them', () => {
    const { b } = openSides();
    b.dispatch({ changes: { from: b.state.doc.line(10).from, insert: 'x' } });
    expect(rows(b)).toEqual(['Show 27 unchanged lines, ↓ 20']);
  });
});
