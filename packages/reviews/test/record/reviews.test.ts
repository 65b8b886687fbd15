import { ProposalError, type Review, type Reviews } from '@tandem/reviews';
import { describe, expect, it } from 'vitest';
import { settle } from '../../../../test/settle.js';
import { makeHeldReads, proposal, setUpReviews } from '../support/reviewsFixture.js';

describe('a proposal', () => {
  it('becomes a pending review that the editor shows', async () => {
    const { reviews, user, events } = setUpReviews();
    const review = await reviews.propose(proposal);
    expect(review.proposal).toBe(proposal);
    expect(review.original).toEqual({ kind: 'text', text: 'a\n' });
    expect(reviews.pending).toEqual([review]);
    expect(reviews.get(review.id)).toBe(review);
    expect(reviews.find('s1', '/workspace/a.txt')).toBe(review);
    expect(user.reviewsInView()).toEqual([review]);
    expect(events).toEqual(['opened 1']);
  });

  it.each(['/ssh:$(command)@x:/etc/motd', '/x/../sudo::/a', '//scp:x:/a'])(
    'for %s is refused before its file is read: an editor might start a program for it',
    async (path) => {
      const read: string[] = [];
      const { reviews, events } = setUpReviews({
        async readFile(each) {
          read.push(each);
          return { kind: 'missing' };
        },
      });
      await expect(reviews.propose({ ...proposal, path })).rejects.toThrow(
        `The change to ${path} is refused: its first folder contains a colon, as the names of remote files do in some editors. Propose it under another path.`,
      );
      expect([read, reviews.pending, events]).toEqual([[], [], []]);
    },
  );

  it('closes its view after a decision only when that is stored, and after a withdrawal immediately', async () => {
    const waiting: (() => void)[] = [];
    const persist = (): Promise<void> => new Promise((resolve) => void waiting.push(resolve));
    const { reviews, user } = setUpReviews({ persist });
    const decided = await reviews.propose(proposal);
    expect(decided.accept()).toBe(true);
    expect([user.reviewsInView(), decided.isStored]).toEqual([[decided], false]);
    for (const resolve of waiting) resolve();
    await settle();
    expect([user.reviewsInView(), decided.isStored]).toEqual([[], true]);
    const withdrawn = await reviews.propose({ ...proposal, session: 's2' });
    expect(user.reviewsInView()).toContain(withdrawn);
    withdrawn.withdraw('agent');
    expect(user.reviewsInView()).not.toContain(withdrawn);
  });

  it('closes its view when it ends, and stays readable', async () => {
    const { reviews, user, events } = setUpReviews();
    const review = await reviews.propose(proposal);
    user.edit(review, 'mine\n');
    user.accept(review);
    expect(user.reviewsInView()).toEqual([]);
    expect([reviews.pending, reviews.ended]).toEqual([[], [review]]);
    expect(reviews.get(review.id)?.content).toBe('mine\n');
    expect(events).toEqual(['opened 1', 'changed 1', 'accepted 1']);
  });

  it('never writes the file', async () => {
    const { reviews, files, user } = setUpReviews();
    user.accept(await reviews.propose(proposal));
    expect(await files.readText('/workspace/a.txt')).toBe('a\n');
  });

  it('is refused for a folder, and nothing is pending', async () => {
    const { reviews, events } = setUpReviews();
    await expect(reviews.propose({ ...proposal, path: '/workspace' })).rejects.toThrow(
      new ProposalError('The change to /workspace cannot be reviewed: /workspace is a folder.'),
    );
    expect([reviews.pending, events]).toEqual([[], []]);
  });

  it('reports the message of a failure to the agent, but not its causes', async () => {
    const cause = new Error('secret detail of the house');
    const refusal = async (): Promise<never> => {
      throw new Error('for the agent', { cause });
    };
    const unreadable = setUpReviews({ readFile: refusal });
    const unshown = setUpReviews({ show: refusal });
    for (const { reviews } of [unreadable, unshown]) {
      const error = await reviews.propose(proposal).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ProposalError);
      expect(String(error)).toContain('for the agent');
      expect(String(error)).not.toContain('secret');
      expect(error).toHaveProperty('withdrawn', undefined);
    }
  });

  it('marks files outside the workspace by their spelling', async () => {
    const { reviews } = setUpReviews();
    const isOutside = async (path: string) =>
      (await reviews.propose({ ...proposal, path })).marks.isOutsideWorkspace;
    expect(await isOutside('/workspace/new/file.txt')).toBe(false);
    expect(await isOutside('/elsewhere/file.txt')).toBe(true);
    expect(await isOutside('/workspace/../elsewhere/file.txt')).toBe(true);
    expect(await isOutside('/workspace-2/file.txt')).toBe(true);
  });

  it('resolves links to mark files outside the workspace', async () => {
    const { reviews, files, user } = setUpReviews({ realPath: (path) => files.realPath(path) });
    files.link('/workspace/way out', '/elsewhere');
    files.link('/way in', '/workspace');
    files.link('/linked workspace', '/real workspace');
    const isOutside = async (path: string) =>
      (await reviews.propose({ ...proposal, path })).marks.isOutsideWorkspace;
    expect(await isOutside('/workspace/way out/file.txt')).toBe(true);
    expect(await isOutside('/way in/file.txt')).toBe(false);
    user.setFolders(['/linked workspace']);
    expect(await isOutside('/real workspace/file.txt')).toBe(false);
  });

  it('marks files in a .git folder, in any case and through a link', async () => {
    const { reviews, files } = setUpReviews({ realPath: (path) => files.realPath(path) });
    files.link('/workspace/hooks', '/workspace/.git/hooks');
    const isInGitFolder = async (path: string) =>
      (await reviews.propose({ ...proposal, path })).marks.isInGitFolder === true;
    expect(await isInGitFolder('/workspace/.git/hooks/pre-commit')).toBe(true);
    expect(await isInGitFolder('/workspace/sub/.GIT/config')).toBe(true);
    expect(await isInGitFolder('/workspace/hooks/pre-commit')).toBe(true);
    expect(await isInGitFolder('/workspace/.git')).toBe(true);
    expect(await isInGitFolder('/workspace/.github/workflows/a.yml')).toBe(false);
    expect(await isInGitFolder('/workspace/.git/../a.txt')).toBe(false);
  });

  it('reports why its file is hidden from the agent that proposes it', async () => {
    const heldBack = async (agent: string, path: string) =>
      agent === 'gemini' && path.endsWith('.env') ? 'a reason' : undefined;
    const { reviews } = setUpReviews({ heldBack });
    const reasonFor = async (agent: string, path: string) =>
      (await reviews.propose({ ...proposal, agent, path })).marks.heldBack;
    expect(await reasonFor('gemini', '/workspace/.env')).toBe('a reason');
    expect(await reasonFor('claude', '/workspace/.env')).toBeUndefined();
    expect(await reasonFor('gemini', '/workspace/a.txt')).toBeUndefined();
  });

  it('becomes a separate review for each of two agents, with separate answers', async () => {
    const { reviews, user } = setUpReviews();
    const first = await reviews.propose(proposal);
    const second = await reviews.propose({ ...proposal, agent: 'claude', session: 's2', content: 'c\n' });
    expect(reviews.pending).toEqual([first, second]);
    user.reject(first);
    expect(reviews.pending).toEqual([second]);
    user.accept(second);
    expect([first.outcome, second.outcome]).toEqual([
      { kind: 'rejected' },
      { kind: 'accepted', content: 'c\n', isEdited: false },
    ]);
  });
});

describe('a second proposal of a session for the same path', () => {
  it('replaces the first, whose edits stay readable', async () => {
    const { reviews, user, events } = setUpReviews();
    const first = await reviews.propose(proposal);
    user.edit(first, 'mine\n');
    const second = await reviews.propose({ ...proposal, content: 'c\n' });
    expect(first.outcome).toEqual({ kind: 'withdrawn', reason: 'replaced' });
    expect(first.content).toBe('mine\n');
    expect(second.content).toBe('c\n');
    expect(reviews.pending).toEqual([second]);
    expect(user.reviewsInView()).toEqual([second]);
    expect(events).toEqual(['opened 1', 'changed 1', 'withdrawn 1', 'opened 2']);
  });

  it('does not affect other paths and other sessions', async () => {
    const { reviews } = setUpReviews();
    const others = [
      await reviews.propose({ ...proposal, path: '/workspace/b.txt' }),
      await reviews.propose({ ...proposal, session: 's2' }),
    ];
    await reviews.propose(proposal);
    await reviews.propose(proposal);
    expect(others.map(({ state }) => state)).toEqual(['pending', 'pending']);
  });

  it.each([
    ['the first read ends first', [0, 1]],
    ['the second read ends first', [1, 0]],
  ])('wins while both are in flight when %s', async (_order, order) => {
    const { held, readFile, finish } = makeHeldReads();
    const { reviews, events } = setUpReviews({ readFile });
    const first = reviews.propose(proposal);
    const second = reviews.propose({ ...proposal, content: 'c\n' });
    const refusal = expect(first).rejects.toMatchObject({ name: 'ProposalError', withdrawn: 'replaced' });
    expect(held).toHaveLength(2);
    for (const index of order) {
      finish(index);
      await settle();
    }
    await refusal;
    expect(reviews.pending).toEqual([await second]);
    expect((await second).proposal.content).toBe('c\n');
    expect(events).toEqual(['opened 1']);
  });

  it('leaves the first pending if it is itself replaced in flight, and if a third one fails', async () => {
    const { held, readFile, finish } = makeHeldReads();
    const { reviews } = setUpReviews({ readFile });
    const opening = reviews.propose(proposal);
    finish(0);
    const first = await opening;
    const second = reviews.propose({ ...proposal, content: 'c\n' });
    const third = reviews.propose({ ...proposal, content: 'd\n' });
    const refusals = Promise.all([
      expect(second).rejects.toMatchObject({ withdrawn: 'replaced' }),
      expect(third).rejects.toThrow('the disk is gone'),
    ]);
    finish(1);
    held[2]?.reject(new Error('the disk is gone'));
    await refusals;
    expect(reviews.pending).toEqual([first]);
  });

  it('leaves the first one accepted when the user accepts it while the file is read', async () => {
    const { held, readFile, finish } = makeHeldReads();
    const { reviews } = setUpReviews({ readFile });
    const first = reviews.propose(proposal);
    finish(0);
    const review = await first;
    const second = reviews.propose({ ...proposal, content: 'c\n' });
    expect(review.accept()).toBe(true);
    finish(1);
    expect((await second).state).toBe('pending');
    expect(review.state).toBe('accepted');
    expect(held).toHaveLength(2);
  });

  it('carries over the edits of the first if the content is the same', async () => {
    const { reviews, user } = setUpReviews();
    const first = await reviews.propose(proposal);
    user.edit(first, 'mine\n');
    const second = await reviews.propose(proposal);
    expect([second.content, second.isEdited]).toEqual(['mine\n', true]);
  });

  it('is refused when a listener of the replacement ends the session', async () => {
    const { reviews, events } = setUpReviews();
    const first = await reviews.propose(proposal);
    first.onDidDecide(() => reviews.withdrawSession('s1', 'disconnected'));
    await expect(reviews.propose({ ...proposal, content: 'c\n' })).rejects.toMatchObject({
      withdrawn: 'disconnected',
    });
    expect(reviews.pending).toEqual([]);
    expect(events).toEqual(['opened 1', 'withdrawn 1']);
  });
});

describe('an interrupted review', () => {
  async function editAndEnd(end: (review: Review, reviews: Reviews) => void): Promise<Review> {
    const { reviews, user } = setUpReviews();
    const first = await reviews.propose(proposal);
    user.edit(first, 'mine\n');
    end(first, reviews);
    return reviews.propose({ ...proposal, session: 's2' });
  }

  it('passes its edits to the same proposal after the agent reconnects', async () => {
    const again = await editAndEnd((_review, reviews) => reviews.withdrawSession('s1', 'disconnected'));
    expect(again.content).toBe('mine\n');
  });

  it.each([
    ['accepted', (review: Review) => review.accept()],
    ['rejected', (review: Review) => review.reject()],
    ['withdrawn by the agent', (review: Review) => review.withdraw('agent')],
  ])('passes no edits on when it was %s', async (_how, end) => {
    expect((await editAndEnd(end)).content).toBe('b\n');
  });

  it('passes no edits to another proposal, another agent or another path', async () => {
    const { reviews, user } = setUpReviews();
    const first = await reviews.propose(proposal);
    user.edit(first, 'mine\n');
    reviews.withdrawSession('s1', 'disconnected');
    const others = [
      { ...proposal, session: 's2', content: 'other\n' },
      { ...proposal, session: 's3', agent: 'qwen' },
      { ...proposal, session: 's4', path: '/workspace/other.txt' },
    ];
    for (const other of others) expect((await reviews.propose(other)).isEdited).toBe(false);
  });
});

describe('the memory of ended reviews', () => {
  it('holds the last hundred reviews', async () => {
    const { reviews } = setUpReviews();
    for (let count = 0; count < 103; count++) (await reviews.propose(proposal)).reject();
    expect(reviews.ended.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, at) => String(at + 4)));
    expect(reviews.get('3')).toBeUndefined();
  });

  it('drops the oldest when the texts are large, but never the latest', async () => {
    const { reviews } = setUpReviews();
    const large = 'x'.repeat(30 * 1024 * 1024);
    for (const content of [large, large, large, large + large + large]) {
      (await reviews.propose({ ...proposal, content })).reject();
    }
    expect(reviews.ended.map(({ id }) => id)).toEqual(['4']);
  });
});
