import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EditorFixture } from '../support/editorFixture.js';

const original = 'one\ntwo\nthree\n';
const proposed = 'ONE\ntwo\nTHREE\n';

let fixture: EditorFixture;
beforeEach(async () => {
  fixture = await EditorFixture.start({ protocolVersion: 1 });
});
afterEach(() => fixture.dispose());

describe('a plugin of version 1', () => {
  it('keeps and drops changes, and accepts', async () => {
    const review = await fixture.propose('a.txt', original, proposed);
    await fixture.call('review/drop', { id: review.id, hunk: 0 });
    await fixture.call('review/drop', { id: review.id, hunk: 1 });
    expect(review.content).toBe(original);
    await fixture.call('review/keep', { id: review.id, hunk: 1 });
    await fixture.call('review/accept', { id: review.id });
    expect(review.outcome).toMatchObject({ kind: 'accepted', content: 'one\ntwo\nTHREE\n' });
  });

  it('accepts nothing dangerous, and learns why', async () => {
    const review = await fixture.propose('.git/config', original, proposed);
    for (const answer of [undefined, { confirmed: ['git'] }]) {
      await expect(fixture.call('review/accept', { id: review.id, answer })).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringMatching(
          /This file is in a \.git folder\..*Update it, or decide with: .* review$/s,
        ),
      });
    }
    expect(review.state).toBe('pending');
  });

  it('marks a conflict, and overwrites only deliberately', async () => {
    const review = await fixture.propose('a.txt', original, proposed);
    writeFileSync(fixture.path('a.txt'), original.replace('one', 'uno'));
    await fixture.peer.until(() => fixture.peer.view(review.id).review.file === 'conflict');
    await expect(fixture.call('review/accept', { id: review.id })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await fixture.call('review/merge', { id: review.id })).toBeNull();
    expect(review.content).toContain('<<<<<<<');
    await fixture.call('review/accept', { id: review.id, overwrites: true });
    expect(review.state).toBe('accepted');
  });

  it('asks after a view was closed, with the calls that carry the choices out', async () => {
    const review = await fixture.propose('a.txt', original, proposed);
    await fixture.peer.type(review.id, 'mine\n');
    const params = { id: review.id };
    expect(await fixture.call('review/close', params)).toEqual({
      question: {
        message: expect.stringContaining('You edited the proposal by Claude Code for a.txt.'),
        choices: [
          { label: 'Show again', method: 'review/show', params },
          { label: 'Reject', method: 'review/reject', params },
        ],
      },
    });
  });

  it('decides a session after its question, and discards what is interrupted', async () => {
    const [one, other] = [
      await fixture.propose('a.txt', original, proposed),
      await fixture.propose('b.txt', original, proposed),
    ];
    await fixture.peer.type(other.id, 'mine\n');
    const { session } = one.proposal;
    expect(await fixture.call('session/preview', { session })).toMatchObject([
      { id: one.id, isEdited: false },
      { id: other.id, isEdited: true },
    ]);
    const { choices } = (await fixture.call('session/question', { session, decision: 'reject' })) as {
      choices: { label: string; method: string; params: object }[];
    };
    expect(choices.map(({ label }) => label)).toEqual(['Reject only the unedited', 'Reject 2 proposals']);
    const [first] = choices;
    await fixture.call(first?.method ?? '', first?.params ?? {});
    expect([one.state, other.state]).toEqual(['rejected', 'pending']);
    other.withdraw('agent');
    await fixture.call('review/discard', { id: other.id });
    expect(fixture.companion.interrupted.all).toEqual([]);
    expect(await fixture.call('sharing/pause')).toMatchObject({ isPaused: true });
    expect(await fixture.call('sharing/resume')).toMatchObject({ isPaused: false });
  });
});
