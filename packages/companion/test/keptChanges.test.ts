import { rmSync, writeFileSync } from 'node:fs';
import type { FileContent } from '@tandem/reviews';
import { hasCode, RpcError } from '@tandem/rpc';
import { describe, expect, test } from 'vitest';
import type { SeenEdit } from '../src/reviews/history.js';
import { five, useChanges } from './support/changesStage.js';

const startFirst = useChanges();

const text = (content: string): FileContent => ({ kind: 'text', text: content });

/** A stage whose agent writes without a review. */
async function startWriting() {
  const first = await startFirst();
  const { stage, path, read } = first;
  const contentOf = (name: string): FileContent => {
    try {
      return text(read(name));
    } catch {
      return { kind: 'missing' };
    }
  };
  const begin = (turn: string): void =>
    stage.companion.work.turnBegan({ agent: 'claude', session: 's1' }, { prompt: turn, isContinued: false });
  /** Writes a file, as the agent does; undefined removes it. */
  const write = (
    name: string,
    after: string | undefined,
    how: Pick<SeenEdit, 'evidence'> = {},
    session = 's1',
  ): void => {
    const before = contentOf(name);
    if (after === undefined) rmSync(path(name));
    else writeFileSync(path(name), after);
    const of = { agent: 'claude', session, path: path(name), isOutsideWorkspace: false, title: 'Edit' };
    stage.companion.history.addWritten({ ...of, before, after: contentOf(name), ...how });
  };
  /** What is in the views, a line for each file. */
  const shown = async (companion = stage.companion): Promise<string[]> => {
    const groups = await companion.changes.groups();
    return groups.flatMap(({ waits, turn, isUncertain, files }) =>
      files.map(({ path: at, added, removed, entries }) => {
        const name = at.split('/').at(-1);
        const ids = entries.map(({ decided: { id } }) => id).join(' ');
        const place = `${waits ? 'waits' : 'decided'}${isUncertain ? ', perhaps' : ''}`;
        return `${place}: turn ${turn?.number ?? 'none'}, ${name} +${added} -${removed} (${ids})`;
      }),
    );
  };
  return { ...first, write, turn: begin, shown, companion: stage.companion };
}

describe('changes that agents wrote without a review', () => {
  test('wait until the user keeps them, and wait again if that is taken back', async () => {
    const { companion, turn, write, accept, shown, path, read } = await startWriting();
    turn('first');
    write('a.txt', five.replace('one', 'ONE'));
    turn('second');
    write('a.txt', read('a.txt').replace('five', 'FIVE'));
    await accept('b.txt', 'b\n');
    const all = [
      'waits: turn 1, a.txt +1 -1 (w1)',
      'waits: turn 2, a.txt +1 -1 (w2)',
      'decided: turn none, b.txt +1 -0 (1)',
    ];
    expect(await shown()).toEqual(all);
    const now = read('a.txt');
    const kept = await companion.changes.keep({ session: 's1', turn: 1 });
    expect(kept).toEqual({
      kind: 'done',
      files: [{ path: path('a.txt'), kind: 'kept', ids: ['w1'], note: 'is kept as it is.' }],
      note: 'Kept the changes to 1 file.',
    });
    const [first, second, third] = all;
    expect(await shown()).toEqual([second, first?.replace('waits', 'decided'), third]);
    // What is kept is in the base of the rest.
    const { before } = await companion.changes.file(path('a.txt'), { waits: true });
    expect(before).toEqual(text(five.replace('one', 'ONE')));
    expect(read('a.txt')).toBe(now);
    expect(await companion.changes.keep({ session: 's1', isKept: false })).toMatchObject({
      note: 'The changes to 1 file wait again.',
    });
    expect(await shown()).toEqual(all);
  });

  test('are kept by file, by number and by group, and counted', async () => {
    const { companion, turn, write, shown, path, stage } = await startWriting();
    const { client } = await stage.found();
    const waiting = () => client.call('changes.waiting', {});
    turn('first');
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) write(name, 'new\n');
    expect(await waiting()).toEqual({ files: 4, note: 'Changes are listed for 7 days, then kept.' });
    await client.call('changes.keep', { path: path('a.txt') });
    await client.call('changes.keep', { ids: ['w2'] });
    expect(await waiting()).toMatchObject({ files: 2 });
    const [group] = await companion.changes.groups();
    await client.call('changes.keep', { group: group?.key ?? '', path: path('c.txt') });
    expect((await shown())[0]).toBe('waits: turn 1, d.txt +1 -0 (w4)');
    await client.call('changes.restore', { path: path('d.txt'), waits: true });
    expect(await waiting()).toMatchObject({ files: 0 });
    expect(await shown()).toHaveLength(4);
    await expect(client.call('changes.keep', {})).rejects.toThrow('Choose what to keep');
    await expect(client.call('changes.keep', { turn: 1 })).rejects.toThrow('Choose the session');
    await expect(client.call('changes.keep', { all: true, hunks: [0] })).rejects.toThrow('Choose the file');
  });

  test('to several files are kept after a question, and only as the user saw them', async () => {
    const { companion, turn, write, stage, path, shown } = await startWriting();
    const { client } = await stage.found();
    turn('first');
    write('a.txt', 'A\n');
    write('b.txt', 'B\n');
    write('c.txt', 'C\n', { evidence: { kind: 'turn' } });
    const error: unknown = await client.call('changes.keep', { session: 's1' }).catch((reason) => reason);
    if (!(error instanceof RpcError) || !hasCode(error, 'question')) throw error;
    const { question } = error;
    expect(question?.message).toBe('Keep the changes to 2 files?');
    expect(question?.detail.split('\n')).toEqual([
      'Files: a.txt, b.txt.',
      'Not kept: changes to 1 file that perhaps no agent made. Keep them in their own list.',
    ]);
    expect(companion.history.entries.filter(({ keptAt }) => keptAt !== undefined)).toEqual([]);
    write('b.txt', 'B\nmore\n');
    const [choice] = question?.choices ?? [];
    expect(choice?.label).toBe('Keep 2 files');
    expect(await client.call('changes.keep', { session: 's1', answer: choice?.answer })).toEqual({
      files: [
        { path: path('a.txt'), kind: 'kept', ids: ['w1'], note: expect.anything() },
        {
          path: path('c.txt'),
          kind: 'left',
          ids: [],
          note: expect.stringContaining('perhaps not changed by an agent'),
        },
        {
          path: path('b.txt'),
          kind: 'left',
          ids: [],
          note: expect.stringContaining('more changes since you were asked'),
        },
      ],
      note: 'Kept the changes to 1 file. Changes to 2 files wait as before.',
    });
    expect((await shown()).filter((line) => line.startsWith('waits'))).toEqual([
      'waits: turn 1, b.txt +2 -0 (w2 w4)',
      'waits, perhaps: turn 1, c.txt +1 -0 (w3)',
    ]);
    await client.call('changes.keep', { ids: ['w3'] });
    expect((await shown()).filter((line) => line.startsWith('waits'))).toHaveLength(1);
  });

  test('stay kept after a restart, also in part', async () => {
    const { stage, companion, begin, turn, write, shown, path, read } = await startWriting();
    turn('first');
    write('a.txt', five.replace('one', 'ONE').replace('five', 'FIVE'));
    write('b.txt', 'b\n');
    turn('second');
    write('c.txt', 'c\n');
    await companion.changes.keep({ path: path('a.txt'), lines: { first: 0, last: 0 } });
    await companion.changes.keep({ path: path('b.txt') });
    const before = await shown();
    expect(before.toSorted()).toEqual([
      'decided: turn 1, a.txt +1 -1 (w4)',
      'decided: turn 1, b.txt +1 -0 (w2)',
      'waits: turn 1, a.txt +1 -1 (w5)',
      'waits: turn 2, c.txt +1 -0 (w3)',
    ]);
    await stage.companion.stop();
    const second = await begin();
    expect(await shown(second.companion)).toEqual(before);
    await second.companion.changes.restore({ ids: ['w5'] });
    expect(read('a.txt')).toBe(five.replace('one', 'ONE'));
  });

  test('count once if a crash left them together with their parts', async () => {
    const { companion, begin, stage, turn, write, shown, path } = await startWriting();
    turn('first');
    write('a.txt', five.replace('one', 'ONE').replace('five', 'FIVE'));
    const [whole] = companion.history.entries;
    await companion.changes.keep({ path: path('a.txt'), lines: { first: 0, last: 0 } });
    const [kept, rest] = companion.history.entries;
    if (whole === undefined || kept === undefined || rest === undefined) throw new Error('There are three.');
    await stage.companion.stop();
    const { companion: second } = await begin();
    const idsAfter = (left: readonly (typeof whole)[]): readonly string[] => {
      second.history.clear();
      second.history.add(left);
      return second.history.entries.map(({ decided }) => decided.id);
    };
    expect(idsAfter([rest, whole, kept])).toEqual(['w2', 'w3']);
    expect(await shown(second)).toHaveLength(2);
    expect(idsAfter([whole, kept])).toEqual(['w1']);
    expect(idsAfter([rest, whole])).toEqual(['w1']);
    expect(idsAfter([rest])).toEqual(['w3']);
  });

  test('are known by their parts after a save of the user', async () => {
    const { companion, turn, write, shown, path, read } = await startWriting();
    turn('first');
    const evidence = { evidence: { kind: 'command', commands: ['sed'] } } as const;
    write('a.txt', five.replace('one', 'ONE').replace('five', 'FIVE'), evidence);
    await companion.changes.keep({ path: path('a.txt'), lines: { first: 0, last: 0 } });
    const before = await shown();
    companion.history.dropSeen(path('a.txt'), read('a.txt'), 0);
    expect(await shown()).toEqual(before);
    // The hook names the file after the change was seen.
    const of = {
      agent: 'claude',
      session: 's1',
      path: path('a.txt'),
      isOutsideWorkspace: false,
      title: 'Edit',
    };
    companion.history.addWritten({ ...of, before: text(five), after: text(read('a.txt')) });
    expect(await shown()).toEqual(before);
  });
});

describe('the hunks of a document', () => {
  test('that wait are listed by line, with what they removed, and are kept and undone one by one', async () => {
    const { turn, write, stage, path, read } = await startWriting();
    const { client } = await stage.found();
    const hunksOf = (name: string) => client.call('changes.hunks', { path: path(name) });
    turn('Fix the parser');
    const command = { evidence: { kind: 'command', commands: ['sed -i s/two/TWO/ a.txt'] } } as const;
    write('a.txt', five.replace('two', 'TWO').replace('four\n', ''), command);
    turn('More');
    write('a.txt', read('a.txt').replace('one\r\n', 'one\r\nmore\r\n'));
    const { hunks, actions } = await hunksOf('a.txt');
    const shared = { removedCount: 0, agent: 'claude', session: 's1', isUncertain: false };
    expect(hunks).toEqual([
      {
        ...shared,
        ...{ group: 'turn 2 s1', index: 0, stamp: hunks[0]?.stamp, start: 1, count: 1, removed: [] },
        ...{ label: 'Claude Code, Turn 2: More', evidence: ['Claude Code changed this (Edit)'] },
        ...{ turn: { number: 2, prompt: 'More' }, isCertain: true },
      },
      ...[
        { index: 0, start: 2, count: 1, removed: ['two'], removedCount: 1 },
        { index: 1, start: 4, count: 0, removed: ['four'], removedCount: 1 },
      ].map((place) => ({
        ...shared,
        ...place,
        ...{ group: 'turn 1 s1', stamp: hunks[1]?.stamp, label: 'Claude Code, Turn 1: Fix the parser' },
        evidence: ['changed while its command ran: sed -i s/two/TWO/ a.txt'],
        ...{ turn: { number: 1, prompt: 'Fix the parser' }, isCertain: false },
      })),
    ]);
    expect(actions).toEqual([
      { id: 'keep', label: 'Keep' },
      { id: 'undo', label: 'Undo' },
    ]);
    const [, two, four] = hunks;
    const choose = (hunk = two) => ({
      path: path('a.txt'),
      group: hunk?.group,
      hunks: [hunk?.index ?? 0],
      stamp: hunk?.stamp,
      waits: true,
    });
    const all = read('a.txt');
    expect(await client.call('changes.keep', choose(two))).toMatchObject({
      note: 'a.txt is kept in these lines; its other changes wait.',
    });
    expect((await hunksOf('a.txt')).hunks.map(({ start }) => start)).toEqual([1, 4]);
    // The others have another stamp now.
    await expect(client.call('changes.restore', choose(four))).rejects.toThrow(
      'has changed since it was shown',
    );
    const [, rest] = (await hunksOf('a.txt')).hunks;
    await client.call('changes.restore', choose(rest));
    expect(read('a.txt')).toBe(all.replace('three\n', 'three\nfour\n'));
    expect((await hunksOf('a.txt')).hunks.map(({ start }) => start)).toEqual([1]);
    expect((await hunksOf('other.txt')).hunks).toEqual([]);
  });

  test('are not kept one by one where something else changed the same lines', async () => {
    const { companion, turn, write, path, read } = await startWriting();
    turn('first');
    write('a.txt', five.replace('two', 'TWO\nTWICE').replace('five', 'FIVE'));
    writeFileSync(path('a.txt'), read('a.txt').replace('TWICE', 'mine'));
    const choice = { path: path('a.txt'), lines: { first: 5, last: 5 } };
    await expect(companion.changes.keep(choice)).rejects.toThrow('Keep the whole file');
    await companion.changes.keep({ path: path('a.txt') });
    expect(await companion.changes.hunks(path('a.txt'))).toEqual([]);
  });

  test('that no agent made are refused', async () => {
    const { companion, turn, write, path } = await startWriting();
    turn('first');
    write('a.txt', five.replace('two', 'TWO'));
    const keep = (first: number) =>
      companion.changes.keep({ path: path('a.txt'), lines: { first, last: first } });
    await expect(keep(4)).rejects.toThrow('has no change in these lines that waits');
    await keep(1);
    await expect(keep(1)).rejects.toThrow('has no change in these lines that waits');
  });
});
