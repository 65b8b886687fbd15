import type { TestTagDefinition } from 'vitest/config';

/**
 * The tag of tests that only `npm run test:all` runs: the same behaviour again with another agent or editor, long fuzzing,
 * heavy inputs, the oldest VS Code. `npm test` covers each behaviour once, with one of them.
 */
export const exhaustiveTag: TestTagDefinition = {
  name: 'exhaustive',
  description: 'Runs in `npm run test:all` only.',
};

/** Option of a test or a suite that only `npm run test:all` runs: `it('…', exhaustive, async () => {})`. */
export const exhaustive: { readonly tags: string } = { tags: exhaustiveTag.name };
