import { expect, it } from 'vitest';
import { presentActions } from '../../src/desk/present.js';

const proposal = { path: '/w/a.txt', content: 'x', agent: 'gemini', session: 's1' };

it.each([
  ['a hook of its agent waits', { isHeld: true }, ['Accept', 'Reject', 'Let Gemini CLI go on']],
  ['its agent can take the decision back', {}, ['Accept', 'Reject']],
])('offers to let the agent go on only if %s', (_when, more, labels) => {
  const review = { state: 'pending', proposal: { ...proposal, ...more } } as const;
  expect(presentActions(review, { agentName: 'Gemini CLI' }).map(({ label }) => label)).toEqual(labels);
  expect(presentActions({ ...review, state: 'withdrawn' }, { agentName: 'Gemini CLI' })).toEqual([]);
});
