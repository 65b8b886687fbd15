import { spawn } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@tandem/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { undoBrokenOverwrites } from '../src/files/userFile/overwriteRecord.js';
import { makeWorkspace } from './support/companionStage.js';
import { bundleWriter, killSoon, onSmallDisk, runJson } from './support/writerProcess.js';

const before = 'one\ntwo\n';

let folder: string;
let file: string;
beforeEach(() => {
  folder = makeWorkspace({ 'work/a.txt': before });
  file = join(folder, 'work/a.txt');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const names = (): string[] => readdirSync(join(folder, 'work')).sort();

/** Writes 340 kB, and prints the error's message. */
const writeLarge = `
  const large = 'line of the user\\n'.repeat(20_000);
  const problem = await write(large).then(() => null, (error) => error.message);
  console.log(JSON.stringify(problem));`;

describe('a disk that takes only a part of the text', () => {
  // A limit on the size of files makes the system write less than requested, as a nearly full disk does. It needs no rights.
  test.each(['one name', 'two names'])(
    'a file with %s is as before, and the error says so',
    async (links) => {
      if (links === 'two names') linkSync(file, join(folder, 'work/b.txt'));
      const present = names();
      const script = await bundleWriter(folder, writeLarge);
      const limited = ['sh', '-c', 'ulimit -f 200 && exec "$@"', 'sh', process.execPath, script, file];
      expect(await runJson(limited, process.env)).toBe(
        `${file} cannot be written: EFBIG: file too large, write.`,
      );
      expect([readFileSync(file, 'utf8'), names()]).toEqual([before, present]);
    },
  );

  test('a discovery file is not written, and the error says so', async () => {
    const script = await bundleWriter(
      folder,
      `
      const found = (() => {
        try { openOwnFolder(file).write('a.json', { text: 'x'.repeat(5_000) }, 1); return 'written'; }
        catch (error) { return error.message; }
      })();
      console.log(JSON.stringify({ found, names: fs.readdirSync(file) }));`,
    );
    const limited = [
      'sh',
      '-c',
      'ulimit -f 2 && exec "$@"',
      'sh',
      process.execPath,
      script,
      join(folder, 'own'),
    ];
    expect(await runJson(limited, process.env)).toEqual({
      found: expect.stringContaining('cannot be written: EFBIG: file too large'),
      names: [],
    });
  });

  test('a nearly full disk leaves every file as it was, and takes the text when there is room', async () => {
    const script = await bundleWriter(
      folder,
      `
      const disk = file;
      const large = 'line of the user\\n'.repeat(20_000);
      const [plain, linked, created] = ['plain', 'linked', 'created'].map((name) => disk + '/' + name);
      for (const each of [plain, linked]) fs.writeFileSync(each, ${JSON.stringify(before)});
      fs.linkSync(linked, disk + '/other');
      const read = (path) => fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : null;
      const fill = (left) => {
        const { bavail, bsize } = fs.statfsSync(disk);
        fs.writeFileSync(disk + '/fill', Buffer.alloc(bavail * bsize - left));
      };
      const found = [];
      const attempt = async (path) => {
        const problem = await write(large, path).then(() => null, (error) => error.message);
        const text = read(path);
        found.push({ problem, text: text === large ? 'new' : text });
      };
      for (const left of [150_000, 0]) {
        fill(left);
        for (const path of [plain, linked, created]) await attempt(path);
        fs.rmSync(disk + '/fill');
      }
      // The text before is kept on another disk, but not on this one.
      process.env.XDG_STATE_HOME = disk;
      fill(150_000);
      await attempt(linked);
      fs.rmSync(disk + '/fill');
      const names = fs.readdirSync(disk).sort();
      for (const path of [plain, linked, created]) await attempt(path);
      console.log(JSON.stringify({ found, names, other: read(disk + '/other') === large }));`,
    );
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    const full = (text: string | null) => ({
      text,
      problem: expect.stringMatching(
        /cannot be written: ENOSPC: .* The file is as before\. Free some space, then try again\./,
      ),
    });
    const isNew = { text: 'new', problem: null };
    const refused = [full(before), full(before), full(null)];
    expect(await runJson(onSmallDisk(disk, [process.execPath, script, disk]), process.env)).toEqual({
      found: [...refused, ...refused, full(before), isNew, isNew, isNew],
      names: ['linked', 'other', 'plain', 'tandem'],
      other: true,
    });
  });
});

describe('a process that is killed while it writes', () => {
  const texts = ['a'.repeat(3_000_000), 'b'.repeat(1_000_000)];
  const writing = `
    const texts = ${JSON.stringify(['a', 'b'])}.map((letter, at) => letter.repeat(at === 0 ? 3_000_000 : 1_000_000));
    console.log('ready');
    for (let at = 0; ; at++) await write(texts[at % 2]);`;

  test.each(['one name', 'two names'])('leaves the old or the new text in a file with %s', async (links) => {
    if (links === 'two names') linkSync(file, join(folder, 'work/b.txt'));
    const script = await bundleWriter(folder, writing);
    for (let run = 0; run < 25; run++) {
      const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
      await killSoon(child, Math.random() * 40);
      // As at the next start. A file with one name needs it not.
      if (links === 'two names') await undoBrokenOverwrites(silentLogger);
      expect([before, ...texts].includes(readFileSync(file, 'utf8'))).toBe(true);
    }
  });
});
