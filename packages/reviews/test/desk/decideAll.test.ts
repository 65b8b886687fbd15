import { type Answer, type Decision, decideAll, type Question } from '@tandem/reviews';
import { describe, expect, it } from 'vitest';
import { setUpReviews } from '../support/reviewsFixture.js';

/**
 * Pending proposals for these files by one session. `edited.txt` and `commented.txt` are the user's, too; `other` files changed
 * on disk, and `unsaved` ones have unsaved changes.
 */
async function propose(...names: string[]) {
  let looks = 0;
  let onLook = (_count: number): void => {};
  const { reviews } = setUpReviews({ readFile: async () => ({ kind: 'text', text: 'a\n' }) });
  const all = await Promise.all(
    names.map((name) =>
      reviews.propose({ path: `/workspace/${name}`, content: 'b\n', agent: 'gemini', session: 's1' }),
    ),
  );
  for (const review of all) {
    if (review.proposal.path.endsWith('/edited.txt')) review.edit('c\n');
    if (review.proposal.path.endsWith('/commented.txt')) review.addComment({ text: 'Why?' });
  }
  const decide = (decision: Decision, answer?: Answer) =>
    decideAll(reviews.pending, decision, answer, {
      readFile: async ({ proposal }) => ({
        kind: 'text',
        text: proposal.path.includes('other') ? 'd\n' : 'a\n',
      }),
      marks: (of) => reviews.findMarks(of),
      isUnsaved: async (path) => {
        looks += 1;
        onLook(looks);
        return path.includes('unsaved');
      },
      save: async () => false,
      label: (path) => path.replace('/workspace/', ''),
      isKept: () => true,
      nameOf: () => 'Gemini CLI',
    });
  const ask = async (decision: Decision): Promise<Question> => {
    const attempt = await decide(decision);
    if (attempt.kind !== 'question') throw new Error('nothing was asked');
    return attempt.question;
  };
  const states = () => all.map(({ state }) => state);
  const whenLookedAt = (count: number, run: () => void): void => {
    onLook = (now) => now === count && run();
  };
  return { all, decide, ask, states, whenLookedAt };
}

describe('several reviews are decided after one question', () => {
  it('names what is accepted, edits, comments, and what stays pending [EDT-26]', async () => {
    const { ask } = await propose('plain.txt', 'edited.txt', 'commented.txt', 'other.txt', 'unsaved.txt');
    const { message, detail, choices } = await ask('accept');
    expect([message, ...detail.split('\n')]).toEqual([
      'Accept 3 proposals by Gemini CLI?',
      'Files: plain.txt, edited.txt, commented.txt.',
      'With your edits: edited.txt.',
      'Your comments on these files are not sent: commented.txt.',
      'Stays pending: other.txt (its file changed on lines that the proposal also changes).',
      'Stays pending: unsaved.txt (its file has unsaved changes).',
    ]);
    expect(choices.map(({ label, answer }) => [label, answer.seen?.map(({ id }) => id)])).toEqual([
      ['Accept 3 proposals', ['1', '2', '3']],
    ]);
  });

  it('names the files that it empties', async () => {
    const { all, ask } = await propose('plain.txt', 'edited.txt');
    all[1]?.edit('');
    expect((await ask('accept')).detail.split('\n')).toEqual([
      'Files: plain.txt, edited.txt.',
      'Empties: edited.txt.',
      'With your edits: edited.txt.',
    ]);
    expect((await ask('reject')).detail).not.toContain('Empties');
  });

  it('offers to reject only what the user did not edit, first [EDT-26]', async () => {
    const { ask, decide, states } = await propose('plain.txt', 'edited.txt');
    const { message, detail, choices } = await ask('reject');
    expect([message, detail]).toEqual([
      'Reject 2 proposals by Gemini CLI?',
      'Files: plain.txt, edited.txt.\nYou edited: edited.txt.',
    ]);
    expect(choices.map(({ label }) => label)).toEqual(['Reject only the unedited', 'Reject 2 proposals']);
    await decide('reject', choices[0]?.answer);
    expect(states()).toEqual(['rejected', 'pending']);
    await decide('reject', choices[1]?.answer);
    expect(states()).toEqual(['rejected', 'rejected']);
  });

  it('offers nothing if nothing can be accepted', async () => {
    const { ask } = await propose('other.txt');
    expect(await ask('accept')).toEqual({
      message: 'No proposal can be accepted now.',
      detail: 'Stays pending: other.txt (its file changed on lines that the proposal also changes).',
      concerns: [],
      choices: [],
    });
  });

  it('offers to accept dangerous ones, too, and names why each needs that', async () => {
    const { ask, decide, states } = await propose('plain.txt', '.git/hooks/pre-commit', 'unsaved.txt');
    const { detail, choices } = await ask('accept');
    expect(detail.split('\n')).toEqual([
      'File: plain.txt.',
      '.git/hooks/pre-commit needs your confirmation: This file is in a .git folder. Git may run commands that it contains.',
      'Stays pending: unsaved.txt (its file has unsaved changes).',
    ]);
    expect(choices.map(({ label, isDangerous = false }) => [label, isDangerous])).toEqual([
      ['Accept 1 proposal', false],
      ['Accept all 2', true],
    ]);
    await decide('accept', choices[1]?.answer);
    expect(states()).toEqual(['accepted', 'accepted', 'pending']);
  });

  it('asks in spite of what if all of them are dangerous', async () => {
    const { ask } = await propose('.git/config');
    const { message, choices } = await ask('accept');
    expect([message, choices.map(({ label }) => label)]).toEqual([
      'Accept 1 proposal by Gemini CLI in spite of this?',
      ['Accept anyway'],
    ]);
  });

  it('asks nothing about a single review that there is nothing to say about', async () => {
    for (const decision of ['accept', 'reject'] as const) {
      const { decide } = await propose('plain.txt');
      expect(await decide(decision)).toMatchObject({ kind: 'done', pending: [] });
    }
    for (const name of ['edited.txt', 'commented.txt', 'other.txt'])
      expect(await (await propose(name)).decide('accept')).toMatchObject({ kind: 'question' });
  });

  it('accepts a single review only as it was when nothing was asked', async () => {
    const { all, decide, states, whenLookedAt } = await propose('plain.txt');
    // First to find out whether to ask, then to accept.
    whenLookedAt(2, () => all[0]?.edit('typed meanwhile\n'));
    expect(await decide('accept')).toMatchObject({ kind: 'done', pending: [{ obstacle: 'changed' }] });
    expect(states()).toEqual(['pending']);
  });

  it('leaves pending what changed after the question, and says so', async () => {
    const { all, ask, decide } = await propose('plain.txt', 'b.txt');
    const [choice] = (await ask('accept')).choices;
    all[1]?.edit('later\n');
    expect(await decide('accept', choice?.answer)).toMatchObject({
      decided: [all[0]],
      note: 'Accepted 1 proposal. Stays pending: b.txt (it changed after you were asked).',
    });
  });

  it('decides them as they are for a script, which names the concerns that it confirms', async () => {
    const { decide, states } = await propose('edited.txt', '.git/config', 'unsaved.txt');
    expect(await decide('accept', { confirmed: ['git'] })).toMatchObject({
      note: 'Accepted 2 proposals. Stays pending: unsaved.txt (its file has unsaved changes).',
    });
    await decide('reject', {});
    expect(states()).toEqual(['accepted', 'accepted', 'rejected']);
  });
});
