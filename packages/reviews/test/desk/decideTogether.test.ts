import {
  type FileContent,
  type Proposal,
  previewTogether,
  type Review,
  type ReviewSurroundings,
} from '@tandem/reviews';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settle } from '../../../../test/settle.js';
import { acceptTogether, rejectTogether, type Seen } from '../../src/desk/decideTogether.js';
import { setUpReviews } from '../support/reviewsFixture.js';

const original = 'one\ntwo\nthree\n';
const proposed = 'ONE\ntwo\nthree\n';

/** Reviews of the given files, by one session, and the files' content on disk. */
async function propose(proposals: readonly (Partial<Proposal> & { readonly path: string })[]) {
  const files = new Map<string, FileContent>();
  const readFile = async (path: string): Promise<FileContent> => files.get(path) ?? { kind: 'missing' };
  const { reviews } = setUpReviews({
    readFile,
    heldBack: async (_agent, path) => (path.includes('.env') ? 'its name' : undefined),
  });
  const proposing = proposals.map((each) => {
    if (!files.has(each.path)) files.set(each.path, { kind: 'text', text: original });
    return reviews.propose({ content: proposed, agent: 'gemini', session: 's1', ...each });
  });
  const all = await Promise.all(proposing);
  const around: ReviewSurroundings = {
    readFile: ({ proposal }) => readFile(proposal.path),
    marks: (of) => reviews.findMarks(of),
    isUnsaved: async (path) => path.includes('unsaved'),
    save: async () => false,
    label: (path) => path,
    isKept: ({ proposal }) => !proposal.path.includes('not-kept'),
  };
  return { reviews, all, files, around };
}

async function seenNow(all: readonly Review[], around: ReviewSurroundings): Promise<Seen> {
  return new Map((await previewTogether(all, around)).map(({ review, seen }) => [review.id, seen]));
}

const paths = (reviews: readonly Review[]): string[] => reviews.map(({ proposal }) => proposal.path);

describe('the pending reviews of a session', () => {
  it('are accepted in their order, edited ones with their edits', async () => {
    const { all, around } = await propose([{ path: '/workspace/b' }, { path: '/workspace/a' }]);
    all[1]?.edit('mine\n');
    const { decided, pending } = await acceptTogether(all, { seen: await seenNow(all, around) }, around);
    expect([paths(decided), pending]).toEqual([['/workspace/b', '/workspace/a'], []]);
    expect(all.map(({ outcome }) => outcome)).toEqual([
      { kind: 'accepted', content: proposed, isEdited: false },
      { kind: 'accepted', content: 'mine\n', isEdited: true },
    ]);
  });

  it('stay pending, each with the reason, if the user has to look at them first', async () => {
    const { all, files, around } = await propose([
      { path: '/workspace/fine' },
      { path: '/workspace/conflict' },
      { path: '/workspace/deleted' },
      { path: '/workspace/merged' },
      { path: '/workspace/markers' },
      { path: '/workspace/unsaved' },
      { path: '/workspace/.git/config' },
      { path: '/workspace/.env' },
      { path: '/elsewhere/a' },
      { path: '/workspace/empty', cannotAnswerEmpty: true },
      { path: '/workspace/not-kept' },
    ]);
    files.set('/workspace/conflict', { kind: 'text', text: 'uno\ntwo\nthree\n' });
    files.delete('/workspace/deleted');
    files.set('/workspace/merged', { kind: 'text', text: 'one\ntwo\nTHREE\n' });
    all[4]?.edit('<<<<<<< mine\na\n=======\nb\n>>>>>>> theirs\n');
    all[9]?.edit('');
    const wanted = [
      ['/workspace/conflict', 'conflict'],
      ['/workspace/deleted', 'deleted'],
      ['/workspace/merged', 'changed'],
      ['/workspace/markers', 'markers'],
      ['/workspace/unsaved', 'unsaved'],
      ['/workspace/.git/config', 'git'],
      ['/workspace/.env', 'hidden'],
      ['/elsewhere/a', 'outside'],
      ['/workspace/empty', 'empty'],
      ['/workspace/not-kept', 'not-kept'],
    ];
    const previews = await previewTogether(all, around);
    const obstacles = previews.flatMap(({ review, obstacle }) =>
      obstacle === undefined ? [] : [[review.proposal.path, obstacle]],
    );
    expect(obstacles).toEqual(wanted);
    const seen = new Map(previews.map(({ review, seen }) => [review.id, seen]));
    const { decided, pending } = await acceptTogether(all, { seen }, around);
    // The user has been shown that it is merged.
    expect(paths(decided)).toEqual(['/workspace/fine', '/workspace/merged']);
    expect(pending.map(({ review, obstacle }) => [review.proposal.path, obstacle])).toEqual(
      wanted.filter(([, obstacle]) => obstacle !== 'changed'),
    );
    expect(pending.every(({ review }) => review.state === 'pending')).toBe(true);
  });

  it('are rejected in their order, edited ones only if the user confirmed it', async () => {
    const { all, around } = await propose([{ path: '/workspace/b' }, { path: '/workspace/a' }]);
    all[0]?.editUnfinished(() => 'mine\n');
    const seen = await seenNow(all, around);
    const first = await rejectTogether(all, seen);
    expect([paths(first.decided), first.pending]).toEqual([
      ['/workspace/a'],
      [{ review: all[0], obstacle: 'edited' }],
    ]);
    const second = await rejectTogether(all, seen, { rejectsEdited: true });
    expect(paths(second.decided)).toEqual(['/workspace/b']);
    expect(all[0]?.content).toBe('mine\n');
  });

  it('are rejected with pauses, after which each is still as the user saw it', async () => {
    const { reviews, all, around } = await propose(
      ['a', 'edited', 'accepted', 'withdrawn', 'b'].map((name) => ({ path: `/workspace/${name}` })),
    );
    const seen = await seenNow(all, around);
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses += 1;
      if (pauses > 1) return;
      all[1]?.edit('mine\n');
      all[2]?.accept();
      all[3]?.withdraw('agent');
      await reviews.propose({ path: '/workspace/c', content: 'c\n', agent: 'gemini', session: 's1' });
    };
    const { decided, pending } = await rejectTogether(all, seen, { rejectsEdited: true, pause });
    expect(paths(decided)).toEqual(['/workspace/a', '/workspace/b']);
    expect(pending).toEqual([{ review: all[1], obstacle: 'changed' }]);
    expect(all[1]?.content).toBe('mine\n');
    expect(paths(reviews.pending)).toEqual(['/workspace/edited', '/workspace/c']);
    expect(pauses).toBeGreaterThan(2);
  });

  it('stay pending if they changed or arrived after the question', async () => {
    const { reviews, all, around } = await propose([{ path: '/workspace/a' }, { path: '/workspace/b' }]);
    const seen = await seenNow(all, around);
    all[0]?.edit('mine\n');
    all[0]?.edit(proposed);
    all[1]?.editUnfinished(() => 'typing\n');
    const late = await reviews.propose({
      path: '/workspace/c',
      content: 'c\n',
      agent: 'gemini',
      session: 's1',
    });
    const wanted = [...all, late].map((review) => ({ review, obstacle: 'changed' }));
    expect(await acceptTogether(reviews.pending, { seen }, around)).toEqual({ decided: [], pending: wanted });
    expect(await rejectTogether(reviews.pending, seen, { rejectsEdited: true })).toEqual({
      decided: [],
      pending: wanted,
    });
  });

  it('are not taken for reviews of the same number in an earlier companion', async () => {
    const before = await propose([{ path: '/workspace/a' }]);
    const seen = await seenNow(before.all, before.around);
    const after = await propose([{ path: '/workspace/b' }]);
    const [later] = after.all;
    // The clock of the fixture always starts at the same time.
    const moved = [...seen].map(([id, value]): [string, string] => [id, value.replace(/\.\d+\./, '.1.')]);
    expect(later?.id).toBe(before.all[0]?.id);
    expect((await acceptTogether(after.all, { seen: new Map(moved) }, after.around)).decided).toEqual([]);
  });
});

type Step =
  | { readonly do: 'ask' | 'accept all' | 'reject all' | 'a moment passes' }
  | { readonly do: 'read' | 'withdraw' | 'accept' | 'reject'; readonly which: number }
  | { readonly do: 'edit' | 'type' | 'change file'; readonly which: number; readonly text: string };

const which = fc.nat({ max: 3 });
const texts = ['one\ntwo\nTHREE\n', 'ONE\ntwo\nTHREE\n', original, proposed];
/** A user who types what the file had wants the file, and its later text. So only the user writes `mine`. */
const typedText = fc.constantFrom('mine\n', ...texts);
const fileText = fc.constantFrom('theirs\n', ...texts);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('ask' as const, 'accept all' as const, 'reject all' as const),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'a moment passes' as const }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('read' as const), which }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('withdraw' as const, 'accept' as const, 'reject' as const),
      which,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.oneof(
      fc.record({ do: fc.constantFrom('edit' as const, 'type' as const), which, text: typedText }),
      fc.record({ do: fc.constant('change file' as const), which, text: fileText }),
    ),
  },
);

describe('deciding all while the user, the agent and the disk act', () => {
  it('ends each review once, as the user saw it, and loses no edit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), async (steps) => {
        const names = ['a', 'b', 'c', 'd'].map((name) => `/workspace/${name}`);
        const { all, files, around } = await propose(names.map((path) => ({ path })));
        const ends = new Map(all.map((review) => [review, 0]));
        /** What the user last typed into each review, and what is not evaluated of it. */
        const typed = new Map<Review, string>();
        for (const review of all) review.onDidDecide(() => ends.set(review, (ends.get(review) ?? 0) + 1));
        const reads: (() => void)[] = [];
        const held: ReviewSurroundings = {
          ...around,
          readFile: (review) =>
            new Promise((resolve) => reads.push(() => resolve(files.get(review.proposal.path)))),
        };
        let seen: Seen = new Map();
        /** The text of each review when the user was asked. */
        let shown = new Map<string, string>();
        const running: Promise<void>[] = [];
        const check = (decided: readonly Review[], shownThen: ReadonlyMap<string, string>): void => {
          for (const review of decided) expect(review.content).toBe(shownThen.get(review.id));
        };
        const take = (action: Step): void => {
          const review = 'which' in action ? all[action.which] : undefined;
          const path = review?.proposal.path ?? '';
          if (action.do === 'ask') {
            const asking = previewTogether(all, held).then((previews) => {
              seen = new Map(previews.map((each) => [each.review.id, each.seen]));
              shown = new Map(
                previews.flatMap((each) => {
                  const isSame = each.seen.endsWith(`.${each.review.version}`);
                  return isSame ? [[each.review.id, each.review.content]] : [];
                }),
              );
            });
            running.push(asking);
          } else if (action.do === 'accept all') {
            const shownThen = shown;
            running.push(
              acceptTogether(all, { seen }, held).then(({ decided }) => check(decided, shownThen)),
            );
          } else if (action.do === 'reject all') {
            const shownThen = shown;
            running.push(rejectTogether(all, seen).then(({ decided }) => check(decided, shownThen)));
          } else if (action.do === 'read') reads.splice(action.which % Math.max(1, reads.length), 1)[0]?.();
          else if (action.do === 'change file') files.set(path, { kind: 'text', text: action.text });
          else if (review?.state !== 'pending' || action.do === 'a moment passes') return;
          else if (action.do === 'accept') review.accept();
          else if (action.do === 'reject') review.reject();
          else if (action.do === 'withdraw') review.withdraw('agent');
          else if (action.do === 'edit') review.edit(action.text);
          else if (action.do === 'type') review.editUnfinished(() => action.text);
          if (review !== undefined && (action.do === 'edit' || action.do === 'type'))
            typed.set(review, action.text);
        };
        for (const each of steps) {
          take(each);
          if (each.do === 'a moment passes') await settle();
        }
        const finished = Promise.all(running);
        while (
          reads.length > 0 ||
          (await Promise.race([finished.then(() => false), settle().then(() => true)]))
        )
          reads.shift()?.();
        await finished;
        for (const review of all) {
          expect(ends.get(review)).toBe(review.state === 'pending' ? 0 : 1);
          if (review.state === 'pending') review.settle();
          const text = typed.get(review);
          // Changes of the file may be merged into it, on other lines.
          if (text === 'mine\n') expect(review.content).toContain(text);
        }
      }),
      { numRuns: 300 },
    );
  });
});
