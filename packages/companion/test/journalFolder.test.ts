import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@tandem/core';
import { newReviewKey, type SavedReview } from '@tandem/reviews';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anyCharacter } from '../../../test/anyCharacter.js';
import { Journal, type JournalContents } from '../src/index.js';
import { leftIn, openJournal } from './support/crashedJournal.js';
import { writeAll } from './support/journalSamples.js';

let root: string;
let memory: Journal;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'journal-'));
  memory = openJournal(root);
});
afterEach(() => {
  memory.close();
  rmSync(root, { recursive: true, force: true });
});

function makeReview(more: Partial<SavedReview> = {}): SavedReview {
  return {
    key: newReviewKey(),
    agent: 'claude',
    session: 'one',
    path: '/w/a.txt',
    original: { kind: 'text', text: 'old\n' },
    proposed: 'new\n',
    content: 'new\n',
    keptHunks: [],
    isOutsideWorkspace: false,
    openedAt: 1,
    ...more,
  };
}

function saved(reviews: readonly SavedReview[]): JournalContents {
  return {
    port: 1000,
    tokens: {},
    sessions: [],
    reviews: [...reviews],
    interrupted: [],
    endedInOrder: false,
  };
}

/** Resolves when all work that follows a write is done. */
async function settle(reviews: readonly SavedReview[]): Promise<void> {
  await writeAll(memory, saved(reviews), { hasEnded: true });
}

/** Each file of the journal, with its identity and its size. */
function files(): Map<string, { readonly ino: number; readonly size: number }> {
  const [name = ''] = readdirSync(root);
  return new Map(
    readdirSync(join(root, name)).map((each) => {
      const { ino, size } = statSync(join(root, name, each));
      return [each, { ino, size }];
    }),
  );
}

/** The files that were added. */
function written(before: ReadonlyMap<string, { readonly ino: number }>): string[] {
  return [...files()].filter(([name, { ino }]) => before.get(name)?.ino !== ino).map(([name]) => name);
}

/** This many code units, in lines. */
function textOf(length: number): string {
  return 'a line of the text\n'.repeat(Math.ceil(length / 19)).slice(0, length);
}

const large = textOf(3_000_000);

describe('the journal', () => {
  test('writes only the one review of many that changed', async () => {
    const reviews = Array.from({ length: 300 }, (_, at) => makeReview({ path: `/w/${at}` }));
    await writeAll(memory, saved(reviews));
    const before = files();
    const changed = reviews.map((review, at) => (at === 150 ? { ...review, content: 'typed\n' } : review));
    await writeAll(memory, saved(changed));
    expect(written(before)).toEqual([`${reviews[150]?.key}.2.json`]);
    expect((await leftIn(root)).reviews[150]?.content).toBe('typed\n');
  });

  test('writes a large text once for all reviews that share it, and an edit of it as a difference', async () => {
    const original = { kind: 'text', text: large } as const;
    const reviews = ['1', '2', '3'].map((each) =>
      makeReview({ path: '/w/same', original, proposed: `${large}${each}`, content: `${large}${each}` }),
    );
    await writeAll(memory, saved(reviews));
    const size = (): number => [...files().values()].reduce((sum, each) => sum + each.size, 0);
    expect(size()).toBeLessThan(4.1 * large.length);
    const [first, ...others] = reviews;
    if (first === undefined) return expect.unreachable();
    const typed = `${large.slice(0, 1_000_000)}typed\n${large.slice(1_000_000)}1`;
    const before = files();
    await writeAll(memory, saved([{ ...first, content: typed }, ...others]));
    const added = written(before).map((name) => files().get(name)?.size ?? 0);
    expect(added.reduce((sum, each) => sum + each, 0)).toBeLessThan(2_000);
    const left = await leftIn(root);
    expect(left.reviews.map(({ content }) => content === typed)).toEqual([true, false, false]);
    expect(left.reviews.map((each) => each.original.kind === 'text' && each.original.text === large)).toEqual(
      [true, true, true],
    );
  });

  test('keeps no text that no review needs', async () => {
    const reviews = ['1', '2'].map((each) =>
      makeReview({ original: { kind: 'text', text: large }, proposed: large + each, content: large + each }),
    );
    await settle(reviews);
    await settle(reviews.slice(1));
    expect([...files().keys()].filter((name) => name.endsWith('.utf8'))).toHaveLength(2);
    await settle([]);
    expect([...files().keys()]).toEqual([expect.stringMatching(/^companion\.\d+\.json$/)]);
  });

  test('is rewritten completely, including large texts, after its folder was removed', async () => {
    const text = textOf(20_000);
    const review = makeReview({ proposed: text, content: text });
    const other = makeReview({ path: '/w/other', proposed: `${text}x`, content: `${text}x` });
    await writeAll(memory, saved([review, other]));
    rmSync(join(root, readdirSync(root)[0] ?? ''), { recursive: true });
    await writeAll(memory, saved([{ ...review, content: `${text}typed\n` }, other]));
    expect(memory.failed.size).toBe(0);
    expect((await leftIn(root)).reviews.map(({ content }) => content)).toEqual([
      `${text}typed\n`,
      `${text}x`,
    ]);
  });

  test('has only the last version of a review once it is synced', async () => {
    const review = makeReview();
    for (let count = 0; count < 20; count++) {
      await writeAll(memory, saved([{ ...review, content: `typed ${count}\n` }]));
    }
    await settle([{ ...review, content: 'typed last\n' }]);
    await expect.poll(() => [...files().keys()]).toHaveLength(2);
    expect((await leftIn(root)).reviews[0]?.content).toBe('typed last\n');
  });

  test('returns the previous version if a power cut left the last one without its content', async () => {
    await writeAll(memory, saved([]));
    const [name = ''] = readdirSync(root);
    const review = makeReview({ content: 'typed\n' });
    await settle([review]);
    const first = join(root, name, `${review.key}.1.json`);
    copyFileSync(first, join(root, 'copy'));
    await settle([{ ...review, content: 'typed later\n' }]);
    await expect.poll(() => readdirSync(join(root, name))).not.toContain(`${review.key}.1.json`);
    copyFileSync(join(root, 'copy'), first);
    rmSync(join(root, 'copy'));
    truncateSync(join(root, name, `${review.key}.2.json`), 0);
    expect((await leftIn(root)).reviews[0]?.content).toBe('typed\n');
  });

  test('skips a review whose text differs from what was written, with one log line, and keeps the others', async () => {
    const reviews = [makeReview({ content: large }), makeReview({ content: 'typed\n' })];
    await settle(reviews);
    memory.close();
    const [name = ''] = readdirSync(root);
    const [text = ''] = [...files().keys()].filter((each) => each.endsWith('.utf8'));
    const path = join(root, name, text);
    writeFileSync(path, readFileSync(path, 'utf8').replace('line', 'LINE'));
    const lines: string[] = [];
    const write = (message: string, fields?: unknown): void =>
      void lines.push(`${message} ${JSON.stringify(fields)}`);
    const logger = { ...silentLogger, warn: write, error: write };
    memory = Journal.open({ folder: root, window: 'a', logger });
    const taken = await memory.take();
    expect(taken?.reviews.map(({ content }) => content)).toEqual(['typed\n']);
    expect(lines).toEqual([expect.stringContaining('a file of an earlier companion is ignored')]);
    expect([...files().keys()]).toContain(text);
  });

  test('removes what a kill left incomplete', async () => {
    await settle([makeReview()]);
    memory.close();
    const [name = ''] = readdirSync(root);
    const text = `${'0'.repeat(64)}.utf8`;
    for (const each of [text, 'text-1.tmp', 'companion.9.json.tmp'])
      writeFileSync(join(root, name, each), 'x');
    memory = openJournal(root);
    await memory.take();
    await settle([]);
    expect([...files().keys()]).toEqual([expect.stringMatching(/^companion/)]);
  });

  test('returns every text exactly, to the code unit', async () => {
    const piece = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(
        '\ud800',
        '\udc00x',
        '\ufeff',
        '\r\n',
        '\0',
        '"\\',
        '日本😀',
        textOf(9_000),
        '😀'.repeat(9_000),
      ),
    );
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    const texts = fc.record({ original: text, proposed: text, content: text });
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 20 }), async (all) => {
        const reviews = all.map(({ original, ...each }) =>
          makeReview({ original: { kind: 'text', text: original }, ...each }),
        );
        await writeAll(memory, saved(reviews));
        const left = (await leftIn(root)).reviews.map(({ interruptedAt: _at, ...review }) => review);
        expect(left).toEqual(reviews);
      }),
      { seed: 20_261_122, numRuns: 20 },
    );
  }, 60_000);

  test('holds the last write after any changes, and the old or the new state at any moment of a write', async () => {
    const texts = ['', 'a\n', 'b\n', textOf(10_000), `${textOf(10_000)}x`, textOf(20_000)];
    const step = fc.record({
      at: fc.nat(4),
      to: fc.oneof(fc.constant(undefined), fc.constantFrom(...texts)),
      kind: fc.constantFrom('reviews' as const, 'interrupted' as const),
      isKilled: fc.boolean(),
    });
    const companionOf = (
      model: ReadonlyMap<string, { review: SavedReview; kind: string }>,
    ): JournalContents => {
      const of = (kind: string) =>
        [...model.values()].filter((each) => each.kind === kind).map(({ review }) => review);
      return { ...saved(of('reviews')), interrupted: of('interrupted') };
    };
    const contents = (left: JournalContents): Map<string, string> =>
      new Map([...left.reviews, ...left.interrupted].map(({ key, content }) => [key, content]));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const keys = Array.from({ length: 5 }, newReviewKey);
        const model = new Map<string, { review: SavedReview; kind: string }>();
        await writeAll(memory, saved([]));
        for (const { at, to, kind, isKilled } of steps) {
          const key = keys[at] ?? '';
          const before = new Map(model);
          if (to === undefined) model.delete(key);
          else model.set(key, { review: makeReview({ key, proposed: texts[3] ?? '', content: to }), kind });
          const writing = writeAll(memory, companionOf(model));
          if (isKilled) {
            const left = contents(await leftIn(root));
            for (const each of keys) {
              const fit = [before, model].map((side) => side.get(each)?.review.content);
              expect(fit).toContain(left.get(each));
            }
          }
          await writing;
        }
        const expected = [...model.values()].map(({ review }) => [review.key, review.content]);
        expect([...contents(await leftIn(root))].sort()).toEqual(expected.sort());
      }),
      { seed: 20_261_122, numRuns: 60 },
    );
  }, 60_000);
});
