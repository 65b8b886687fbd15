import { describe, expect, it } from 'vitest';
import { type ConcernKind, concernKinds, concernsOf } from '../../src/desk/concerns.js';
import type { PathMarks } from '../../src/record/pathMarks.js';

/** What makes a file dangerous, and how that is called. */
const dangers: readonly (readonly [ConcernKind, Partial<PathMarks>, 'text' | 'binary'])[] = [
  ['git', { isInGitFolder: true }, 'text'],
  ['runs', { special: { kind: 'runs', text: 'It runs.' } }, 'text'],
  ['executable', { isExecutable: true }, 'text'],
  ['hidden', { heldBack: 'the deny list' }, 'text'],
  ['outside', { isOutsideWorkspace: true }, 'text'],
  ['binary', {}, 'binary'],
];

const kindsOf = (...of: (typeof dangers)[number][]): string[] => {
  const marks = Object.assign({ isOutsideWorkspace: false }, ...of.map(([, parts]) => parts));
  const original = of.some(([, , kind]) => kind === 'binary')
    ? ({ kind: 'binary', size: 1 } as const)
    : ({ kind: 'text', text: 'old\n' } as const);
  return concernsOf({ proposal: { path: '/w/a' }, marks, original }).map(({ kind }) => kind);
};

describe('the dangers of a file', () => {
  it('are none for an ordinary file', () => {
    expect(kindsOf()).toEqual([]);
  });

  it('do not hide each other, in any combination', () => {
    for (let chosen = 1; chosen < 2 ** dangers.length; chosen += 1) {
      const some = dangers.filter((_, at) => chosen & (1 << at));
      expect(kindsOf(...some)).toEqual(some.map(([kind]) => kind));
    }
  });

  it('are listed in the order in which views name them', () => {
    const kinds = dangers.map(([kind]) => kind);
    expect(concernKinds.filter((kind) => kinds.includes(kind))).toEqual(kinds);
  });
});
