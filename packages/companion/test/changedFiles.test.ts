import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { five, useChanges } from './support/changesStage.js';
import type { CompanionStage } from './support/companionStage.js';

const startFirst = useChanges();

const overlapping = expect.stringMatching(/changed again later.*not known whose/);
const unreviewed = expect.stringContaining('no accepted review made');

/** The sessions in the order of their first change, as `+added -removed` of each file. */
async function counts({ companion }: CompanionStage): Promise<string[]> {
  const sessions = companion.sessions.list().map(({ id }) => companion.changes.summaries({ session: id }));
  return (await Promise.all(sessions)).map((files) =>
    files.map(({ added, removed }) => `+${added} -${removed}`).join(' '),
  );
}

test('only what accepted reviews changed is counted and shown, not what an agent wrote without a review', async () => {
  const { stage, accept, path, read } = await startFirst();
  await accept('a.txt', five.replace('two', 'TWO'));
  // Also written by the agent, by a command.
  writeFileSync(path('a.txt'), read('a.txt').replace('four', 'FOUR').replace('five', 'FIVE\nsix'));
  const [file] = await stage.companion.changes.list();
  expect(file).toMatchObject({ added: 1, removed: 1, notes: [unreviewed], isAbsent: false });
  expect(file?.before).toEqual({ kind: 'text', text: read('a.txt').replace('TWO', 'two') });
  const { changes } = stage.companion;
  expect(await changes.file(path('a.txt'))).toEqual(file);
  expect(await changes.restore({ path: path('a.txt') })).toMatchObject([{ kind: 'merged' }]);
  expect(file?.before).toEqual({ kind: 'text', text: read('a.txt') });
});

test('the changes of two agents to one file are distinguished, with edits of the user before, between and after', async () => {
  const { stage, begin, accept, path, read } = await startFirst();
  const other = await stage.connect('qwen');
  const edit = (from: string, to: string): void =>
    writeFileSync(path('a.txt'), read('a.txt').replace(from, to));
  edit('one', 'zero, mine\r\none');
  await accept('a.txt', read('a.txt').replace('two', 'TWO'));
  edit('zero, mine', 'zero, mine again');
  await accept('a.txt', read('a.txt').replace('four', 'FOUR\nand more'), undefined, other);
  await accept('a.txt', read('a.txt').replace('TWO', 'Two'));
  edit('five', 'five, mine');
  expect(await counts(stage)).toEqual(['+1 -1', '+2 -1']);
  const all = await stage.companion.changes.list();
  expect(all).toMatchObject([{ added: 3, removed: 2, notes: [unreviewed] }]);
  // Also after a restart, from the journal.
  await stage.companion.stop();
  expect(await counts(await begin())).toEqual(['+1 -1', '+2 -1']);
});

test('lines that were changed again are not counted, and a sentence says so', async () => {
  const { stage, accept, path, read } = await startFirst();
  const other = await stage.connect('qwen');
  await accept('a.txt', five.replace('two', 'first\nsecond\nthird'));
  await accept('a.txt', read('a.txt').replace('second', 'SECOND'), undefined, other);
  const [session, another] = stage.companion.sessions.list();
  const { changes } = stage.companion;
  expect(await changes.summaries({ session: session?.id })).toMatchObject([
    { added: 2, removed: 1, notes: [overlapping] },
  ]);
  expect(await changes.summaries({ session: another?.id })).toMatchObject([
    { added: 1, removed: 1, notes: [] },
  ]);
  writeFileSync(path('a.txt'), 'mine\n');
  expect(await changes.summaries({ session: session?.id })).toMatchObject([
    { added: 0, removed: 0, isAbsent: false, notes: [overlapping, unreviewed] },
  ]);
});

test('a restoration of several sessions is the user’s, and brings no change of another session back', async () => {
  const { stage, accept, path, read } = await startFirst();
  const other = await stage.connect('qwen');
  await accept('a.txt', five.replace('two', 'TWO'));
  await accept('a.txt', read('a.txt').replace('four', 'FOUR'), undefined, other);
  const { changes, sessions } = stage.companion;
  await changes.restore({ path: path('a.txt') });
  expect(read('a.txt')).toBe(five);
  const undone = [{ added: 0, removed: 0, isAbsent: true, notes: [], undoable: 'r1' }];
  const [first, second] = sessions.list();
  expect(await changes.summaries({ session: second?.id })).toMatchObject(undone);
  expect(await changes.summaries({ session: first?.id })).toMatchObject([
    { added: 0, removed: 0, isAbsent: true },
  ]);
  expect(await changes.restore({ session: second?.id })).toMatchObject([{ kind: 'nothing' }]);
  await changes.restore({ ids: ['r1'] });
  expect(await counts(stage)).toEqual(['+1 -1', '+1 -1']);
  await changes.restore({ session: second?.id });
  expect(read('a.txt')).toBe(five.replace('two', 'TWO'));
  expect(await counts(stage)).toEqual(['+1 -1', '+0 -0']);
});

test('a file that was deleted, is not written yet, or is no longer text is not counted', async () => {
  const { stage, accept, agent, path } = await startFirst();
  const { changes } = stage.companion;
  await agent.openDiff(path('new.txt'), 'new\n');
  stage.companion.reviews.pending[0]?.accept();
  const absent = [expect.stringContaining('they are not written yet, or were undone')];
  expect(await changes.summaries()).toMatchObject([{ added: 0, isAbsent: true, notes: absent }]);
  writeFileSync(path('new.txt'), 'new\n');
  expect(await changes.summaries()).toMatchObject([{ added: 1, before: 'missing', notes: [] }]);
  writeFileSync(path('new.txt'), 'new\nmine\n');
  expect(await changes.summaries()).toMatchObject([
    { added: 1, removed: 0, before: 'text', notes: [unreviewed] },
  ]);
  await accept('a.txt', five.replace('two', 'TWO'));
  const last = async () => (await changes.summaries())[1];
  rmSync(path('a.txt'));
  expect(await last()).toMatchObject({ before: 'missing', now: 'missing', added: 0, removed: 0 });
  expect(await last()).toMatchObject({
    isAbsent: false,
    notes: [expect.stringContaining('deleted or renamed')],
  });
  writeFileSync(path('a.txt'), Buffer.from([0xff, 0]));
  expect(await last()).toMatchObject({ before: 'binary', now: 'binary', added: 0, removed: 0 });
});
