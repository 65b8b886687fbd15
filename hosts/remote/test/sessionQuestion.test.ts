import { previewTogether } from '@tandem/core';
import { expect, it } from 'vitest';
import { setUpReviews } from '../../../packages/core/test/reviewsFixture.js';
import { askAboutSession, describeOutcome } from '../src/sessionQuestion.js';

const label = (path: string): string => path.replace('/workspace/', '');

/** What is asked about a session that proposes changes of these files: `edited.txt` and `commented.txt` are the user's, too. */
async function ask(decision: 'accept' | 'reject', ...names: string[]) {
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
  const previews = await previewTogether(all, {
    readFile: async ({ proposal }) => ({
      kind: 'text',
      text: proposal.path.includes('other') ? 'd\n' : 'a\n',
    }),
    marks: (of) => reviews.findMarks(of),
    isUnsaved: async (path) => path.includes('unsaved'),
    save: async () => false,
    label,
    isKept: () => true,
  });
  return askAboutSession({ session: 's1', decision }, { agentName: 'Gemini CLI', label }, previews);
}

it('names what is accepted, edits, comments, and what stays pending [EDT-26]', async () => {
  const names = ['plain.txt', 'edited.txt', 'commented.txt', 'other.txt', 'unsaved.txt'];
  const { message, choices } = await ask('accept', ...names);
  expect(message.split('\n')).toEqual([
    'Accept 3 proposals by Gemini CLI: plain.txt, edited.txt, commented.txt?',
    'With your edits: edited.txt.',
    'Your comments on these files are not sent: commented.txt.',
    'other.txt stays pending: its file changed on lines that the proposal also changes.',
    'unsaved.txt stays pending: its file has unsaved changes.',
  ]);
  expect(choices).toMatchObject([{ label: 'Accept', method: 'session/acceptAll' }]);
  expect(choices[0]?.params.seen.map(({ id }) => id)).toEqual(['1', '2', '3']);
});

it('offers to reject only what the user did not edit [EDT-26]', async () => {
  const { message, choices } = await ask('reject', 'plain.txt', 'edited.txt');
  expect(message).toBe(
    'Reject 2 proposals by Gemini CLI: plain.txt, edited.txt?\nIncluding your edits: edited.txt.',
  );
  expect(choices.map(({ label, params }) => [label, 'rejectsEdited' in params])).toEqual([
    ['Reject', true],
    ['Only the unedited', false],
  ]);
  expect((await ask('reject', 'plain.txt')).choices).toHaveLength(1);
});

it('offers nothing if nothing can be accepted', async () => {
  expect(await ask('accept', 'other.txt')).toEqual({
    message:
      'There is nothing to accept.\nother.txt stays pending: its file changed on lines that the proposal also changes.',
    choices: [],
  });
});

it('offers to accept dangerous ones, too, and names why each needs that', async () => {
  const { message, choices } = await ask('accept', 'plain.txt', '.git/hooks/pre-commit', 'unsaved.txt');
  expect(message.split('\n')).toEqual([
    'Accept 1 proposal by Gemini CLI: plain.txt?',
    '.git/hooks/pre-commit stays pending: its file is in a .git folder.',
    'unsaved.txt stays pending: its file has unsaved changes.',
  ]);
  expect(choices).toMatchObject([
    { label: 'Accept', params: { seen: [{ id: '1' }] } },
    { label: 'Accept all 2', params: { seen: [{ id: '1' }, { id: '2' }], confirmed: ['git'] } },
  ]);
});

it('reports what became of the reviews', () => {
  const place = { id: '2', path: '/workspace/b.txt' };
  const outcome = {
    decided: [{ id: '1', path: '/workspace/a' }],
    pending: [{ ...place, obstacle: 'edited' as const }],
  };
  expect(describeOutcome('Rejected', outcome, label)).toBe(
    'Rejected 1 of 2. b.txt stays pending: you edited it.',
  );
});
