import { newReviewKey } from '@tandem/reviews';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Companion } from '../src/index.js';
import { CrashSite } from './support/crashSite.js';
import { useSuccessiveCompanions } from './support/successiveCompanions.js';

const createSite = useSuccessiveCompanions();

describe('the number of a review', () => {
  test('stays when its agent disconnects, and the review is listed once', async () => {
    const { begin, path } = createSite({ 'a.txt': 'one\n' });
    const first = await begin();
    const { client } = await first.found();
    const claude = await first.connect('claude');
    for (const [at, proposed] of ['ONE\n', 'TWO\n'].entries()) {
      claude.beginOpenDiff(path, proposed, `tab ${at}`);
      const opened = first.event('review.opened', ({ id }) => id === String(at + 1));
      first.companion.reviews.get((await opened).id)?.edit('mine\n');
    }
    await claude.close();
    await expect.poll(() => first.companion.reviews.pending).toEqual([]);
    for (const all of [false, true]) {
      expect(await client.call('review.list', { all })).toMatchObject([
        { id: '1', state: 'interrupted' },
        { id: '2', state: 'interrupted' },
      ]);
    }
    expect(await client.call('review.show', { id: '2' })).toMatchObject({ state: 'interrupted' });
    await client.call('review.discard', { ids: ['2'], answer: {} });
    expect(await client.call('review.show', { id: '2' })).toMatchObject({ state: 'withdrawn' });
  });

  test('is a new one if the journal has none, or one of another review', async () => {
    const { begin, path } = createSite({ 'a.txt': 'one\n' });
    const first = await begin();
    await first.companion.reviews.propose({ path, content: 'two\n', agent: 'gemini', session: 'one' });
    const left = first.companion.save();
    await first.companion.stop();
    const [review] = left.reviews;
    if (review === undefined) return expect.unreachable();
    const { number: _none, ...unnumbered } = { ...review, key: newReviewKey(), content: 'other\n' };
    const same = { ...review, key: newReviewKey(), content: 'more\n' };
    const second = await begin({ before: { ...left, interrupted: [unnumbered, same] } });
    const numbers = second.companion.interrupted.all.map(({ id, content }) => [content, id]);
    expect(Object.fromEntries(numbers)).toEqual({ 'more\n': '1', 'other\n': '2', 'two\n': '3' });
    expect(second.companion.save().interrupted.map(({ number }) => number)).toEqual(['2', '1', '3']);
  });

  test('and its text stay through decisions, crashes and repeated proposals', async () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ do: fc.constant('propose' as const), which: fc.nat(3) }) },
      {
        weight: 5,
        arbitrary: fc.record({
          do: fc.constantFrom(
            'edit' as const,
            'accept' as const,
            'reject' as const,
            'withdraw' as const,
            'answer' as const,
            'type late' as const,
          ),
          which: fc.nat(3),
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), which: fc.constant(0) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
        const site = await CrashSite.open();
        try {
          const files = ['a.txt', 'b.txt'].map((name) => site.write(name, 'one\n'));
          for (const [at, { do: what, which }] of steps.entries()) {
            const { companion } = site.stage;
            const review = companion.reviews.pending[which];
            if (what === 'propose')
              await proposeAgain(companion, files[which % 2] ?? '', `${which}\n`, site.crashes);
            else if (what === 'crash') await crash(site);
            else if (what === 'edit') review?.edit(`typed ${at}\n`);
            else if (what === 'accept') review?.accept();
            else if (what === 'reject') review?.reject();
            else if (what === 'answer') answer(companion, which);
            else if (what === 'type late') typeLate(companion, which, `late ${at}\n`);
            else review?.withdraw('agent');
            expectOneNumberEach(site.stage.companion);
          }
          await crash(site);
        } finally {
          await site.end();
          site.dispose();
        }
      }),
      { numRuns: 12 },
    );
  });
});

/** The reviews that are pending or interrupted, with their numbers and texts. */
function openIn(companion: Companion) {
  const { reviews, interrupted } = companion.save();
  return [...reviews, ...interrupted]
    .map(({ number, path: file, proposed, content }) => ({ number, file, proposed, content }))
    .sort((one, other) => Number(one.number) - Number(other.number));
}

function expectOneNumberEach(companion: Companion): void {
  const open = openIn(companion);
  expect(new Set(open.map(({ number }) => number)).size).toBe(open.length);
  const { entries } = companion.history;
  expect(new Set(entries.map(({ decided }) => decided.id)).size).toBe(entries.length);
  for (const { decided, path: file, proposed } of entries) {
    const same = open.find(({ number }) => number === decided.id);
    if (same !== undefined) expect(same).toMatchObject({ file, proposed });
  }
}

/** After a crash, the next companion has every open review, with its number. */
async function crash(site: CrashSite): Promise<void> {
  await site.stage.companion.reviews.persisted();
  const before = openIn(site.stage.companion);
  const decided = site.stage.companion.history.entries;
  await site.crash();
  const { companion } = site.stage;
  expect(companion.reviews.pending).toEqual([]);
  const after = openIn(companion);
  expect(before).toEqual(expect.arrayContaining(after));
  // A review that another one equals is offered once.
  const withoutNumber = ({ number: _, ...texts }: (typeof before)[number]) => texts;
  expect(after.map(withoutNumber)).toEqual(expect.arrayContaining(before.map(withoutNumber)));
  expect(companion.history.entries).toEqual(decided);
}

/** The agent receives the answer to one of the last decided reviews. */
function answer({ reviews }: Companion, which: number): void {
  const ended = reviews.ended.filter(({ state }) => state !== 'withdrawn').at(-1 - which);
  if (ended !== undefined) reviews.noteAnswered(ended);
}

/** What the user typed arrives after the review was withdrawn. */
function typeLate({ reviews, interrupted }: Companion, which: number, text: string): void {
  const ended = reviews.ended.filter(({ state }) => state === 'withdrawn').at(-1 - which);
  if (ended !== undefined) interrupted.keepTyped(ended, text);
}

/** A proposal that was undecided in an earlier companion continues with its number and its text. */
async function proposeAgain(
  companion: Companion,
  file: string,
  content: string,
  crashes: number,
): Promise<void> {
  const proposal = { path: file, content, agent: 'gemini', session: `session ${crashes}` };
  const isSame = (each: { readonly path: string; readonly proposed: string }): boolean =>
    each.path === file && each.proposed === content;
  // A decision that the agent has not received is its answer.
  const before = companion.interrupted.undelivered.some(isSame)
    ? undefined
    : companion.interrupted.all.findLast((each) => isSame(each) && each.isAccepted !== true);
  const isEarlier = before !== undefined && companion.reviews.get(before.id) === undefined;
  const review = await companion.reviews.propose(proposal);
  if (isEarlier) expect(review).toMatchObject({ id: before.id, content: before.content });
}
