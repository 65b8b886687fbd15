import { acceptReview, type FileContent, questionOn, type ReviewSurroundings } from '@tandem/reviews';
import { describe, expect, it } from 'vitest';
import { setUpReviews } from '../support/reviewsFixture.js';

const original = 'one\ntwo\nthree\n';

/** A pending review of `/workspace/a.txt`, whose surroundings a test changes. */
async function propose(content = 'ONE\ntwo\nthree\n') {
  const around = {
    file: { kind: 'text', text: original } as FileContent,
    isUnsaved: false,
    heldBack: undefined as string | undefined,
    realPath: '/workspace/a.txt',
    saved: undefined as string | undefined,
  };
  const { reviews } = setUpReviews({
    readFile: async () => around.file,
    heldBack: async () => around.heldBack,
    realPath: async (path) => (path === '/workspace/a.txt' ? around.realPath : path),
  });
  const review = await reviews.propose({ path: '/workspace/a.txt', content, agent: 'gemini', session: 's' });
  const surroundings: ReviewSurroundings = {
    readFile: async () => around.file,
    marks: (of) => reviews.findMarks(of),
    isUnsaved: async () => around.isUnsaved,
    async save() {
      around.isUnsaved = false;
      if (around.saved !== undefined) around.file = { kind: 'text', text: around.saved };
      return true;
    },
    isKept: () => true,
    label: (path) => path.replace('/workspace/', ''),
  };
  const accept = (how: Parameters<typeof acceptReview>[1] = {}) => acceptReview(review, how, surroundings);
  return { around, review, accept };
}

describe('accepting a review', () => {
  it('asks nothing if nothing is dangerous', async () => {
    const { review, accept } = await propose();
    expect(await accept()).toEqual({ kind: 'done' });
    expect(review.state).toBe('accepted');
  });

  it('asks what is dangerous at that moment, not at the proposal', async () => {
    const { around, review, accept } = await propose();
    around.realPath = '/workspace/.git/config';
    expect(await accept()).toMatchObject({
      kind: 'question',
      question: {
        message: 'Accept the proposal for a.txt?',
        detail:
          'This file is in a .git folder. Git may run commands that it contains. The path is a link to /workspace/.git/config.',
        choices: [{ kind: 'confirm', label: 'Accept anyway', answer: { confirmed: ['git'] } }],
      },
    });
    expect(review.state).toBe('pending');
    expect(await accept({ confirmed: ['git'] })).toEqual({ kind: 'done' });
  });

  it('asks again if another danger has appeared', async () => {
    const { around, review, accept } = await propose();
    around.heldBack = 'its name';
    await accept();
    around.realPath = '/elsewhere/a.txt';
    expect(await accept({ confirmed: ['hidden'] })).toMatchObject({
      question: { concerns: [{ kind: 'hidden' }, { kind: 'outside' }] },
    });
    expect(review.state).toBe('pending');
  });

  it('is not done for a text that the user has not seen, or a file that was merged just now', async () => {
    const { around, review, accept } = await propose();
    expect(await accept({ isSeen: () => false })).toEqual({ kind: 'changed', isMerged: false });
    around.file = { kind: 'text', text: 'one\ntwo\n3\n' };
    expect(await accept()).toEqual({ kind: 'changed', isMerged: true });
    expect([review.state, review.content]).toEqual(['pending', 'ONE\ntwo\n3\n']);
  });

  it('saves unsaved changes first on request, and merges them', async () => {
    const { around, review, accept } = await propose();
    Object.assign(around, { isUnsaved: true, saved: 'one\ntwo\n3\n' });
    const asked = await accept();
    expect(asked).toMatchObject({
      question: {
        message: 'a.txt has unsaved changes. Accept the proposal?',
        choices: [
          { kind: 'save', label: 'Save and accept', answer: { saves: true, confirmed: [] } },
          { kind: 'confirm', label: 'Accept anyway', answer: { confirmed: ['unsaved'] } },
        ],
      },
    });
    expect(await accept({ saves: true })).toEqual({ kind: 'done' });
    expect(review.outcome).toMatchObject({ content: 'ONE\ntwo\n3\n' });
  });

  it('offers to merge a conflict, and then decides nothing', async () => {
    const { around, review, accept } = await propose();
    around.file = { kind: 'text', text: 'uno\ntwo\nthree\n' };
    expect(await accept()).toMatchObject({
      question: {
        message: 'Overwrite the changes to a.txt on disk?',
        choices: [{ kind: 'merge', answer: { merges: true } }, { label: 'Accept and overwrite' }],
      },
    });
    expect(await accept({ merges: true })).toEqual({ kind: 'merged' });
    expect(review.content).toContain('<<<<<<< ');
    expect(await accept()).toMatchObject({ question: { concerns: [{ kind: 'markers' }] } });
  });

  it('checks a text of the user in the same way', async () => {
    const { around, accept } = await propose();
    around.file = { kind: 'text', text: 'uno\ntwo\nthree\n' };
    expect(await accept({ content: 'mine\n' })).toMatchObject({
      question: { concerns: [{ kind: 'conflict' }], choices: [{ kind: 'confirm' }] },
    });
    expect(await accept({ content: 'uno\ntwo\nTHREE\n' })).toEqual({ kind: 'done' });
  });
});

it('a question shows invisible characters of a name', () => {
  expect(questionOn('accept', 'a\u202e', []).message).not.toContain('\u202e');
});
