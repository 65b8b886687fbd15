import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeReview, summarise } from '../src/reviewSummary.js';
import { savedReview, saveReview } from '../src/savedReview.js';
import { makeWorkspace, useStages } from './support/companionStage.js';

const start = useStages();

test('a proposal into .git or for a file that is held back from its agent is marked, also while sharing is paused', async () => {
  const folder = makeWorkspace({ '.geminiignore': 'private.txt\n' });
  const { companion } = await start({ folders: [folder], agents: ['gemini'] });
  companion.policy.pause();
  const propose = (agent: string, name: string) =>
    companion.reviews.propose({ agent, session: 's', path: join(folder, name), content: 'x\n' });
  const hook = await propose('gemini', '.git/hooks/pre-commit');
  expect(summarise(hook)).toMatchObject({ isInGitFolder: true, isOutsideWorkspace: false });
  expect(describeReview(hook).notes).toContain(
    'This file is in a .git folder. Git may run commands that it contains.',
  );
  const secret = await propose('gemini', '.env');
  const reason = 'it matches the deny list (.env*)';
  expect(summarise(secret)).toMatchObject({ heldBack: reason });
  expect(describeReview(secret).notes).toContain(`This file is held back from the agent: ${reason}.`);
  expect(summarise(await propose('gemini', 'private.txt')).heldBack).toBe('.geminiignore excludes it');
  // Not from an agent that has another ignore file, nor from an unknown agent.
  for (const agent of ['qwen', 'stranger'])
    expect(summarise(await propose(agent, 'private.txt'))).not.toHaveProperty('heldBack');
  const plain = summarise(await propose('gemini', 'a.txt'));
  expect(plain).not.toHaveProperty('heldBack');
  expect(plain).not.toHaveProperty('isInGitFolder');
  // A stored review keeps its marks.
  expect(savedReview.parse(saveReview(hook))).toMatchObject({ isInGitFolder: true });
  expect(savedReview.parse(saveReview(secret))).toMatchObject({ heldBack: reason });
});
