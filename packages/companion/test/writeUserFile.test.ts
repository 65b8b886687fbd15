import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@tandem/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stateFolder, thisMachine } from '../src/control/thisMachine.js';
import { keepOverwriteRecord, undoBrokenOverwrites } from '../src/files/userFile/overwriteRecord.js';
import { writeUserFile } from '../src/files/userFile/writeUserFile.js';
import { makeWorkspace } from './support/companionStage.js';

const before = 'one\ntwo\n';
const after = 'one\nTWO\nthree\n';
const anything = { isExpected: () => true };
/** Only a file with this text, or none. */
const only = (text: string | undefined) => ({
  isExpected: (now: Buffer | undefined) => now?.toString() === text,
});

let folder: string;
let file: string;
beforeEach(() => {
  folder = makeWorkspace({ 'a.txt': before });
  file = join(folder, 'a.txt');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (path = file): string => readFileSync(path, 'utf8');
const names = (path = folder): string[] => readdirSync(path).sort();

describe('a file that is written', () => {
  test('has exactly the new content, and nothing is left beside it', async () => {
    await writeUserFile(file, after, only(before));
    expect(read()).toBe(after);
    const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x0a]);
    await writeUserFile(file, bytes, only(after));
    expect(readFileSync(file).equals(bytes)).toBe(true);
    await writeUserFile(file, '', anything);
    expect(read()).toBe('');
    expect(names()).toEqual(['a.txt']);
  });

  test('keeps its mode and its owner', async () => {
    // Root can give it to another user; anybody else can only replace their own files.
    const owner = process.geteuid?.() === 0 ? 12_345 : statSync(file).uid;
    chownSync(file, owner, statSync(file).gid);
    chmodSync(file, 0o751);
    const { ino } = statSync(file);
    await writeUserFile(file, after, only(before));
    const { uid, mode, ...rest } = statSync(file);
    expect([uid, mode & 0o7777, rest.ino === ino]).toEqual([owner, 0o751, false]);
  });

  test('is created with its folders, and without a mode of its own', async () => {
    const path = join(folder, 'new/deep/b.txt');
    await writeUserFile(path, after, only(undefined));
    expect(read(path)).toBe(after);
    writeFileSync(join(folder, 'plain'), '');
    expect(statSync(path).mode).toBe(statSync(join(folder, 'plain')).mode);
    expect(names(join(folder, 'new/deep'))).toEqual(['b.txt']);
  });

  test('is the target of a link, also of several and of a missing target', async () => {
    symlinkSync('a.txt', join(folder, 'first'));
    symlinkSync('first', join(folder, 'second'));
    mkdirSync(join(folder, 'sub'));
    symlinkSync('sub/missing', join(folder, 'broken'));
    await writeUserFile(join(folder, 'second'), after, only(before));
    await writeUserFile(join(folder, 'broken'), after, only(undefined));
    expect([read(), read(join(folder, 'sub/missing'))]).toEqual([after, after]);
    expect(['first', 'second', 'broken'].map((name) => readlinkSync(join(folder, name)))).toEqual([
      'a.txt',
      'first',
      'sub/missing',
    ]);
  });

  test('stays one file with several hard links, whether it grows or shrinks', async () => {
    linkSync(file, join(folder, 'b.txt'));
    for (const text of [after, 'x', before.repeat(1000), '', after]) {
      await writeUserFile(file, text, anything);
      expect([read(), read(join(folder, 'b.txt')), statSync(file).nlink]).toEqual([text, text, 2]);
    }
    expect(names()).toEqual(['a.txt', 'b.txt']);
    expect(records()).toEqual([]);
  });

  test('is refused if it is a folder, or a link that leads to itself', async () => {
    symlinkSync('circle', join(folder, 'circle'));
    mkdirSync(join(folder, 'sub'));
    for (const [name, reason] of [
      ['circle', 'too many symbolic links'],
      ['sub', 'it is not a regular file'],
      ['a.txt/b', 'ENOTDIR'],
    ] as const) {
      const path = join(folder, name);
      await expect(writeUserFile(path, after, anything)).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringContaining(`${path} cannot be written: ${reason}`),
      });
    }
    expect(names()).toEqual(['a.txt', 'circle', 'sub']);
  });

  test('sees two writes one after the other', async () => {
    const texts = ['mine', 'yours'];
    const both = await Promise.allSettled(texts.map((text) => writeUserFile(file, text, only(before))));
    const written = texts.filter((_, at) => both[at]?.status === 'fulfilled');
    expect(written).toEqual([read()]);
  });
});

describe('what another program writes meanwhile is kept', () => {
  const refusal = { code: 'changed', message: expect.stringContaining('changed by another program') };

  test('before the comparison', async () => {
    writeFileSync(file, 'theirs');
    await expect(writeUserFile(file, after, only(before))).rejects.toMatchObject(refusal);
    linkSync(file, join(folder, 'b.txt'));
    await expect(writeUserFile(file, after, only(before))).rejects.toMatchObject(refusal);
    await expect(writeUserFile(file, undefined, only(before))).rejects.toMatchObject(refusal);
    expect([read(), names()]).toEqual(['theirs', ['a.txt', 'b.txt']]);
  });

  /** The other program acts after the first comparison. */
  function meanwhile(act: () => void) {
    let compared = 0;
    return {
      isExpected: (now: Buffer | undefined) => {
        const isSame = now?.toString() === before;
        if (++compared === 1) act();
        return isSame;
      },
    };
  }

  test.each([after, undefined])('appended after the comparison, for %j', async (text) => {
    const { ino } = statSync(file);
    const appending = meanwhile(() => appendFileSync(file, 'theirs\n'));
    await expect(writeUserFile(file, text, appending)).rejects.toMatchObject(refusal);
    expect([read(), names(), statSync(file).ino]).toEqual([`${before}theirs\n`, ['a.txt'], ino]);
  });

  test.each([after, undefined])('replaced by a rename after the comparison, for %j', async (text) => {
    const replacing = meanwhile(() => {
      writeFileSync(join(folder, 'new'), 'theirs');
      renameSync(join(folder, 'new'), file);
    });
    await expect(writeUserFile(file, text, replacing)).rejects.toMatchObject(refusal);
    expect([read(), names()]).toEqual(['theirs', ['a.txt']]);
  });

  test('created after the file was found missing', async () => {
    const path = join(folder, 'b.txt');
    const creating = {
      isExpected: (now: Buffer | undefined) => {
        writeFileSync(path, 'theirs');
        return now === undefined;
      },
    };
    await expect(writeUserFile(path, after, creating)).rejects.toMatchObject(refusal);
    expect([read(path), names()]).toEqual(['theirs', ['a.txt', 'b.txt']]);
  });

  test('removed after the file was found', async () => {
    const removing = meanwhile(() => rmSync(file));
    await expect(writeUserFile(file, after, removing)).rejects.toMatchObject(refusal);
    expect(names()).toEqual([]);
  });

  test.each([
    ['appended', () => appendFileSync(file, 'theirs\n'), `${before}theirs\n`],
    [
      'replaced',
      () => {
        rmSync(file);
        writeFileSync(file, 'theirs\n');
      },
      'theirs\n',
    ],
  ])('%s after the comparison, where a link was to take its place', async (_, act, left) => {
    const exactly = { folder: realpathSync(folder), newLink: 'elsewhere' };
    await expect(writeUserFile(file, undefined, { ...meanwhile(act), exactly })).rejects.toMatchObject(
      refusal,
    );
    expect([read(), names(), lstatSync(file).isFile()]).toEqual([left, ['a.txt'], true]);
  });

  test('in place of a link that was to be replaced or removed', async () => {
    const path = join(folder, 'link');
    const exactly = { folder: realpathSync(folder), link: 'shown' };
    for (const text of [after, undefined]) {
      symlinkSync('theirs', path);
      await expect(writeUserFile(path, text, { ...anything, exactly })).rejects.toMatchObject(refusal);
      expect([readlinkSync(path), names()]).toEqual(['theirs', ['a.txt', 'link']]);
      rmSync(path);
      writeFileSync(path, 'a file');
      await expect(writeUserFile(path, text, { ...anything, exactly })).rejects.toMatchObject(refusal);
      expect([read(path), names()]).toEqual(['a file', ['a.txt', 'link']]);
      rmSync(path);
    }
    const newLink = { folder: realpathSync(folder), newLink: 'target' };
    writeFileSync(path, 'theirs');
    const missing = only(undefined);
    await expect(writeUserFile(path, undefined, { ...missing, exactly: newLink })).rejects.toMatchObject(
      refusal,
    );
    expect(read(path)).toBe('theirs');
  });

  test('with other permissions than those to change', async () => {
    chmodSync(file, 0o700);
    const exactly = { folder: realpathSync(folder), fromMode: 0o644 };
    await expect(writeUserFile(file, undefined, { ...anything, mode: 0o755, exactly })).rejects.toMatchObject(
      refusal,
    );
    expect(statSync(file).mode & 0o777).toBe(0o700);
  });

  test('in a file that is overwritten in place', async () => {
    linkSync(file, join(folder, 'b.txt'));
    const appending = meanwhile(() => appendFileSync(file, 'theirs\n'));
    await expect(writeUserFile(file, after, appending)).rejects.toMatchObject(refusal);
    expect([read(), records()]).toEqual([`${before}theirs\n`, []]);
  });
});

describe('a file that is removed', () => {
  test('is gone; of a link, only the link', async () => {
    symlinkSync('a.txt', join(folder, 'link'));
    await writeUserFile(join(folder, 'link'), undefined, only(before));
    expect(names()).toEqual(['a.txt']);
    await writeUserFile(file, undefined, only(before));
    expect(names()).toEqual([]);
  });
});

describe('inside folders', () => {
  let outside: string;
  beforeEach(() => {
    outside = makeWorkspace({ 'a.txt': before });
  });
  afterEach(() => rmSync(outside, { recursive: true, force: true }));

  test('nothing is written, created or removed outside them, through no link', async () => {
    symlinkSync(outside, join(folder, 'out'));
    symlinkSync(join(outside, 'a.txt'), join(folder, 'file'));
    symlinkSync(join(outside, 'missing'), join(folder, 'broken'));
    const within = [folder];
    for (const [name, text] of [
      ['out/a.txt', after],
      ['out/a.txt', undefined],
      ['out/new/b.txt', after],
      ['file', after],
      ['broken', after],
      ['../elsewhere.txt', after],
    ] as const) {
      await expect(writeUserFile(join(folder, name), text, { ...anything, within })).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringContaining('outside the workspace folders'),
      });
    }
    expect([names(outside), read(join(outside, 'a.txt'))]).toEqual([['a.txt'], before]);
    expect(existsSync(join(folder, '../elsewhere.txt'))).toBe(false);
    await writeUserFile(file, after, { ...anything, within });
    expect(read()).toBe(after);
  });

  test.each([after, undefined])(
    'a folder that becomes a link meanwhile leads nowhere, for %j',
    async (text) => {
      mkdirSync(join(folder, 'sub'));
      const path = join(folder, 'sub/a.txt');
      writeFileSync(path, before);
      let isSwapped = false;
      const swapping = {
        within: [folder],
        isExpected: () => {
          if (!isSwapped) {
            renameSync(join(folder, 'sub'), join(folder, 'aside'));
            symlinkSync(outside, join(folder, 'sub'));
            isSwapped = true;
          }
          return true;
        },
      };
      // Linux writes into the folder that it opened, wherever that is now; elsewhere it is refused.
      await writeUserFile(path, text, swapping).catch(() => {});
      expect([isSwapped, names(outside), read(join(outside, 'a.txt'))]).toEqual([true, ['a.txt'], before]);
    },
  );
});

describe('after a crash', () => {
  const gone = 2 ** 22 + 1;

  test('temporary files of a process that is gone are removed with the next write', async () => {
    const own = `.tandem-${process.pid}-0123456789ab.tmp`;
    const left = `.tandem-${gone}-0123456789ab.tmp`;
    const other = '.tandem-notes.tmp';
    for (const name of [own, left, other]) writeFileSync(join(folder, name), 'x');
    await writeUserFile(file, after, anything);
    expect(names()).toEqual([other, own, 'a.txt'].sort());
  });

  /** What a process that was killed leaves when it has overwritten a part. */
  async function interrupt(now: string, text = after): Promise<string> {
    const { folder: made } = await keepOverwriteRecord(file, Buffer.from(before), Buffer.from(text));
    const record = join(made, '..', `${gone}-1-01234567`);
    renameSync(made, record);
    writeFileSync(file, now);
    return record;
  }

  test.each([
    ['the beginning of the new text', 'one\nTWO\n', after],
    ['the end of the new text', `${before}three\n`, after],
    ['a shorter text before it is cut', 'ONE\ntwo\n', 'ONE'],
  ])('a half overwritten file gets its earlier text back: %s', async (_what, mixture, text) => {
    await interrupt(mixture, text);
    await undoBrokenOverwrites(silentLogger);
    expect([read(), records()]).toEqual([before, []]);
  });

  test.each([before, after])('a whole file stays: %j', async (text) => {
    await interrupt(text);
    await undoBrokenOverwrites(silentLogger);
    expect([read(), records()]).toEqual([text, []]);
  });

  test('a file that was changed since stays, its earlier text is kept for a month, and the log names it', async () => {
    const record = await interrupt('theirs');
    const warned: unknown[] = [];
    const logger = { ...silentLogger, warn: (_message: string, about?: unknown) => void warned.push(about) };
    await undoBrokenOverwrites(logger);
    expect(read()).toBe('theirs');
    expect(warned).toEqual([{ path: file, before: join(record, 'before') }]);
    expect(read(join(record, 'before'))).toBe(before);
    utimesSync(record, new Date(0), new Date(0));
    await undoBrokenOverwrites(logger);
    expect([read(), records()]).toEqual(['theirs', []]);
  });

  test('a record that is not complete is removed: its file was not touched', async () => {
    const record = await interrupt('one\nTWO\n');
    writeFileSync(join(record, 'target.json'), '');
    await undoBrokenOverwrites(silentLogger);
    expect([read(), records()]).toEqual(['one\nTWO\n', []]);
  });

  test('a process that still runs is not disturbed', async () => {
    const { remove } = await keepOverwriteRecord(file, Buffer.from(before), Buffer.from(after));
    writeFileSync(file, 'one\nTWO\n');
    await undoBrokenOverwrites(silentLogger);
    expect([read(), records()]).toEqual(['one\nTWO\n', [expect.any(String)]]);
    await remove();
  });
});

function records(): string[] {
  const path = join(realpathSync(stateFolder(thisMachine())), 'overwritten');
  return existsSync(path) ? readdirSync(path) : [];
}
