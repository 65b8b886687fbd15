import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Review } from '@tandem/reviews';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CompanionStage } from './support/companionStage.js';
import { leftIn } from './support/crashedJournal.js';
import { useSuccessiveCompanions } from './support/successiveCompanions.js';

const createSite = useSuccessiveCompanions();
let site: ReturnType<typeof createSite>;
beforeEach(() => {
  site = createSite({ 'a.txt': 'one\ntwo\n' });
});

/** The pending review of a change by Gemini CLI, and the comment that the user made on it. */
async function commented(stage: CompanionStage, content = 'ONE\ntwo\n') {
  const client = await stage.connect('gemini');
  await client.openDiff(site.path, content);
  const review = stage.companion.reviews.pending.at(-1) as Review;
  review.addComment({ text: 'Why?', lines: { first: 0, last: 0 } });
  return { client, review };
}

const comment = { id: '1', side: 'proposal', lines: { first: 0, last: 0 }, quote: 'ONE', text: 'Why?' };

describe('a comment', () => {
  test('is in the journal like typed text, and is kept when the companion is killed or the agent ends', async () => {
    const stage = await site.begin();
    const { client, review } = await commented(stage);
    await stage.companion.journal.write();
    expect((await leftIn(site.journal)).reviews).toMatchObject([{ comments: [comment] }]);
    review.editComment('1', 'Really?');
    await stage.companion.journal.write();
    expect((await leftIn(site.journal)).reviews).toMatchObject([{ comments: [{ text: 'Really?' }] }]);
    await client.end();
    expect(stage.companion.interrupted.all).toMatchObject([{ comments: [{ text: 'Really?' }] }]);
  });

  test('returns after a restart, with its review or as an interrupted one', async () => {
    const first = await site.begin();
    const { client } = await commented(first);
    await client.end();
    await first.companion.stop();
    const second = await site.begin();
    const { client: control } = await second.found();
    expect(await control.call('review.list', {})).toMatchObject([{ id: '1', comments: 1 }]);
    expect(await control.call('review.show', { id: '1' })).toMatchObject({ commentList: [comment] });
    const sent = await control.call('review.feedback', { id: '1' });
    expect(sent).toMatchObject({ delivery: 'clipboard', text: expect.stringContaining('│ ONE\nWhy?') });
    const again = await second.connect('gemini');
    await again.openDiff(site.path, 'ONE\ntwo\n');
    expect(second.companion.reviews.pending[0]?.comments).toEqual([comment]);
    expect(second.companion.interrupted.all).toEqual([]);
  });

  test('is kept when its agent closes the diff, also if the file then has the text', async () => {
    const stage = await site.begin();
    const { client } = await commented(stage);
    await client.closeDiff(site.path);
    writeFileSync(site.path, 'ONE\ntwo\n');
    await stage.companion.sweep();
    expect(stage.companion.interrupted.all).toMatchObject([{ comments: [comment] }]);
  });

  test('moves to the proposal that replaces it, and is then nowhere else', async () => {
    const stage = await site.begin();
    const { client } = await commented(stage);
    await client.openDiff(site.path, 'zero\nONE\ntwo\n');
    const moved = { ...comment, lines: { first: 1, last: 1 } };
    expect(stage.companion.reviews.pending).toMatchObject([{ id: '2', comments: [moved] }]);
    expect(stage.companion.interrupted.all).toEqual([]);
    await stage.companion.journal.write();
    const { reviews, interrupted } = await leftIn(site.journal);
    expect([reviews, interrupted]).toMatchObject([[{ comments: [moved] }], []]);
  });

  test('is in the history of the decided review', async () => {
    const stage = await site.begin();
    const { review } = await commented(stage);
    review.reject();
    await stage.companion.stop();
    expect((await site.begin()).companion.history.entries).toMatchObject([{ comments: [comment] }]);
  });
});

describe('the calls of the control interface', () => {
  test('add, change and remove comments, and send them', async () => {
    const stage = await site.begin();
    const { client } = await stage.found();
    const agent = await stage.connect('gemini');
    await agent.openDiff(site.path, 'ONE\ntwo\n');
    const nothing = client.call('review.feedback', { id: '1', rejects: true });
    await expect(nothing).rejects.toMatchObject({
      code: 'bad-params',
      message: expect.stringContaining('no comment'),
    });
    expect(stage.companion.reviews.get('1')?.state).toBe('pending');
    const lines = { first: 0, last: 0 };
    expect(await client.call('review.comment', { id: '1', text: 'Why?', lines })).toEqual(comment);
    await client.call('review.comment', { id: '1', text: 'and', side: 'file', lines });
    await client.call('review.editComment', { id: '1', comment: '1', text: 'How?' });
    await client.call('review.removeComment', { id: '1', comment: '2' });
    const tooFar = client.call('review.comment', { id: '1', text: 'x', lines: { first: 2, last: 2 } });
    await expect(tooFar).rejects.toMatchObject({
      code: 'bad-params',
      message: expect.stringContaining('1 to 2'),
    });
    const { text } = await client.call('review.feedback', { id: '1', rejects: true, text: 'Again, please.' });
    expect(text).toBe(
      'Review of a.txt: rejected.\n\nLine 1:\n│ ONE\nHow?\n\nOn the whole proposal:\nAgain, please.',
    );
    expect(await agent.next('ide/diffRejected')).toBeDefined();
    const late = client.call('review.feedback', { id: '1', rejects: true });
    await expect(late).rejects.toMatchObject({ code: 'already-decided' });
    expect((await client.call('review.feedback', { id: '1' })).text).toContain('rejected');
  });

  test('quote nothing of a file that is hidden from the agent', async () => {
    writeFileSync(join(site.folder, '.env'), 'KEY=1\n');
    const stage = await site.begin();
    const { client } = await stage.found();
    const agent = await stage.connect('gemini');
    await agent.openDiff(join(site.folder, '.env'), 'KEY=2\n');
    await client.call('review.comment', { id: '1', text: 'No.', side: 'file', lines: { first: 0, last: 0 } });
    expect((await client.call('review.feedback', { id: '1', rejects: true })).text).toBe(
      'Review of .env: rejected.\n\nLine 1 of the file before the change:\nNo.',
    );
  });
});
