import {
  type FileContent,
  findStop,
  type Proposal,
  previewTogether,
  type Review,
  type ReviewSurroundings,
} from '@tandem/reviews';
import { describe, expect, it, test } from 'vitest';
import { acceptTogether } from '../../src/desk/decideTogether.js';
import { setUpReviews } from '../support/reviewsFixture.js';

const before = 'one\ntwo\nthree\nfour\nfive\n';
const first = 'ONE\ntwo\nthree\nfour\nfive\n';
const last = 'one\ntwo\nthree\nfour\nFIVE\n';
const both = 'ONE\ntwo\nthree\nfour\nFIVE\n';
const text = (content: string): FileContent => ({ kind: 'text', text: content });

/** Reviews of one file of the given proposals. `/workspace/link` leads to it. */
function propose(...proposals: Partial<Proposal>[]) {
  return proposeFor(text(before), ...proposals);
}

async function proposeFor(file: FileContent, ...proposals: Partial<Proposal>[]) {
  const disk = { file };
  const stage = setUpReviews({
    readFile: async () => disk.file,
    realPath: async (path) =>
      path === '/workspace/b.txt' ? path : path.replace(/(\.\/a\.txt|link)$/, 'a.txt'),
  });
  const all: Review[] = [];
  for (const [index, proposal] of proposals.entries()) {
    const each = {
      path: '/workspace/a.txt',
      content: last,
      agent: 'gemini',
      session: `s${index}`,
      ...proposal,
    };
    all.push(await stage.reviews.propose(each));
  }
  const [one, other] = all;
  if (one === undefined || other === undefined) throw new Error('two proposals');
  return { ...stage, disk, all, one, other };
}

describe.each<[string, Partial<Proposal>]>([
  ['two agents', {}],
  ['one agent with another spelling of the path', { session: 's0', path: '/workspace/./a.txt' }],
  ['two agents, one through a link', { path: '/workspace/link' }],
])('two reviews of one file by %s', (_who, second) => {
  it('are merged when one is accepted while the other is not written yet', async () => {
    const { one, other, disk } = await propose({ content: first }, second);
    expect(findStop(one, disk.file)).toBeUndefined();
    one.accept();
    expect(findStop(other, disk.file)).toBe('merged');
    expect([other.content, other.original]).toEqual([both, text(first)]);
    expect(findStop(other, disk.file)).toBeUndefined();
    other.accept();
    expect(other.outcome).toMatchObject({ content: both });
  });
});

describe('a review of a file whose other review is accepted and not written yet', () => {
  it('is in conflict if both change the same lines', async () => {
    const { one, other, disk } = await propose({ content: first }, { content: before.replace('one', '1') });
    one.accept();
    expect(findStop(other, disk.file)).toBe('conflict');
    expect(other.mergeFile(disk.file, { marksConflicts: true })).toBe(1);
    expect(other.content).toContain('ONE\n');
  });

  it('includes the edits of the user, unless the agent ignores them', async () => {
    const { one, other, disk } = await propose({ content: first }, {});
    one.accept(first.replace('two', 'mine'));
    expect(findStop(other, disk.file)).toBe('merged');
    expect(other.content).toBe(both.replace('two', 'mine'));
    const own = await propose({ content: first, writesOwnText: true }, {});
    own.one.accept(first.replace('two', 'mine'));
    expect(findStop(own.other, own.disk.file)).toBe('merged');
    expect(own.other.content).toBe(both);
  });

  it('is compared with the file again once the text is written, or will not be', async () => {
    const { one, other, reviews, disk } = await propose({ content: first }, {});
    one.accept();
    expect(findStop(other, disk.file)).toBe('merged');
    expect(reviews.unwritten).toEqual([one]);
    disk.file = text(first);
    expect(findStop(other, disk.file)).toBeUndefined();
    reviews.noteSettled(one);
    expect(findStop(other, disk.file)).toBeUndefined();
    // The agent could not write it after all.
    disk.file = text(before);
    expect(findStop(other, disk.file)).toBe('merged');
    expect([other.content, reviews.unwritten]).toEqual([last, []]);
  });

  it('keeps the line ends of the file', async () => {
    const crlf = (content: string): string => content.replaceAll('\n', '\r\n');
    const file = text(crlf(before));
    const { one, other } = await proposeFor(file, { content: first }, { content: crlf(last) });
    one.accept();
    expect(findStop(other, file)).toBe('merged');
    expect(other.content).toBe(crlf(both));
  });

  it('is not merged with reviews of other files, rejected ones, or ones that the same session has finished', async () => {
    const stage = await propose({ content: first }, { path: '/workspace/b.txt' }, {});
    const { one, other, all, disk, reviews, clock } = stage;
    one.accept();
    expect(findStop(other, disk.file)).toBeUndefined();
    clock.advance(1);
    const next = await reviews.propose({ ...one.proposal, content: last });
    expect(findStop(next, disk.file)).toBeUndefined();
    const rejected = await propose({ content: first }, {});
    rejected.one.reject();
    expect(findStop(rejected.other, rejected.disk.file)).toBeUndefined();
    expect(all[2] && findStop(all[2], disk.file)).toBe('merged');
  });
});

test('the second of two reviews of one file that are accepted together stays pending, merged with the first', async () => {
  const { all, disk, one, other } = await propose(
    { content: first },
    { session: 's0', path: '/workspace/./a.txt' },
  );
  const around: ReviewSurroundings = {
    readFile: async () => disk.file,
    marks: async () => ({ isOutsideWorkspace: false }),
    isUnsaved: async () => false,
    save: async () => false,
    isKept: () => true,
    label: (path) => path,
  };
  const seen = new Map(
    (await previewTogether(all, around)).map(({ review, seen: each }) => [review.id, each]),
  );
  const { decided, pending } = await acceptTogether(all, { seen }, around);
  expect([decided, pending]).toEqual([[one], [{ review: other, obstacle: 'changed' }]]);
  expect(other.content).toBe(both);
});
