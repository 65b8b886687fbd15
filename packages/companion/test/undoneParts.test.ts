import { rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { five, useChanges } from './support/changesStage.js';
import type { CompanionStage } from './support/companionStage.js';

const startFirst = useChanges();

/** The groups as one line each: the heading, and the changes that still stand. */
async function groupsOf({ companion }: CompanionStage): Promise<string[]> {
  const groups = await companion.changes.groups();
  return groups.map(({ turn, isUncertain, files }) => {
    const counts = files.map(
      ({ added, removed, undoable }) => `+${added} -${removed}${undoable ? ' redo' : ''}`,
    );
    return `${isUncertain ? 'perhaps ' : ''}${turn?.number ?? 'none'}: ${counts.join(', ')}`;
  });
}

/** A session that wrote in two turns, and a change that is perhaps not its own. */
async function startTurns() {
  const { stage, path, read, accept, begin } = await startFirst();
  const { history } = stage.companion;
  const write = (turn: number, after: string, isUncertain = false): void => {
    const before = { kind: 'text', text: read('a.txt') } as const;
    writeFileSync(path('a.txt'), after);
    const evidence = isUncertain
      ? ({ kind: 'turn' } as const)
      : ({ kind: 'command', commands: ['sed'] } as const);
    const turnOf = { prompt: `prompt ${turn}`, isContinued: false };
    stage.companion.work.turnBegan({ agent: 'claude', session: 's1' }, turnOf);
    history.addWritten({
      ...{ agent: 'claude', session: 's1', path: path('a.txt'), isOutsideWorkspace: false, title: 'sed' },
      ...{ before, after: { kind: 'text', text: after }, evidence },
    });
  };
  return { stage, path, read, accept, begin, write };
}

describe('some hunks of a file', () => {
  test('are undone by their indexes; the rest stays, byte for byte, and the undo can be undone', async () => {
    const { stage, accept, path, read } = await startFirst();
    const { changes } = stage.companion;
    const id = await accept('a.txt', five.replace('two', 'TWO').replace('five', 'FIVE'));
    writeFileSync(path('a.txt'), read('a.txt').replace('three', 'mine'));
    const { stamp } = await changes.file(path('a.txt'));
    const part = { path: path('a.txt'), ids: [id], stamp };
    const note = 'returns to the earlier text of these lines; everything else is kept.';
    expect(await changes.restore({ ...part, hunks: [0], previews: true })).toMatchObject([{ note }]);
    const now = read('a.txt');
    const undone = await changes.restore({ ...part, hunks: [0] });
    expect(undone).toMatchObject([{ kind: 'merged', restoration: 'r1' }]);
    expect(read('a.txt')).toBe(five.replace('three', 'mine').replace('five', 'FIVE'));
    expect(await changes.summaries()).toMatchObject([{ added: 1, removed: 1 }]);
    await changes.restore({ ids: ['r1'] });
    expect(read('a.txt')).toBe(now);
  });

  test('are not undone in a file that has changed since it was shown', async () => {
    const { stage, accept, path, read } = await startFirst();
    const { changes } = stage.companion;
    await accept('a.txt', five.replace('two', 'TWO'));
    const { stamp } = await changes.file(path('a.txt'));
    writeFileSync(path('a.txt'), `mine\n${read('a.txt')}`);
    await expect(changes.restore({ path: path('a.txt'), stamp, hunks: [0] })).rejects.toThrow(
      `${path('a.txt')} has changed since it was shown. Look at its changes again.`,
    );
    expect(read('a.txt')).toBe(`mine\n${five.replace('two', 'TWO')}`);
  });

  test('are undone by lines of the present file, also in a file that was created or deleted', async () => {
    const { stage, accept, path, read } = await startFirst();
    const { client } = await stage.found();
    const undo = (name: string, first: number, last = first) =>
      client.call('changes.restore', { path: path(name), lines: { first, last } });
    await accept('a.txt', five.replace('two', 'TWO').replace('five', 'FIVE'));
    await expect(undo('a.txt', 2)).rejects.toThrow('has no change of an agent in these lines');
    await undo('a.txt', 4);
    expect(read('a.txt')).toBe(five.replace('two', 'TWO'));
    await accept('new.txt', 'new\n');
    expect(await undo('new.txt', 0)).toMatchObject([{ kind: 'removed' }]);
    expect(() => read('new.txt')).toThrow('ENOENT');
    const before = { kind: 'text', text: read('a.txt') } as const;
    rmSync(path('a.txt'));
    const marks = { agent: 'claude', session: 's1', path: path('a.txt'), isOutsideWorkspace: false };
    stage.companion.history.addWritten({ ...marks, title: 'rm', before, after: { kind: 'missing' } });
    await client.call('changes.restore', { path: path('a.txt'), session: 's1', hunks: [0] });
    expect(read('a.txt')).toBe(before.text);
    await expect(client.call('changes.restore', { all: true, hunks: [0] })).rejects.toThrow(
      'Choose the file',
    );
  });
});

describe('the groups of changes', () => {
  test('are those without a turn, the turns, and what is perhaps not the agent’s', async () => {
    const { stage, accept, write, read } = await startTurns();
    write(1, five.replace('one', 'ONE'));
    write(2, read('a.txt').replace('three', 'perhaps'), true);
    write(3, read('a.txt').replace('five', 'FIVE\nsix'));
    await accept('b.txt', 'b\n');
    expect(await groupsOf(stage)).toEqual(['1: +1 -1', '3: +2 -1', 'perhaps 2: +1 -1', 'none: +1 -0']);
  });

  test('are undone and redone by turn, and leave out what is uncertain', async () => {
    const { stage, begin, write, read } = await startTurns();
    write(1, five.replace('one', 'ONE'));
    write(2, read('a.txt').replace('three', 'perhaps'), true);
    write(3, read('a.txt').replace('five', 'FIVE'));
    const { changes } = stage.companion;
    const all = read('a.txt');
    await changes.restore({ session: 's1', turn: 3 });
    expect(await groupsOf(stage)).toEqual(['1: +1 -1', 'perhaps 2: +1 -1', '3: +0 -0 redo']);
    await changes.restore({ ids: ['r1'] });
    expect(read('a.txt')).toBe(all);
    await changes.restore({ session: 's1' });
    expect(read('a.txt')).toBe(five.replace('three', 'perhaps'));
    // The undo of several turns belongs to none.
    const undone = ['perhaps 2: +1 -1', 'none: +0 -0 redo', '1: +0 -0', '3: +0 -0'];
    expect(await groupsOf(stage)).toEqual(undone);
    expect(await changes.restore({ ids: ['w2'] })).toMatchObject([{ kind: 'merged' }]);
    expect(read('a.txt')).toBe(five);
    const entries = stage.companion.history.entries.map(({ decided: { id, reversed } }) => [id, reversed]);
    expect(entries.slice(3)).toEqual([
      ['r1', 'undone'],
      ['r2', 'redone'],
      ['r3', 'undone'],
      ['r4', 'undone'],
    ]);
    // Later turns have greater numbers, also after a restart and an undo.
    await stage.companion.stop();
    const second = await begin();
    expect(second.companion.history.lastTurnOf('s1')).toBe(3);
  });
});
