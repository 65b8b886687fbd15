import { silentLogger, systemClock } from '@tandem/core';
import { Review } from '@tandem/reviews';
import { afterAll, describe, expect, test } from 'vitest';
import { FileWatches } from '../../src/editor/fileWatches.js';
import { SharedText } from '../../src/editor/sharedText.js';
import { ShownReview } from '../../src/editor/shownReview.js';
import { DocumentFolder, pushInto, typeInto } from './support/documentFolder.js';

const count = 20_001;
const lines = Array.from({ length: count }, (_, at) => `line ${at} of a large file\n`);
const original = lines.join('');
const changed = lines.map((line, at) => (at % 2 === 0 ? line : `changed ${at}\n`)).join('');

const folder = new DocumentFolder();
const watches = new FileWatches(silentLogger, []);
afterAll(() => {
  folder.dispose();
  watches.dispose();
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a large text that is replaced', () => {
  test('changes in short steps, and in the same way for its pages', async () => {
    const text = new SharedText(original, (error) => {
      throw error;
    });
    const page = new SharedText(original, () => {});
    text.onDidChange(({ version, updates }) => void page.push(version, updates));
    let pauses = 0;
    await text.prepareReplace(
      () => changed,
      async () => {
        pauses += 1;
      },
    );
    expect(pauses).toBeGreaterThan(20);
    text.replace(changed);
    expect([text.content === changed, page.content === changed]).toEqual([true, true]);
    expect(text.doc.lines).toBe(count + 1);
  });
});

describe('a large review in the page', () => {
  const show = (): ShownReview =>
    new ShownReview(
      new Review(
        {
          id: '1',
          proposal: { path: '/ws/a.txt', content: changed, agent: 'claude', session: 's' },
          original: { kind: 'text', text: original },
          isOutsideWorkspace: false,
        },
        { clock: systemClock, logger: silentLogger },
      ),
      { logger: silentLogger, watches },
    );

  test('does not take an edit of the text before a change that it has not followed yet', async () => {
    const shown = show();
    const { version } = shown.text;
    await shown.review.compare(() => undefined);
    shown.review.edit(`${changed}elsewhere\n`);
    const { length } = changed;
    expect(shown.push(version, [{ clientId: 'page', changes: [length, [0, 'x', '']] }])).toBe(false);
    expect(shown.text.content).toBe(`${changed}elsewhere\n`);
    expect(pushInto(shown, `${changed}elsewhere\ntyped\n`)).toBe(true);
    expect(shown.review.content).toBe(`${changed}elsewhere\ntyped\n`);
    await turn();
    shown.review.dropHunk(0);
    shown.review.accept();
    expect(shown.text.content).toBe(shown.review.content);
    expect(shown.review.content).toBe(`${changed.replace('changed 1\n', lines[1] ?? '')}elsewhere\ntyped\n`);
    shown.dispose();
  });
});

describe('a large document', () => {
  test('keeps what is typed while its conflict is compared', async () => {
    const document = await folder.openWith(original);
    // Every other line differs: comparing takes longer than one turn.
    typeInto(document.text, `${changed}typed\n`);
    folder.write('a.txt', `first\n${original}`);
    await document.refresh();
    const comparing = document.conflict();
    await turn();
    const typed = `${changed}typed\nmore\n`;
    typeInto(document.text, typed);
    const { mine, merged } = await comparing;
    expect([mine === typed, merged === `first\n${typed}`]).toEqual([true, true]);
  });

  test('keeps what is typed while it follows its file', async () => {
    const document = await folder.openWith(original, 'b.txt');
    folder.write('b.txt', changed);
    const refreshing = document.refresh();
    await turn();
    typeInto(document.text, `${document.text.content}typed\n`);
    await refreshing;
    expect(document.text.content.endsWith('typed\n')).toBe(true);
  });

  test('keeps what is typed while unsaved changes are restored', async () => {
    const document = await folder.openWith(original, 'c.txt');
    const restoring = document.restore(original, changed);
    await turn();
    typeInto(document.text, `${document.text.content}typed\n`);
    await restoring;
    expect(document.text.content).toBe(`${changed}typed\n`);
  });
});
