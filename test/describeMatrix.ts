import { describe } from 'vitest';
import { exhaustive } from './exhaustive.js';

/**
 * The same tests for each of `all`: those for `always` in every run, the others in `npm run test:all`.
 *
 * @param title with the placeholders of `describe.for`, such as `$name` or `%s`.
 * @throws if an entry of `always` is not in `all`, because its tests would then never run.
 */
export function describeMatrix<const Entry>(
  all: readonly Entry[],
  always: readonly NoInfer<Entry>[],
  title: string,
  tests: (entry: Entry) => void,
): void {
  if (!always.every((entry) => all.includes(entry)))
    throw new Error(`${title}: not all of them are in the matrix`);
  for (const entry of all) describe.for([entry])(title, always.includes(entry) ? {} : exhaustive, tests);
}
