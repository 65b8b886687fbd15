import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReviewSummary } from '@tandem/rpc';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdDisk } from '../../../../packages/companion/test/support/heldDisk.js';
import { PageFixture } from '../support/pageFixture.js';

let fixture: PageFixture;
beforeEach(async () => {
  fixture = await PageFixture.start();
});
afterEach(() => fixture.dispose());

const lines = (count: number): string =>
  Array.from({ length: count }, (_none, at) => `line ${at}\n`).join('');

describe('a review', () => {
  test('is sent to open pages, opened with its text, and decided in one of them', async () => {
    const path = fixture.write('src/a.txt', 'one\n');
    const page = await fixture.open();
    const review = await fixture.propose(path, 'two\n');
    const { reviews } = await page.next('reviews', (event) => event.reviews.length === 1);
    expect(reviews[0]).toMatchObject({
      id: review.id,
      agent: 'gemini',
      agentName: 'Gemini CLI',
      path,
      label: 'src/a.txt',
      state: 'pending',
      added: 1,
      removed: 1,
      hunks: 1,
    });
    const details = await fixture.call('review.open', { id: review.id }, page);
    expect(details).toMatchObject({
      original: 'one\n',
      proposed: 'two\n',
      text: { version: 0, content: 'two\n' },
    });
    expect(details.review).toEqual(reviews[0]);
    await fixture.call('review.accept', { id: review.id, version: 0 });
    expect(review.outcome).toEqual({ kind: 'accepted', content: 'two\n', isEdited: false });
    await page.next('reviews', (event) => event.reviews[0]?.state === 'accepted');
  });

  test('is sent to an open page again only if it changed, and without the others', async () => {
    const page = await fixture.open();
    const [first, second] = [
      await fixture.propose(fixture.write('a.txt', 'one\n'), 'two\n'),
      await fixture.propose(fixture.write('b.txt', 'one\n'), 'two\n'),
    ];
    await page.next('reviews', ({ reviews }) => reviews.length === 2);
    const before = page.messages.length;
    second.edit('mine\n');
    await page.next('reviews', ({ reviews }) => reviews[1]?.isEdited === true);
    const sent = page.messages.slice(before).filter((message) => message.includes('"event":"reviews"'));
    expect(sent.map((message) => JSON.parse(message))).toMatchObject([
      { reviews: [{ id: second.id, isEdited: true }] },
    ]);
    expect(sent.join()).not.toContain('"ids"');
    first.withdraw('agent');
    const { reviews } = await page.next('reviews', (event) => event.reviews[0]?.id === second.id);
    expect(reviews.map(({ id }) => id)).toEqual([second.id, first.id]);
    // A page that opens later receives all.
    const later = await fixture.open();
    expect((await later.next('reviews')).reviews.map(({ id }) => id)).toEqual([second.id, first.id]);
  });

  test('is listed with its session, and decided with all of them', async () => {
    const page = await fixture.open();
    const review = await fixture.propose(fixture.write('src/a.txt', 'one\n'), 'two\n');
    const { sessions } = await page.next('sessions', (event) => event.sessions.length === 1);
    expect(sessions).toMatchObject([
      { agent: 'gemini', agentName: 'Gemini CLI', label: 'src/a.txt', pending: [review.id], decided: 0 },
    ]);
    const session = sessions[0]?.id ?? '';
    const { decided } = await fixture.call('session.decide', { session, decision: 'accept' }, page);
    expect([decided, review.state]).toMatchObject([[{ id: review.id }], 'accepted']);
    await page.next('sessions', (event) => event.sessions[0]?.decided === 1);
  });

  test('has comments that every page receives, on the lines as they are now, and that are sent to the agent', async () => {
    const path = fixture.write('a.txt', 'one\n');
    const page = await fixture.open();
    const { id } = await fixture.propose(path, 'two\nthree\n');
    const lines = { first: 1, last: 1 };
    const comment = await fixture.call('review.comment', { id, text: 'Why?', lines }, page);
    expect(comment).toMatchObject({ id: '1', lines, quote: 'three' });
    await page.next('comments', (event) => event.id === id && event.comments[0]?.text === 'Why?');
    await page.next('reviews', ({ reviews }) => reviews[0]?.comments === 1);
    const updates = [{ clientId: 'a', changes: [[0, 'first', ''], 10] }];
    await fixture.call('text.push', { text: `review:${id}`, version: 0, updates }, page);
    await page.next('comments', (event) => event.comments[0]?.lines?.first === 2);
    const { comments } = await fixture.call('review.open', { id }, page);
    expect(comments).toEqual([{ ...comment, lines: { first: 2, last: 2 } }]);
    await expect(fixture.call('review.close', { id })).rejects.toMatchObject({ code: 'question' });
    const { text } = await fixture.call('review.feedback', { id, rejects: true });
    expect(text).toBe('Review of a.txt, line 2: rejected.\n\n│ three\nWhy?');
    await page.next('reviews', ({ reviews }) => reviews[0]?.state === 'rejected');
  });

  test('is not rejected by closing its tab if it was edited by typing or by dropping a hunk', async () => {
    const path = fixture.write('a.txt', lines(20));
    const _page = await fixture.open();
    const leave = (id: string) => fixture.call('review.close', { id });
    const refused = { status: 409, code: 'question' };

    const typed = await fixture.propose(path, `first\n${lines(20)}`);
    const { content } = await fixture.call('text.open', { text: `review:${typed.id}` });
    const updates = [{ clientId: 'a', changes: [[0, 'my '], content.length] }];
    await fixture.call('text.push', { text: `review:${typed.id}`, version: 0, updates });
    await expect(leave(typed.id)).rejects.toMatchObject(refused);
    expect(typed.state).toBe('pending');
    await fixture.call('review.reject', { id: typed.id });
    await expect(leave(typed.id)).rejects.toMatchObject({ code: 'already-decided' });

    const dropped = await fixture.propose(path, `first\n${lines(20)}last\n`);
    await fixture.call('review.hunk', { id: dropped.id, hunk: 0, isKept: false });
    await expect(leave(dropped.id)).rejects.toMatchObject(refused);

    // In a large text, the review receives edits with a delay.
    const large = await fixture.propose(fixture.write('large.txt'), 'x'.repeat(300_000));
    await fixture.call('text.push', {
      text: `review:${large.id}`,
      version: 0,
      updates: [{ clientId: 'a', changes: [[0, 'my '], 300_000] }],
    });
    await expect(leave(large.id)).rejects.toMatchObject(refused);

    const untouched = await fixture.propose(fixture.write('b.txt'), 'b\n');
    await leave(untouched.id);
    expect(untouched.outcome).toEqual({ kind: 'rejected' });
  });

  test('returns an error if it does not exist, has ended, or its text has changed', async () => {
    const path = fixture.write('a.txt', lines(20));
    for (const [method, params] of [
      ['review.open', {}],
      ['review.accept', { version: 0 }],
      ['review.reject', {}],
      ['review.hunk', { hunk: 0, isKept: true }],
      ['review.save', { content: '' }],
    ] as const) {
      const call = fixture.call(method, { id: '7', ...params } as never);
      await expect(call).rejects.toMatchObject({ status: 404, code: 'not-found' });
    }
    await expect(fixture.call('text.open', { text: 'review:7' })).rejects.toMatchObject({ status: 404 });
    const { id } = await fixture.propose(path, `first\n${lines(20)}last\n`);
    const { content } = await fixture.call('text.open', { text: `review:${id}` });
    const updates = [{ clientId: 'a', changes: [[0, 'my '], content.length] }];
    const push = { text: `review:${id}`, version: 0, updates };
    expect(await fixture.call('text.push', push)).toEqual({ isApplied: true });
    expect(await fixture.call('text.push', push)).toEqual({ isApplied: false });
    await expect(fixture.call('review.accept', { id, version: 0 })).rejects.toMatchObject({
      status: 409,
      code: 'changed',
    });
    await expect(fixture.call('review.hunk', { id, hunk: 0, isKept: false })).rejects.toMatchObject({
      status: 422,
    });
    await expect(fixture.call('review.hunk', { id, hunk: 9, isKept: false })).rejects.toMatchObject({
      status: 400,
    });
    await fixture.call('review.hunk', { id, hunk: 1, isKept: false });
    await fixture.call('review.reject', { id });
    for (const [method, params] of [
      ['review.accept', { version: 2 }],
      ['review.reject', {}],
      ['review.hunk', { hunk: 0, isKept: true }],
    ] as const) {
      const call = fixture.call(method, { id, ...params } as never);
      await expect(call).rejects.toMatchObject({ status: 409, code: 'already-decided' });
    }
    await expect(fixture.call('text.push', { ...push, version: 2 })).rejects.toMatchObject({
      code: 'already-decided',
    });
    expect((await fixture.call('text.open', { text: `review:${id}` })).content).toBe(
      `my first\n${lines(20)}`,
    );
  });

  test('reports which hunks are kept, wherever one is dropped', async () => {
    const path = fixture.write('a.txt', lines(20));
    const page = await fixture.open();
    const review = await fixture.propose(path, `first\n${lines(20)}last\n`);
    await fixture.call('text.open', { text: `review:${review.id}` }, page);
    review.dropHunk(1);
    expect(await page.next('hunks')).toMatchObject({ id: review.id, kept: [true, false] });
    const { version } = await page.next('text');
    expect(version).toBe(0);
    await fixture.call('review.hunk', { id: review.id, hunk: 1, isKept: true });
    expect(await page.next('hunks', ({ kept }) => kept[1] === true)).toMatchObject({ kept: [true, true] });
  });

  test('refuses an answer that the agent cannot receive', async () => {
    const path = fixture.write('a.txt', 'one\n');
    const { id } = await fixture.propose(path, 'two\n', { cannotAnswerEmpty: true });
    await fixture.call('text.push', {
      text: `review:${id}`,
      version: 0,
      updates: [{ clientId: 'a', changes: [[4]] }],
    });
    await expect(fixture.call('review.accept', { id, version: 1 })).rejects.toMatchObject({
      status: 422,
      code: 'refused',
    });
  });

  test('refuses changes that do not fit its text', async () => {
    const { id } = await fixture.propose(fixture.write('a.txt'), 'two\n');
    for (const changes of [[[9]], [2], 'x', null, [[-1, 'x'], 5], [[0, 'a\nb'], 4], { a: 1 }]) {
      const call = fixture.call('text.push', {
        text: `review:${id}`,
        version: 0,
        updates: [{ clientId: 'a', changes }],
      });
      await expect(call, JSON.stringify(changes)).rejects.toMatchObject({ status: 400, code: 'bad-params' });
    }
    expect((await fixture.call('text.open', { text: `review:${id}` })).version).toBe(0);
  });
});

describe('two pages on one text', () => {
  test('both receive every change once and in order, only while they are open', async () => {
    const { id } = await fixture.propose(fixture.write('a.txt'), 'two\n');
    const text = `review:${id}`;
    const [one, other, third] = await Promise.all([fixture.open(), fixture.open(), fixture.open()]);
    for (const page of [one, other])
      expect(await fixture.call('text.open', { text }, page)).toEqual({ version: 0, content: 'two\n' });
    const push = (version: number, word: string, length: number) =>
      fixture.call('text.push', {
        text,
        version,
        updates: [{ clientId: word, changes: [[0, word], length] }],
      });
    const answers = await Promise.all([push(0, 'a', 4), push(0, 'b', 4)]);
    expect(answers.map(({ isApplied }) => isApplied).sort()).toEqual([false, true]);
    await push(1, 'c', 5);
    for (const page of [one, other]) {
      await page.next('text', ({ version }) => version === 1);
      const received = page.events.filter(({ event }) => event === 'text');
      expect(received).toMatchObject([
        { text, version: 0 },
        { text, version: 1 },
      ]);
    }
    const { updates } = await fixture.call('text.pull', { text, version: 1 });
    expect(updates).toEqual([{ clientId: 'c', changes: [[0, 'c'], 5] }]);
    await expect(fixture.call('text.pull', { text, version: 9 })).rejects.toMatchObject({ code: 'changed' });
    other.socket.close();
    await other.closed;
    await push(2, 'd', 6);
    await one.next('text', ({ version }) => version === 2);
    expect(other.events.filter(({ event }) => event === 'text')).toHaveLength(2);
    expect(third.events.filter(({ event }) => event === 'text')).toEqual([]);
  });
});

describe('the edited text of an ended review', () => {
  const save = async (
    original: string | undefined,
    proposed: string,
    content: string,
    meanwhile?: string | Buffer,
  ) => {
    const path = join(fixture.workspace, 'new/folder/a.txt');
    if (original !== undefined) fixture.write('new/folder/a.txt', original);
    else rmSync(path, { force: true });
    const review = await fixture.propose(path, proposed, { session: String(Math.random()) });
    await expect(fixture.call('review.save', { id: review.id, content })).rejects.toMatchObject({
      code: 'refused',
    });
    review.withdraw('disconnected');
    if (meanwhile !== undefined) fixture.write('new/folder/a.txt', meanwhile);
    await fixture.call('review.save', { id: review.id, content });
    return readFileSync(path, 'utf8');
  };

  test('is saved to a dangerous file only after the question was answered', async () => {
    const path = join(fixture.workspace, '.husky/pre-commit');
    const review = await fixture.propose(path, 'one\n');
    review.withdraw('disconnected');
    const save = (answer?: object) =>
      fixture.call('review.save', { id: review.id, content: 'mine\n', ...(answer && { answer }) });
    await expect(save()).rejects.toMatchObject({
      code: 'question',
      message: expect.stringContaining('Apply the proposal to .husky/pre-commit?'),
    });
    expect(existsSync(path)).toBe(false);
    await save({ confirmed: ['runs'] });
    expect(readFileSync(path, 'utf8')).toBe('mine\n');
  });

  test('is saved to its file with the line ends and byte order mark of the file', async () => {
    expect(await save(undefined, 'a\r\nb\r\n', 'a\nmine\n')).toBe('a\r\nmine\r\n');
    expect(await save('\uFEFFa\r\nb\r\n', 'a\nb\nc\n', 'a\nb\nmine\n')).toBe('\uFEFFa\r\nb\r\nmine\r\n');
    expect(await save('a', 'b\n', 'c\n')).toBe('c\n');
    expect(await save('a\n', 'b', 'c')).toBe('c');
    expect(await save('a\n', 'b\n', '')).toBe('');
    // Accepted in the agent's terminal: it wrote its own proposal.
    expect(await save('a\n', 'b\n', 'mine\n', 'b\n')).toBe('mine\n');
    // Gemini CLI wrote the user's text.
    expect(await save('a\r\n', 'b\r\n', 'mine\n', 'mine\r\n')).toBe('mine\r\n');
  });

  test('is not saved over other changes of the file, or outside the workspace', async () => {
    await expect(save('a\n', 'b\n', 'mine\n', 'theirs\n')).rejects.toMatchObject({
      status: 409,
      code: 'conflict',
    });
    await expect(save('a\n', 'b\n', 'mine\n', Buffer.from([0xff]))).rejects.toMatchObject({
      status: 422,
      code: 'refused',
    });
    const outside = join(fixture.folder('outside'), 'b.txt');
    writeFileSync(outside, 'outside\n');
    symlinkSync(outside, join(fixture.workspace, 'link.txt'));
    for (const path of [
      outside,
      join(fixture.workspace, 'link.txt'),
      `${fixture.workspace}/../outside/b.txt`,
    ]) {
      const review = await fixture.propose(path, 'mine\n', { session: path });
      review.reject();
      await expect(fixture.call('review.save', { id: review.id, content: 'mine\n' })).rejects.toMatchObject({
        status: 403,
        code: 'forbidden',
        message: expect.stringContaining('Copy the text instead.'),
      });
    }
    expect(readFileSync(outside, 'utf8')).toBe('outside\n');
    const accepted = await fixture.propose(fixture.write('c.txt', 'c\n'), 'd\n');
    accepted.accept();
    const call = fixture.call('review.save', { id: accepted.id, content: 'x' });
    await expect(call).rejects.toMatchObject({ status: 409, code: 'already-decided' });
  });
});

describe('a decision in the page', () => {
  test.each([
    ['accepted', { method: 'review.accept', more: { version: 0 } }],
    ['rejected', { method: 'review.reject', more: {} }],
  ] as const)('as %s is confirmed and shown only after the journal has it', async (state, how) => {
    await fixture.dispose();
    fixture = await PageFixture.start((each) => {
      each.journal = each.folder('journal');
    });
    const page = await fixture.open();
    const { id } = await fixture.propose(fixture.write('a.txt', 'one\n'), 'two\n');
    await fixture.companion.reviews.persisted();
    const order: string[] = [];
    const disk = holdDisk();
    try {
      const params = { id, ...how.more } as never;
      const call = fixture.call(how.method, params).then(() => void order.push('confirmed'));
      const shown = page
        .next('reviews', ({ reviews }) => reviews[0]?.state === state)
        .then(() => void order.push('shown'));
      await disk.reached;
      // Everything sent before this has arrived.
      await fixture.call('ping', {});
      order.push('kept');
      disk.release();
      await Promise.all([call, shown]);
    } finally {
      disk.release();
    }
    expect(order[0]).toBe('kept');
    expect(order).toHaveLength(3);
  });
});

test('marks a review in the page while the journal cannot be written', async () => {
  await fixture.dispose();
  fixture = await PageFixture.start((each) => {
    each.journal = each.folder('journal');
  });
  const page = await fixture.open();
  const path = fixture.write('a.txt', 'one\n');
  const { root } = fixture;
  renameSync(join(root, 'journal'), join(root, 'away'));
  writeFileSync(join(root, 'journal'), 'a file in its place');
  await fixture.propose(path, 'two\n');
  const isMarked = ({ reviews }: { readonly reviews: readonly ReviewSummary[] }): boolean =>
    reviews[0]?.notes.some(({ kind, text }) => kind === 'not-kept' && /^Not saved: /.test(text)) === true;
  await page.next('reviews', isMarked);
  rmSync(join(root, 'journal'));
  await fixture.companion.journal.write();
  await page.next('reviews', (event) => event.reviews.length === 1 && !isMarked(event));
});

test('lists decided reviews of an earlier companion, opens them with their comments, and saves their text', async () => {
  await fixture.dispose();
  fixture = await PageFixture.start((each) => {
    each.journal = each.folder('journal');
  });
  const path = fixture.write('src/a.txt', 'one\n');
  const { id } = await fixture.propose(path, 'two\n');
  await fixture.call('review.comment', { id, text: 'Why?', lines: { first: 0, last: 0 } });
  fixture.editor.shownReview(id)?.review.edit('mine\n');
  const before = await fixture.call('review.open', { id });
  await fixture.call('review.reject', { id });
  await fixture.stop();
  await fixture.run();
  const page = await fixture.open();
  const { reviews } = await page.next('decided', (event) => event.reviews.length > 0);
  expect(reviews).toMatchObject([
    { id, label: 'src/a.txt', agentName: 'Gemini CLI', state: 'rejected', isEdited: true },
  ]);
  expect(await page.next('reviews')).toMatchObject({ reviews: [] });
  const opened = await fixture.call('review.open', { id });
  expect(opened).toMatchObject({
    review: { state: 'rejected', decidedAt: reviews[0]?.decidedAt, openedAt: before.review.openedAt },
    original: 'one\n',
    proposed: 'two\n',
    comments: [{ text: 'Why?', quote: 'two' }],
    text: { content: 'mine\n' },
  });
  expect((await fixture.call('review.feedback', { id })).text).toContain('│ two\nWhy?');
  await expect(fixture.call('text.open', { text: `review:${id}` }, page)).rejects.toMatchObject({
    code: 'not-found',
  });
  await fixture.call('review.save', { id, content: 'mine\n' });
  expect(readFileSync(path, 'utf8')).toBe('mine\n');
});

test('lists no decided review once the history is deleted, also of this companion', async () => {
  const page = await fixture.open();
  const review = await fixture.propose(fixture.write('a.txt', 'one\n'), 'two\n');
  const pending = await fixture.propose(fixture.write('b.txt', 'one\n'), 'two\n');
  review.reject();
  await page.next('decided', (event) => event.reviews.length === 1);
  await fixture.call('changes.forget', {});
  await page.next('decided', (event) => event.reviews.length === 0);
  const { reviews } = await page.next(
    'reviews',
    (event) => event.reviews.map(({ id }) => id).join() === pending.id,
  );
  expect(reviews).toMatchObject([{ id: pending.id, state: 'pending' }]);
  await expect(fixture.call('review.open', { id: review.id })).rejects.toMatchObject({ code: 'not-found' });
});
