import { describe, expect, it } from 'vitest';
import {
  type ConcernKind,
  concernKinds,
  concernLabel,
  concernsOf,
  concernTitle,
  isAboutFile,
} from '../../src/desk/concerns.js';
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

describe('the name of a concern', () => {
  it('begins a line with a capital letter, in the order in which views name them', () => {
    expect(concernKinds.map((kind) => [kind, concernTitle(kind)])).toEqual([
      ['git', 'In a .git folder'],
      ['runs', 'Runs commands'],
      ['access', 'Gives access'],
      ['executable', 'Program'],
      ['hidden', 'Hidden from the agent'],
      ['outside', 'Outside the workspace'],
      ['binary', 'Binary'],
      ['unsaved', 'Unsaved changes'],
      ['deleted', 'Deleted'],
      ['conflict', 'Changed on disk'],
      ['markers', 'Conflict markers'],
    ]);
  });

  it('is the kind itself if a newer companion has it', () => {
    for (const kind of ['later', 'toString']) expect(concernLabel(kind)).toBe(kind);
  });
});

it('a concern is about the file, or about what happened since the proposal', () => {
  expect([...concernKinds, 'later'].filter((kind) => !isAboutFile(kind))).toEqual([
    'unsaved',
    'deleted',
    'conflict',
    'markers',
    'later',
  ]);
});
