import { join } from 'node:path';
import { type Review, saveReview } from '@tandem/reviews';
import { expect, test } from 'vitest';
import { savedReview } from '../src/journal/savedReviewSchema.js';
import { describeReview, summarise } from '../src/reviews/reviewSummary.js';
import { makeWorkspace, useStages } from './support/companionStage.js';
import { noteTexts } from './support/noteTexts.js';

const start = useStages();

test('a proposal into .git or for a file that is hidden from its agent is marked, also while sharing is paused', async () => {
  const folder = makeWorkspace({ '.geminiignore': 'private.txt\n' });
  const { companion } = await start({ folders: [folder], agents: ['gemini'] });
  companion.policy.pause();
  const propose = (agent: string, name: string) =>
    companion.reviews.propose({ agent, session: 's', path: join(folder, name), content: 'x\n' });
  const hook = await propose('gemini', '.git/hooks/pre-commit');
  const kinds = (review: Review) => summarise(review).concerns.map(({ kind }) => kind);
  expect(kinds(hook)).toEqual(['git']);
  expect(noteTexts(describeReview(hook))).toContain(
    'This file is in a .git folder. Git may run commands that it contains.',
  );
  const secret = await propose('gemini', '.env');
  const reason = 'it matches the deny list (.env*)';
  expect(kinds(secret)).toEqual(['hidden']);
  expect(noteTexts(describeReview(secret))).toContain(
    `This file is hidden from the agent: ${reason}. The agent may not have seen it; accepting may overwrite your secrets.`,
  );
  expect((await propose('gemini', 'private.txt')).marks.heldBack).toBe('.geminiignore excludes it');
  // Not from an agent that has another ignore file, nor from an unknown agent.
  for (const agent of ['qwen', 'stranger']) expect(kinds(await propose(agent, 'private.txt'))).toEqual([]);
  expect(kinds(await propose('gemini', 'a.txt'))).toEqual([]);
  // A stored review keeps its marks.
  expect(savedReview.parse(saveReview(hook))).toMatchObject({ isInGitFolder: true });
  expect(savedReview.parse(saveReview(secret))).toMatchObject({ heldBack: reason });
});
