import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@tandem/core';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { writeUserFile } from '../src/files/userFile/writeUserFile.js';
import { five, useChanges } from './support/changesStage.js';
import { type CompanionStage, makeWorkspace } from './support/companionStage.js';

const startFirst = useChanges();

const changed = (stage: CompanionStage, session?: string) => stage.companion.changes.list({ session });

describe('the changes of a session', () => {
  test('are shown together, from before the first to now, with the user’s corrections', async () => {
    const { stage, agent, path, accept } = await startFirst();
    const first = await accept('a.txt', `${five}\nsix`, `${five}\nsix, corrected`);
    const second = await accept('a.txt', `${five}\nsix, corrected\nseven`);
    await accept('new.txt', 'new\n');
    await agent.openDiff(path('b.txt'), 'rejected\n');
    stage.companion.reviews.pending[0]?.reject();

    const files = await changed(stage);
    expect(files.map(({ before, now, path: at }) => [at, before, now])).toEqual([
      [path('a.txt'), { kind: 'text', text: five }, { kind: 'text', text: `${five}\nsix, corrected\nseven` }],
      [path('new.txt'), { kind: 'missing' }, { kind: 'text', text: 'new\n' }],
    ]);
    expect(files[0]?.entries.map(({ decided }) => decided.id)).toEqual([first, second]);
    const [entry] = stage.companion.history.entries;
    expect(await changed(stage, entry?.session)).toHaveLength(2);
    expect(await changed(stage, 'another')).toEqual([]);
  });

  test('begin with the dangerous edits that no review showed, with the warnings of a review', async () => {
    const { stage, accept, path } = await startFirst();
    await accept('a.txt', `${five}\nsix`);
    const { history, reviews } = stage.companion;
    for (const name of ['b.txt', '.git/config']) {
      const of = { path: path(name), agent: 'qwen', session: 's1' };
      const after = { kind: 'text', text: 'x\n' } as const;
      mkdirSync(path('.git'), { recursive: true });
      writeFileSync(of.path, after.text);
      const marks = await reviews.findMarks(of);
      history.addWritten({ ...of, ...marks, title: 'write_file', before: { kind: 'missing' }, after });
    }
    const files = await changed(stage);
    expect(files.map((file) => [file.path, file.warnings])).toEqual([
      [
        path('.git/config'),
        [expect.stringContaining('in a .git folder. Git may run'), expect.stringContaining('hidden')],
      ],
      [path('a.txt'), []],
      [path('b.txt'), []],
    ]);
    const summaries = await stage.companion.changes.summaries();
    expect(summaries.map(({ path: at }) => at)).toEqual(files.map(({ path: at }) => at));
  });

  test('have edits that hooks saw without a review, which are undone alone and survive a restart [HOK-7]', async () => {
    const { stage, begin, accept, path, read } = await startFirst();
    const of = { agent: 'qwen', session: 's1', isOutsideWorkspace: false, title: 'edit' };
    const write = (name: string, after: string) => {
      const before = { kind: 'text', text: read(name) } as const;
      writeFileSync(path(name), after);
      stage.companion.history.addWritten({
        ...of,
        path: path(name),
        before,
        after: { kind: 'text', text: after },
      });
    };
    write('a.txt', `zero\n${five}`);
    const id = await accept('a.txt', `zero\n${five}\nsix`);
    write('a.txt', `zero\n${five}\nsix\nseven`);
    const [file] = await changed(stage);
    expect(file?.entries.map(({ decided }) => [decided.id, decided.how])).toEqual([
      ['w1', 'written'],
      [id, 'accepted'],
      ['w2', 'written'],
    ]);
    expect(stage.companion.history.decided).toHaveLength(1);
    await stage.companion.stop();
    const second = await begin();
    await second.companion.changes.restore({ ids: ['w1'] });
    expect(read('a.txt')).toBe(`${five}\nsix\nseven`);
    await second.companion.changes.restore({ session: 's1' });
    expect(read('a.txt')).toBe(`${five}\nsix`);
  });

  test('have an accepted review once, although a hook also saw its edit', async () => {
    const { stage, accept, path } = await startFirst();
    await accept('a.txt', `${five}\nsix`);
    const [entry] = stage.companion.history.entries;
    if (entry === undefined) throw new Error('The review is decided.');
    const { agent, session, original: before, isOutsideWorkspace } = entry;
    const after = { kind: 'text', text: `${five}\nsix` } as const;
    const of = { agent, session, isOutsideWorkspace, path: path('a.txt'), title: 'edit' };
    stage.companion.history.addWritten({ ...of, before, after });
    expect(stage.companion.history.entries).toHaveLength(1);
    stage.companion.history.addWritten({ ...of, before, after, session: 'another' });
    expect(stage.companion.history.entries).toHaveLength(2);
  });

  test('survive a restart, and later reviews have greater numbers', async () => {
    const { stage, begin, accept, path, read } = await startFirst();
    const id = await accept('a.txt', 'changed\n');
    await stage.companion.stop();
    const second = await begin();
    expect((await changed(second)).map(({ path: at }) => at)).toEqual([path('a.txt')]);
    const agent = await second.connect('qwen');
    await agent.openDiff(path('b.txt'), 'b\n');
    expect(Number(second.companion.reviews.pending[0]?.id)).toBeGreaterThan(Number(id));
    const { client } = await second.found();
    expect(await client.call('review.list', { all: true })).toMatchObject([{ id, state: 'accepted' }, {}]);
    expect(await client.call('review.show', { id })).toMatchObject({
      state: 'accepted',
      content: 'changed\n',
    });
    await second.companion.changes.restore({ ids: [id] });
    expect(read('a.txt')).toBe(five);
  });

  test.each([
    ['mixed line ends', 'gemini', 'one\r\ntwo\nthree\n', 'one\nTWO\nthree\n', 'one\r\nTWO\r\nthree\r\n'],
    ['a byte order mark', 'qwen', '\uFEFFone\r\ntwo\n', 'one\nTWO\n', '\uFEFFone\r\nTWO\r\n'],
  ] as const)(
    'are restored byte by byte where the agent changed %s',
    async (_form, kind, file, sent, written) => {
      const { stage, path, read, accept } = await startFirst();
      const agent = await stage.connect(kind);
      writeFileSync(path('a.txt'), file);
      const id = await accept('a.txt', sent, sent, agent);
      writeFileSync(path('a.txt'), written);
      const restored = await stage.companion.changes.restore({ ids: [id] });
      expect(restored).toMatchObject([{ kind: 'restored' }]);
      expect(read('a.txt')).toBe(file);
    },
  );

  test.each([
    ['qwen', 'gbk', '# 这是一个测试文件，用于检查编码。\r\nx = 1\r\n', 'gbk'],
    ['qwen', 'utf16le', '\uFEFF# 这是一个测试文件\nx = 1\n', 'utf16le'],
    ['gemini', 'latin1', '# Grüße, über größere Straßen\nx = 1\n', 'utf8'],
  ] as const)(
    'are restored byte by byte in a file that is not UTF-8: %s, %s',
    async (kind, from, text, to) => {
      const { begin, stage, path, accept } = await startFirst();
      const agent = await stage.connect(kind);
      const bytes = iconv.encode(text, from, { addBOM: false });
      writeFileSync(path('a.txt'), bytes);
      const sent = text.replace('x = 1', 'x = 2').replaceAll('\r', '').replace('\uFEFF', '');
      const id = await accept('a.txt', sent, sent, agent);
      writeFileSync(path('a.txt'), iconv.encode(text.replace('x = 1', 'x = 2'), to, { addBOM: false }));
      await stage.companion.stop();
      const { companion } = await begin();
      const restored = await companion.changes.restore({ ids: [id] });
      expect(restored).toMatchObject([{ kind: 'restored' }]);
      expect(readFileSync(path('a.txt'))).toEqual(bytes);
      const [{ restoration = '' } = {}] = restored;
      await companion.changes.restore({ ids: [restoration] });
      expect(readFileSync(path('a.txt'))).toEqual(
        iconv.encode(text.replace('x = 1', 'x = 2'), to, { addBOM: false }),
      );
    },
  );

  test('are forgotten after a week, beyond 1,000, and on request', async () => {
    let ahead = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + ahead };
    const { stage, path, accept } = await startFirst({ clock });
    await accept('a.txt', 'old\n');
    ahead = 8 * 24 * 60 * 60_000;
    const at = clock.now();
    const rejected = Array.from({ length: 1_001 }, (_, number) => ({
      key: number.toString(16).padStart(24, '0'),
      agent: 'gemini',
      session: 'one',
      path: path('b.txt'),
      original: { kind: 'missing' as const },
      proposed: '',
      content: '',
      keptHunks: [],
      isOutsideWorkspace: false,
      openedAt: at,
      decided: { id: `${number}`, at, how: 'rejected' as const },
    }));
    stage.companion.history.add(rejected);
    expect(stage.companion.history.entries).toHaveLength(1_000);
    expect(await changed(stage)).toEqual([]);
    const { client } = await stage.found();
    await client.call('changes.forget', {});
    expect(stage.companion.history.entries).toEqual([]);
  });
});

describe('a restoration', () => {
  test('returns one review, one file or a session to its earlier text, and can be undone', async () => {
    const { stage, accept, read, path } = await startFirst();
    const first = await accept('a.txt', 'one\n');
    const second = await accept('a.txt', 'one\ntwo\n');
    await accept('new.txt', 'new\n');
    const { changes } = stage.companion;
    expect(await changes.restore({ ids: [second] })).toEqual([
      {
        path: path('a.txt'),
        kind: 'restored',
        conflicts: 0,
        note: 'is back to its earlier text.',
        evidence: [],
        restoration: 'r1',
      },
    ]);
    expect(read('a.txt')).toBe('one\n');
    expect(await changes.restore({ ids: [second] })).toMatchObject([{ kind: 'nothing' }]);
    await changes.restore({ ids: ['r1'] });
    expect(read('a.txt')).toBe('one\ntwo\n');
    await changes.restore({ path: path('a.txt') });
    expect(read('a.txt')).toBe(five);
    const [{ session } = { session: '' }] = stage.companion.history.entries;
    expect(await changes.restore({ session })).toMatchObject([{ kind: 'nothing' }, { kind: 'removed' }]);
    expect(existsSync(path('new.txt'))).toBe(false);
    await changes.restore({ ids: ['r4'] });
    expect(read('new.txt')).toBe('new\n');
    await expect(changes.restore({ ids: [first, '99'] })).rejects.toThrow('no change 99');
  });

  test('keeps what was written since, and writes nothing at all if one file has a conflict', async () => {
    const { stage, accept, read, path } = await startFirst();
    await accept('a.txt', five.replace('two', 'TWO'));
    await accept('b.txt', 'b\n');
    writeFileSync(path('a.txt'), `${five.replace('two', 'TWO')}\nmine`);
    const { changes } = stage.companion;
    expect(await changes.restore({ path: path('a.txt') })).toMatchObject([{ kind: 'merged' }]);
    expect(read('a.txt')).toBe(`${five}\nmine`);
    await changes.restore({ ids: ['r1'] });

    writeFileSync(path('a.txt'), five.replace('two', 'mine'));
    const [{ session } = { session: '' }] = stage.companion.history.entries;
    await expect(changes.restore({ session })).rejects.toThrow(/a\.txt has later changes.*--conflicts/);
    expect(read('b.txt')).toBe('b\n');
    const restored = await changes.restore({ session, marksConflicts: true });
    const conflict = 'has one conflict, marked with <<<<<<<. Resolve it in your editor.';
    expect(restored).toMatchObject([
      { kind: 'conflict', conflicts: 1, note: conflict },
      { kind: 'removed', note: 'is deleted.' },
    ]);
    expect(read('a.txt')).toMatch(/<<<<<<< the earlier text\s+two\s+=======\s+mine\s+>>>>>>> the file/);
  });

  test('does not remove a new file that was changed since, or write over unsaved changes', async () => {
    const { stage, accept, read, path } = await startFirst();
    await accept('new.txt', 'new\n');
    writeFileSync(path('new.txt'), 'new\nmine\n');
    const { changes } = stage.companion;
    await expect(changes.restore({ path: path('new.txt') })).rejects.toThrow('has been changed since');
    expect(read('new.txt')).toBe('new\nmine\n');
    await accept('a.txt', 'changed\n');
    await stage.editor.documents.open(path('a.txt'));
    stage.editor.user.type(path('a.txt'), 'typed');
    await expect(changes.restore({ path: path('a.txt') })).rejects.toThrow('has unsaved changes');
    expect(read('a.txt')).toBe('changed\n');
  });

  test('leaves a read-only file alone, and says so beforehand', async () => {
    const { stage, accept, read, path } = await startFirst();
    await accept('a.txt', 'changed\n');
    chmodSync(path('a.txt'), 0o444);
    const { changes } = stage.companion;
    const reason = expect.stringContaining('a.txt is read-only');
    expect(await changes.restore({ all: true, previews: true })).toMatchObject([{ kind: 'refused', reason }]);
    await expect(changes.restore({ all: true })).rejects.toThrow('is read-only');
    expect(read('a.txt')).toBe('changed\n');
  });

  test('says beforehand what it will do, and can leave out what cannot be restored', async () => {
    const { stage, accept, read, path } = await startFirst();
    await accept('a.txt', five.replace('two', 'TWO'));
    await accept('b.txt', 'b\n');
    await accept('new.txt', 'new\n');
    await accept('typed.txt', 'typed\n');
    writeFileSync(path('a.txt'), five.replace('two', 'mine'));
    writeFileSync(path('new.txt'), 'new\nmine\n');
    await stage.editor.documents.open(path('typed.txt'));
    stage.editor.user.type(path('typed.txt'), 'unsaved');
    const [{ session } = { session: '' }] = stage.companion.history.entries;
    const { changes } = stage.companion;
    const expected = [
      { kind: 'conflict', conflicts: 1 },
      { kind: 'removed' },
      { kind: 'refused', reason: expect.stringContaining('has been changed since') },
      { kind: 'refused', reason: expect.stringContaining('has unsaved changes') },
    ];
    const before = ['a.txt', 'b.txt', 'new.txt', 'typed.txt'].map(read);
    expect(await changes.restore({ session, previews: true })).toMatchObject(expected);
    expect(['a.txt', 'b.txt', 'new.txt', 'typed.txt'].map(read)).toEqual(before);

    const restored = await changes.restore({ session, isPartial: true });
    expect(restored).toMatchObject(expected);
    expect(restored.map(({ restoration }) => restoration)).toEqual([undefined, 'r1', undefined, undefined]);
    expect(existsSync(path('b.txt'))).toBe(false);
    expect([read('a.txt'), read('new.txt')]).toEqual([five.replace('two', 'mine'), 'new\nmine\n']);
    await changes.restore({ ids: ['r1'] });
    expect(read('b.txt')).toBe('b\n');
  });

  test('with a conflict is resolved in the editor, and can then be undone', async () => {
    const { stage, accept, read, path } = await startFirst();
    const id = await accept('a.txt', five.replace('two', 'TWO'));
    writeFileSync(path('a.txt'), five.replace('two', 'mine'));
    const { changes } = stage.companion;
    const [conflict] = await changes.conflicts({ ids: [id] });
    expect(conflict).toMatchObject({ file: five.replace('two', 'mine'), conflicts: 1 });
    expect(conflict?.text).toMatch(/<<<<<<< the earlier text\s+two\s+=======\s+mine\s+>>>>>>> the file/);
    if (conflict === undefined) return;
    await changes.recordResolved(conflict);
    expect(stage.companion.history.entries).toHaveLength(1);
    writeFileSync(path('a.txt'), five.replace('two', 'two, mine'));
    await changes.recordResolved(conflict);
    await changes.restore({ ids: ['r1'] });
    expect(read('a.txt')).toBe(five.replace('two', 'mine'));
  });

  test('of everything must be asked for', async () => {
    const { stage, accept, read } = await startFirst();
    await accept('a.txt', 'one\n');
    const { client } = await stage.found();
    await expect(client.call('changes.restore', {})).rejects.toMatchObject({ code: 'bad-params' });
    await expect(client.call('changes.restore', { isPartial: true })).rejects.toThrow('Choose what to undo');
    expect(read('a.txt')).toBe('one\n');
    await client.call('changes.restore', { all: true });
    expect(read('a.txt')).toBe(five);
  });

  test('refuses a rejected review and a session that does not exist', async () => {
    const { stage, agent, path } = await startFirst();
    await agent.openDiff(path('b.txt'), 'b\n');
    const [review] = stage.companion.reviews.pending;
    review?.reject();
    const { client } = await stage.found();
    const restore = (params: object) => client.call('changes.restore', params);
    await expect(restore({ ids: [review?.id ?? ''] })).rejects.toThrow('was rejected');
    await expect(restore({ session: 'zzz' })).rejects.toThrow('There is no session zzz');
    await expect(restore({ path: path('a.txt') })).rejects.toThrow('no change to');
  });

  test('waits for the one before it, so that neither is lost', async () => {
    const { stage, accept, read } = await startFirst();
    const first = await accept('a.txt', five.replace('one', 'ONE'));
    const second = await accept('a.txt', five.replace('one', 'ONE').replace('five', 'FIVE'));
    const { changes } = stage.companion;
    await Promise.all([changes.restore({ ids: [first] }), changes.restore({ ids: [second] })]);
    expect(read('a.txt')).toBe(five);
    await Promise.allSettled([changes.restore({ ids: ['99'] }), changes.restore({ ids: ['r2'] })]);
    expect(read('a.txt')).toBe(five.replace('five', 'FIVE'));
  });

  test('names what it has written if it cannot go on, and the history has just that', async () => {
    const { stage, accept, path, read } = await startFirst({
      writeFile: async (file, ...how) => {
        await writeUserFile(file, ...how);
        // What the user does meanwhile.
        writeFileSync(join(file, '../b.txt'), 'mine\n');
      },
    });
    await accept('a.txt', 'one\n');
    await accept('b.txt', 'b\n');
    const [{ session } = { session: '' }] = stage.companion.history.entries;
    await expect(stage.companion.changes.restore({ session })).rejects.toThrow(
      `${path('b.txt')} has just been changed by another program. Try again.\nUndone before that: ${path('a.txt')}.`,
    );
    expect([read('a.txt'), read('b.txt')]).toEqual([five, 'mine\n']);
    const restored = stage.companion.history.entries.filter(({ decided }) => decided.how === 'restored');
    expect(restored.map((entry) => entry.path)).toEqual([path('a.txt')]);
  });

  test('writes no file in which the user types while another one is restored', async () => {
    let type = (): void => {};
    const { stage, accept, path, read } = await startFirst({
      writeFile: async (file, ...how) => {
        await writeUserFile(file, ...how);
        type();
      },
    });
    await accept('a.txt', 'one\n');
    await accept('b.txt', 'b\n');
    await stage.editor.documents.open(path('b.txt'));
    type = () => stage.editor.user.type(path('b.txt'), 'typed');
    const [{ session } = { session: '' }] = stage.companion.history.entries;
    await expect(stage.companion.changes.restore({ session })).rejects.toThrow('has unsaved changes');
    expect([read('a.txt'), read('b.txt')]).toEqual([five, 'b\n']);
  });

  test('writes nothing through a link, neither outside the workspace nor over unsaved changes', async () => {
    const { stage, accept, path, read } = await startFirst();
    const outside = makeWorkspace();
    await accept('a.txt', 'one\n');
    await accept('b.txt', 'b\n');
    rmSync(path('a.txt'));
    symlinkSync(join(outside, 'new.txt'), path('a.txt'));
    const { changes } = stage.companion;
    await expect(changes.restore({ path: path('a.txt') })).rejects.toThrow('outside the workspace');
    expect(existsSync(join(outside, 'new.txt'))).toBe(false);

    rmSync(path('a.txt'));
    symlinkSync(path('b.txt'), path('a.txt'));
    await stage.editor.documents.open(path('b.txt'));
    stage.editor.user.type(path('b.txt'), 'typed');
    await expect(changes.restore({ path: path('a.txt'), marksConflicts: true })).rejects.toThrow(
      'has unsaved changes',
    );
    expect(read('b.txt')).toBe('b\n');
  });
});

describe('the summary of the changes', () => {
  test('has counts instead of contents, and another stamp when a content changes', async () => {
    const { stage, accept, path } = await startFirst();
    await accept('a.txt', `${five}\nsix`);
    await accept('new.txt', 'new\n');
    const { changes } = stage.companion;
    const [first, second] = await changes.summaries();
    expect(first).toMatchObject({ before: 'text', now: 'text', added: 1, removed: 0 });
    expect(second).toMatchObject({ before: 'missing', now: 'text', added: 1, removed: 0 });
    writeFileSync(path('a.txt'), 'mine\n');
    const [again, same] = await changes.summaries();
    expect(again).toMatchObject({ added: 0, removed: 0, isAbsent: false });
    expect(again?.stamp).not.toBe(first?.stamp);
    expect(same?.stamp).toBe(second?.stamp);
    expect(await changes.file(path('new.txt'))).toMatchObject({ now: { kind: 'text', text: 'new\n' } });
    await expect(changes.file(path('other.txt'))).rejects.toThrow('no change to');
  });
});

describe('files that cannot be read', () => {
  test('as text are not restored, and the reason names which side it is', async () => {
    const { stage, accept, path } = await startFirst();
    writeFileSync(path('b.txt'), Buffer.from([0xff, 0x00]));
    const first = await accept('a.txt', 'one\n');
    const second = await accept('b.txt', 'b\n');
    writeFileSync(path('a.txt'), Buffer.from([0xff, 0x00]));
    const restore = (id: string) => stage.companion.changes.restore({ ids: [id] });
    await expect(restore(first)).rejects.toThrow(
      'it is no longer text, and would be lost. Rename or delete it',
    );
    await expect(restore(second)).rejects.toThrow('it was binary before the change');
    rmSync(path('a.txt'));
    expect(await restore(first)).toMatchObject([{ kind: 'restored' }]);
  });

  test('hide no others', async () => {
    const { stage, accept, path } = await startFirst();
    await accept('a.txt', 'one\n');
    await accept('b.txt', 'b\n');
    rmSync(path('b.txt'));
    mkdirSync(path('b.txt'));
    expect((await changed(stage)).map(({ now }) => now.kind)).toEqual(['text', 'binary']);
    expect(await stage.companion.changes.restore({ path: path('a.txt') })).toMatchObject([
      { kind: 'restored' },
    ]);
  });

  test('because they are too large together are refused, not loaded', async () => {
    const { stage, accept, path } = await startFirst();
    await accept('a.txt', 'one\n');
    await accept('b.txt', 'b\n');
    for (const name of ['a.txt', 'b.txt']) truncateSync(path(name), 40 * 1024 * 1024);
    await expect(changed(stage)).rejects.toThrow('more than 67108864 characters together');
    const [{ session } = { session: '' }] = stage.companion.history.entries;
    await expect(stage.companion.changes.restore({ session })).rejects.toThrow('Choose fewer');
  });
});

test.each([
  ['the last ones', { entries: 2 }, ['2', '3']],
  ['none for no days', { days: 0 }, []],
  ['none of none', { entries: 0 }, []],
  ['all within the usual limits', {}, ['1', '2', '3']],
])('the history keeps %s', async (_name, history, kept) => {
  const { stage, accept } = await startFirst({ history });
  for (const text of ['one\n', 'two\n', 'three\n']) await accept('a.txt', text);
  expect(stage.companion.history.entries.map(({ decided }) => decided.id)).toEqual(kept);
});
