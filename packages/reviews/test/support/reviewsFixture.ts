import { silentLogger } from '@tandem/core';
import { type FileContent, type Proposal, Reviews, type ReviewsOptions } from '@tandem/reviews';
import { FakeClock, FakeEditor, FakeFiles } from '@tandem/testing';

export const proposal: Proposal = {
  path: '/workspace/a.txt',
  content: 'b\n',
  agent: 'gemini',
  session: 's1',
};

/** Reviews of a fake editor, and their events, such as `opened 1`. */
export function setUpReviews(options: Partial<ReviewsOptions> = {}) {
  const clock = new FakeClock();
  const files = new FakeFiles({ '/workspace/a.txt': 'a\n' });
  const editor = new FakeEditor({ clock, files });
  const reviews = new Reviews({
    clock,
    logger: silentLogger,
    folders: () => editor.workspace.folders(),
    readFile: (path) => files.read(path),
    show: (review) => editor.reviews.show(review),
    ...options,
  });
  const events: string[] = [];
  reviews.onDidOpen(({ id }) => events.push(`opened ${id}`));
  reviews.onDidChange(({ id }) => events.push(`changed ${id}`));
  reviews.onDidDecide(({ id, state }) => events.push(`${state} ${id}`));
  return { clock, files, editor, user: editor.user, reviews, events };
}

/** Reads that a test completes in any order. */
export function makeHeldReads() {
  const held: {
    readonly resolve: (content: FileContent) => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  const readFile = (): Promise<FileContent> =>
    new Promise((resolve, reject) => {
      held.push({ resolve, reject });
    });
  const finish = (index: number): void => held[index]?.resolve({ kind: 'text', text: 'a\n' });
  return { held, readFile, finish };
}
