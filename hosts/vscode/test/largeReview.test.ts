import { describe, expect, it } from 'vitest';
import { openReviewDesk, settle } from './support/reviewDesk.js';

const count = 20_001;
const lines = Array.from({ length: count }, (_, at) => `line ${at} of a large file\n`);
const original = lines.join('');
const proposed = lines.map((line, at) => (at % 2 === 0 ? line : `changed ${at}\n`)).join('');
const last = lines.at(-1)?.trimEnd() ?? '';
const merged = proposed.replace('changed 1\n', lines[1] ?? '').replace(last, `${last} typed`);

/** A large review in which the user types while a hunk is dropped elsewhere. */
async function typeWhileItChanges() {
  const desk = openReviewDesk({ 'a.txt': original });
  const view = await desk.propose('a.txt', proposed);
  await expect.poll(() => desk.window.text === proposed, { timeout: 20_000 }).toBe(true);
  desk.window.type(last, `${last} typed`);
  view.review.dropHunk(0);
  desk.clock.advance(200);
  return { desk, view };
}

describe('text that is typed into a large review while it changes', () => {
  it('is merged with the change', async () => {
    const { desk, view } = await typeWhileItChanges();
    await expect.poll(() => view.review.content === merged, { timeout: 20_000 }).toBe(true);
    await expect.poll(() => desk.window.text === merged, { timeout: 20_000 }).toBe(true);
  });

  it.each([
    ['withdrawn', () => 'agent' as const],
    ['accepted', () => undefined],
  ])('is in the review if that is %s meanwhile', async (state, reason) => {
    const { view } = await typeWhileItChanges();
    const why = reason();
    if (why === undefined) view.review.accept();
    else view.review.withdraw(why);
    await settle();
    expect([view.review.state, view.review.content === merged]).toEqual([state, true]);
  });
});
