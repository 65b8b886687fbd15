import { setTimeout as pause } from 'node:timers/promises';
import type { FoundCompanion } from '@tandem/companion/control';
import { type CompanionChoice, chooseCompanion, findCompanionFor } from '../connectCompanion.js';

interface ReviewScreenOptions extends CompanionChoice {
  readonly plain?: boolean;
  readonly popup?: boolean;
  readonly wait?: true | 'new';
}

/** `tandem review` in a terminal: all pending reviews. With `--wait`, only once one is pending; without a terminal, it then ends. */
export async function reviewScreen(options: ReviewScreenOptions): Promise<void> {
  const { plain, popup, wait, ...choice } = options;
  let companion = await chooseCompanion(process.cwd(), choice);
  if (wait !== undefined) companion = await untilPending(companion, wait === 'new');
  if (!process.stdin.isTTY || !process.stdout.isTTY) return;
  if (plain || process.env.TERM === 'dumb') {
    const { reviewInLines } = await import('../screen/plainReview.js');
    return reviewInLines(companion);
  }
  const { runReviewScreen } = await import('../screen/reviewScreen.js');
  await runReviewScreen(companion, { isPopup: popup === true });
}

/** After a companion has ended, the next one is looked for this often, in milliseconds. */
const retryMs = 300;

/** Resolves when a review is pending, or with `isNew` when another one is proposed: to the companion that has it. */
async function untilPending(first: FoundCompanion, isNew: boolean): Promise<FoundCompanion> {
  for (let companion = first; ; companion = (await findCompanionFor(process.cwd())) ?? companion) {
    const { client } = companion;
    const found = new AbortController();
    const look = async (): Promise<void> => {
      const reviews = await client.call('review.list', {});
      if (reviews.some(({ state }) => state === 'pending')) found.abort();
    };
    const following = client.followEvents(({ event }) => event === 'review.opened' && found.abort(), {
      signal: found.signal,
      onOpen: () => isNew || void look().catch(() => {}),
    });
    await following.catch(() => {});
    if (found.signal.aborted) return companion;
    await pause(retryMs);
  }
}
