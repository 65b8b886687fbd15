import { FileConflictError, ReviewDecidedError } from '@tandem/reviews';
import { describe, expect, it } from 'vitest';
import { makeReview } from '../support/makeReview.js';

const lines = (count: number): string[] => Array.from({ length: count }, (_none, at) => `line ${at}\n`);
const original = lines(20).join('');
const proposed = lines(20).with(3, 'proposed\n').with(8, 'also proposed\n').join('');
const file = lines(20).with(15, 'theirs\n').join('');
const text = (content: string) => ({ kind: 'text', text: content }) as const;

function review() {
  return makeReview(original, proposed);
}

describe('a review that merges the changes of its file', () => {
  it('compares the current file with the merged proposal from then on', () => {
    const taken = review();
    let changes = 0;
    taken.onDidChange(() => changes++);
    expect(taken.mergeFile(text(file))).toBe(0);
    const both = lines(20).with(3, 'proposed\n').with(8, 'also proposed\n').with(15, 'theirs\n').join('');
    expect(taken.content).toBe(both);
    expect(taken.original).toEqual(text(file));
    expect(taken.proposed).toBe(both);
    expect(taken.proposal.content).toBe(proposed);
    expect(taken.hunks.map((hunk) => hunk.original.start)).toEqual([3, 8]);
    expect(taken.lineCounts).toEqual({ added: 2, removed: 2 });
    // The agent must receive them.
    expect(taken.isEdited).toBe(true);
    expect(taken.hasUsersEdits).toBe(false);
    expect(changes).toBe(1);
  });

  it('keeps dropped hunks dropped, and they can be kept again', () => {
    const taken = review();
    taken.dropHunk(1);
    taken.mergeFile(text(file.replace('line 0\n', 'first\nsecond\n')));
    expect(taken.keptHunks).toEqual([true, false]);
    expect(taken.content).toContain('theirs\n');
    expect(taken.content).toContain('line 8\n');
    taken.keepHunk(1);
    expect(taken.content).toBe(taken.proposed);
  });

  it('no longer has a hunk that the file already contains', () => {
    const taken = review();
    taken.dropHunk(1);
    taken.mergeFile(text(lines(20).with(3, 'proposed\n').join('')));
    expect(taken.hunks).toHaveLength(1);
    expect(taken.keptHunks).toEqual([false]);
    expect(taken.content).toBe(lines(20).with(3, 'proposed\n').join(''));
  });

  it('keeps the edits of the user', () => {
    const taken = review();
    taken.edit(proposed.replace('line 10\n', 'mine\n'));
    taken.mergeFile(text(file));
    expect(taken.content).toBe(taken.proposed.replace('line 10\n', 'mine\n'));
  });

  it('keeps the line ends of both texts', () => {
    const crlf = (lf: string): string => lf.replaceAll('\n', '\r\n');
    const taken = makeReview(crlf(original), crlf(proposed));
    taken.mergeFile(text(crlf(file)));
    expect(taken.content).toBe(crlf(proposed.replace('line 15\n', 'theirs\n')));
  });

  it('merges a file that was created meanwhile', () => {
    const taken = makeReview({ kind: 'missing' }, 'a\nb\n');
    taken.mergeFile(text('a\nb\n'));
    expect(taken.hunks).toEqual([]);
    expect(taken.original).toEqual(text('a\nb\n'));
  });

  it('fires no event when the file is unchanged', () => {
    const taken = review();
    taken.onDidChange(() => expect.fail('nothing changed'));
    expect(taken.mergeFile(text(original))).toBe(0);
  });
});

describe('a review that cannot merge the changes of its file', () => {
  const theirs = text(lines(20).with(3, 'theirs\n').with(15, 'theirs too\n').join(''));

  it('does not change when both changed the same lines', () => {
    const kept = review();
    expect(() => kept.mergeFile(theirs)).toThrow(FileConflictError);
    expect(() => kept.mergeFile(theirs)).toThrow(/same lines/);
    expect(kept.content).toBe(proposed);
    expect(kept.original).toEqual(text(original));
  });

  it('contains both versions between marks on request', () => {
    const marked = review();
    expect(marked.mergeFile(theirs, { marksConflicts: true })).toBe(1);
    expect(marked.content).toContain('<<<<<<< the proposal\nproposed\n=======\ntheirs\n>>>>>>> the file\n');
    expect(marked.content).toContain('theirs too\n');
    expect(marked.original).toEqual(theirs);
    // Only the proposal's own lines come from the agent.
    expect(marked.proposed).toBe(proposed.replace('line 15\n', 'theirs too\n'));
  });

  it.each([
    ['that was deleted', { kind: 'missing' } as const, /deleted/],
    ['that is no longer text', { kind: 'binary', size: 3 } as const, /is binary/],
  ])('does not change for a file %s', (_what, content, message) => {
    const kept = review();
    expect(() => kept.mergeFile(content, { marksConflicts: true })).toThrow(message);
    expect(kept.content).toBe(proposed);
  });

  it('does not change after it is decided', () => {
    const decided = review();
    decided.accept();
    expect(() => decided.mergeFile(text(file))).toThrow(ReviewDecidedError);
  });
});
