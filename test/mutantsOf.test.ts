import { transformSync } from 'esbuild';
import { expect, it } from 'vitest';
import { mutantsOf } from '../scripts/mutantsOf.mjs';

const source = `import { type Kind } from 'node:fs';
type Name = 'a' | 'b';
const limit = 2;
export function judge(values: readonly number[], name: Name = 'a'): string {
  /** Why. */
  if (values.length > limit && name === 'a') return 'many';
  const { length: count = 0 } = values;
  values.some((value) => value < 0);
  const seen: number[] = [];
  if (count > 1) seen.push(1);
  else seen.push(0);
  return values.every((value) => value >= 0) ? 'none or all' : \`\${count} \${seen}\`;
}
`;

/** What the source does with one active mutant. */
function run(id: number): unknown[] {
  const { text } = mutantsOf(source, 'judge.ts', 0);
  const code = transformSync(text, { loader: 'ts', format: 'cjs' }).code;
  const module = { exports: {} as { judge: (values: number[], name?: string) => string } };
  const isMutant = (each: number): boolean => each === id;
  new Function('module', 'require', 'globalThis', code)(module, () => ({}), { isMutant });
  const { judge } = module.exports;
  return [[1, 2, 3], [1, 2], [-1], [-1, -1], [0], []].flatMap((values) => [
    judge(values),
    judge(values, 'b'),
  ]);
}

it('a source with no active mutant does what it did', () => {
  expect(run(0)).toEqual([
    ...['many', 'none or all', 'none or all', 'none or all'],
    ...['1 0', '1 0', '2 1', '2 1'],
    ...Array.from({ length: 4 }, () => 'none or all'),
  ]);
});

it('each mutant changes one place, and its line and texts say which', () => {
  const { mutants } = mutantsOf(source, 'judge.ts', 0);
  const described = mutants.map(({ line, original, replacement }) => `${line} ${original} -> ${replacement}`);
  expect(described).toContain('3 2 -> 2 + 1');
  expect(described).toContain("6 name === 'a' -> (name) !== ('a')");
  expect(described).toContain('6 values.length > limit -> (values.length) >= (limit)');
  expect(described).toContain('8 values.some((value) => value < 0); -> ');
  expect(described.filter((each) => /^[127] .*(node|'b')/.test(each))).toEqual([]);
  expect(mutants.filter(({ isStatic }) => isStatic).map(({ line }) => line)).toEqual([3]);
  const unnoticed = mutants.filter(({ id }) => JSON.stringify(run(id)) === JSON.stringify(run(0)));
  // The call there has no effect.
  expect(new Set(unnoticed.map(({ line }) => line))).toEqual(new Set([8]));
});

it('the ids of several files follow one another', () => {
  const first = mutantsOf(source, 'judge.ts', 0).mutants.length;
  expect(mutantsOf(source, 'other.ts', first).mutants[0]?.id).toBe(first + 1);
});
