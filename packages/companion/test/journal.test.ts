import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Logger, silentLogger } from '@tandem/core';
import { newReviewKey } from '@tandem/reviews';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Journal } from '../src/journal/journal.js';
import { parseCompanionFile, parseReviewFile } from '../src/journal/journalFormat.js';
import { deadPid } from './support/crashedJournal.js';
import { age, day, minute, review, saved, writeAll } from './support/journalSamples.js';

const opened: Journal[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const memory of opened.splice(0)) memory.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const root = mkdtempSync(join(tmpdir(), 'memory-'));
  folders.push(root);
  return join(root, 'companions');
}

function open(folder: string, window: string, pid?: number, logger: Logger = silentLogger): Journal {
  const memory = Journal.open({ folder, window, logger, ...(pid && { pid }) });
  opened.push(memory);
  return memory;
}

/** Collects what is logged, with all its fields. */
function loggerInto(lines: string[]): Logger {
  const write = (message: string, fields?: unknown): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  return { debug: write, info: write, warn: write, error: write };
}

/** The file of the only companion that has left something in the folder. */
function companionFile(folder: string): string {
  const [name = ''] = filesIn(folder).filter((each) => each.includes('companion.'));
  return join(folder, name);
}

/** The file of the only review that is left in the folder. */
function reviewFile(folder: string): string {
  const [name = ''] = filesIn(folder).filter((each) => each.includes(review.key));
  return join(folder, name);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

describe('the journal of a companion', () => {
  it('returns what an ended companion left, once', async () => {
    const folder = newFolder();
    await writeAll(open(folder, 'a'), saved(1000), { hasEnded: true });
    expect(await open(folder, 'b').take()).toEqual(saved(1000, { endedInOrder: true }));
    expect(await open(folder, 'c').take()).toBeUndefined();
  });

  it('returns what a killed companion left, and when it was last known to be alive', async () => {
    const folder = newFolder();
    await writeAll(open(folder, 'a', deadPid), saved(1000, { reviews: [review] }));
    age(folder, 1_000);
    const interruptedAt = statSync(companionFile(folder)).mtimeMs;
    expect(await open(folder, 'a').take()).toEqual(saved(1000, { reviews: [{ ...review, interruptedAt }] }));
  });

  it('takes nothing from a live companion', async () => {
    const folder = newFolder();
    await writeAll(open(folder, 'a'), saved(1000));
    expect(await open(folder, 'b').take()).toBeUndefined();
  });

  it('takes from a killed companion although another process has its pid now', async () => {
    const folder = newFolder();
    await writeAll(open(folder, 'a', process.pid), saved(1000));
    const [name = ''] = readdirSync(folder);
    renameSync(join(folder, name), join(folder, name.replace(/-\d+-/, '-1000-')));
    expect((await open(folder, 'a').take())?.port).toBe(1000);
  });

  it("prefers its own window's to another window's that ended later", async () => {
    const folder = newFolder();
    await writeAll(open(folder, 'a', deadPid), saved(1000));
    await writeAll(open(folder, 'b', deadPid), saved(2000));
    expect((await open(folder, 'a').take())?.port).toBe(1000);
    expect((await open(folder, 'c').take())?.port).toBe(2000);
  });

  it('takes the reviews of all companions that ended long ago, each once', async () => {
    const folder = newFolder();
    await writeAll(open(folder, 'a', deadPid), saved(1000, { reviews: [{ ...review, path: '/w/1' }] }));
    await writeAll(
      open(folder, 'b', deadPid),
      saved(2000, { interrupted: [{ ...review, key: newReviewKey(), path: '/w/2' }] }),
    );
    age(folder, 5 * minute);
    const taken = await open(folder, 'a').take();
    expect(taken?.port).toBe(1000);
    expect(taken?.reviews.map(({ path }) => path)).toEqual(['/w/1']);
    expect(taken?.interrupted.map(({ path }) => path)).toEqual(['/w/2']);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(await open(folder, 'b').take()).toBeUndefined();
  });

  it('expects no agent of a companion that ended long ago, and drops its journal after a day', async () => {
    const folder = newFolder();
    await writeAll(open(folder, 'a', deadPid), saved(1000));
    age(folder, 5 * minute);
    expect(await open(folder, 'a').take()).toEqual(saved(1000, { sessions: [] }));
    const other = newFolder();
    await writeAll(open(other, 'a', deadPid), saved(1000, { reviews: [{ ...review, content: 'new\n' }] }));
    age(other, day + minute);
    expect(await open(other, 'a').take()).toBeUndefined();
    expect(readdirSync(other)).toEqual([]);
  });

  it('never drops what the user accepted and no agent has written, even if it was not edited', async () => {
    const folder = newFolder();
    const accepted = { ...review, content: review.proposed, isAccepted: true, interruptedAt: 2 };
    await writeAll(open(folder, 'a'), saved(1000, { interrupted: [accepted] }), { hasEnded: true });
    age(folder, day + minute);
    expect((await open(folder, 'b').take())?.interrupted).toEqual([accepted]);
  });

  it("never drops the user's edits, even if the clock was wrong by years", async () => {
    const folder = newFolder();
    await writeAll(open(folder, 'a', deadPid), saved(1000, { reviews: [review] }));
    age(folder, 10 * 365 * day);
    expect((await open(folder, 'a').take())?.reviews).toHaveLength(1);
    age(folder, -365 * day);
  });

  it('is private because it holds tokens and texts, also in a folder that other users could read', async () => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
    await writeAll(open(folder, 'a'), saved(1000, { reviews: [review] }));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const [name = ''] = readdirSync(folder);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o700);
    const modes = readdirSync(join(folder, name)).map(
      (each) => statSync(join(folder, name, each)).mode & 0o777,
    );
    expect(modes).toEqual([0o600, 0o600]);
  });

  it('is not opened in a folder that is a link', () => {
    const folder = newFolder();
    const elsewhere = newFolder();
    mkdirSync(elsewhere, { recursive: true });
    mkdirSync(join(folder, '..'), { recursive: true });
    symlinkSync(elsewhere, folder);
    expect(() => open(folder, 'a')).toThrow('is a symbolic link');
  });

  it('logs once that it cannot be written, and once that it can again', async () => {
    const folder = newFolder();
    const lines: string[] = [];
    const memory = open(folder, 'a', undefined, loggerInto(lines));
    expect(await writeAll(memory, saved(1000))).toBe(true);
    renameSync(folder, `${folder}-away`);
    writeFileSync(folder, 'a file in its place');
    expect(await writeAll(memory, saved(1001, { reviews: [review] }))).toBe(false);
    expect(await writeAll(memory, saved(1002))).toBe(false);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^the journal could not be written.*(ENOTDIR|EEXIST|not a directory)/);
    expect(lines[0]).not.toMatch(/secret|typed/);
    rmSync(folder);
    expect(await writeAll(memory, saved(1003, { reviews: [review] }))).toBe(true);
    expect(lines).toHaveLength(2);
    expect(filesIn(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(readFileSync(reviewFile(folder), 'utf8')).toContain('typed');
  });

  it('holds the last write, however many writes overlap', async () => {
    const folder = newFolder();
    const memory = open(folder, 'a', deadPid);
    const ports = Array.from({ length: 50 }, (_, at) => 1000 + at);
    await Promise.all(ports.map((port) => writeAll(memory, saved(port))));
    expect((await open(folder, 'a').take())?.port).toBe(1049);
  });
});

describe('a file that is not a journal', () => {
  /** Leaves the written journal of an ended companion. */
  async function leave(folder: string): Promise<void> {
    await writeAll(open(folder, 'a', deadPid), saved(1000, { reviews: [review] }));
  }

  const faults: Readonly<Record<string, (path: string) => void>> = {
    'is cut off': (path) => truncateSync(path, statSync(path).size - 10),
    'is empty': (path) => truncateSync(path, 0),
    'holds other types': (path) =>
      writeFileSync(path, readFileSync(path, 'utf8').replace(/"(port|openedAt)":(\d+)/, '"$1":"$2"')),
    'was written by another version': (path) =>
      writeFileSync(path, readFileSync(path, 'utf8').replace('"format":3', '"format":4')),
    'is a link': (path) => {
      renameSync(path, `${path}.real`);
      symlinkSync(`${path}.real`, path);
    },
    'is a folder': (path) => {
      rmSync(path);
      mkdirSync(path);
    },
    'is huge': (path) => truncateSync(path, 400 * 1024 * 1024),
  };

  it.each(Object.entries(faults))('is left alone with one log line if it %s', async (_fault, break_) => {
    const folder = newFolder();
    await leave(folder);
    break_(companionFile(folder));
    const before = filesIn(folder);
    const lines: string[] = [];
    expect(await open(folder, 'a', undefined, loggerInto(lines)).take()).toBeUndefined();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^a file of an earlier companion is ignored/);
    expect(lines[0]).not.toMatch(/secret|typed/);
    expect(filesIn(folder)).toEqual(before);
  });

  it.each(Object.entries(faults))('loses only its own review if it %s', async (_fault, break_) => {
    const folder = newFolder();
    const other = { ...review, key: newReviewKey(), path: '/w/b.txt' };
    await writeAll(open(folder, 'a', deadPid), saved(1000, { reviews: [review, other] }));
    break_(reviewFile(folder));
    const name = basename(reviewFile(folder));
    const lines: string[] = [];
    const memory = open(folder, 'a', deadPid, loggerInto(lines));
    const taken = await memory.take();
    expect(taken?.reviews.map(({ path }) => path)).toEqual(['/w/b.txt']);
    expect(lines).toEqual([expect.stringMatching(/^a file of an earlier companion is ignored/)]);
    expect(lines[0]).not.toMatch(/secret|typed/);
    // Also over further restarts, and under the same name.
    await writeAll(memory, saved(1000));
    expect(filesIn(folder).map((each) => basename(each))).toContain(name);
  });

  it('is left alone if it belongs to another user', async () => {
    const folder = newFolder();
    await leave(folder);
    const lines: string[] = [];
    const memory = open(folder, 'a', undefined, loggerInto(lines));
    // Changes our own user id: only root can give a file away.
    const user = vi.spyOn(process, 'geteuid').mockReturnValue(12_345);
    const taken = await memory.take().finally(() => user.mockRestore());
    expect(taken).toBeUndefined();
    expect(lines).toHaveLength(1);
    expect(filesIn(folder)).toHaveLength(3);
  });

  it('never makes its reader throw, whatever it holds', async () => {
    const folder = newFolder();
    await leave(folder);
    const paths = filesIn(folder).map((name) => join(folder, name));
    const [journal = '', ...files] = paths;
    const whole = new Map(files.map((path) => [path, readFileSync(path)]));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...whole),
        fc.nat(1_000),
        fc.nat(1_000),
        fc.uint8Array({ maxLength: 20 }),
        async ([path, bytes], one, other, random) => {
          rmSync(folder, { recursive: true });
          mkdirSync(journal, { recursive: true, mode: 0o700 });
          for (const [each, content] of whole) writeFileSync(each, content);
          const [from, to] = [Math.min(one, other), Math.max(one, other)];
          writeFileSync(path, Buffer.concat([bytes.subarray(0, from), random, bytes.subarray(to)]));
          const memory = open(folder, 'a');
          const taken = await memory.take();
          memory.close();
          // The accepted parts are valid: a text may differ, a type may not.
          if (taken !== undefined) expect(typeof taken.port).toBe('number');
        },
      ),
      { seed: 20_261_121, numRuns: 300 },
    );
  });

  it('never makes its parser throw, also if only a few bytes differ', async () => {
    const folder = newFolder();
    await leave(folder);
    const companion = readFileSync(companionFile(folder));
    const ofReview = readFileSync(reviewFile(folder));
    const read = { companion: 0, review: 0 };
    fc.assert(
      fc.property(
        fc.constantFrom('companion' as const, 'review' as const),
        fc.array(
          fc.record({ at: fc.nat(1_000), remove: fc.nat(8), bytes: fc.uint8Array({ maxLength: 8 }) }),
          {
            minLength: 1,
            maxLength: 4,
          },
        ),
        (which, changes) => {
          let mutant = which === 'companion' ? companion : ofReview;
          const { length } = mutant;
          for (const { at, remove, bytes } of changes) {
            const from = at % length;
            mutant = Buffer.concat([mutant.subarray(0, from), bytes, mutant.subarray(from + remove)]);
          }
          const text = mutant.toString('utf8');
          if (which === 'companion') {
            const file = parseCompanionFile(text);
            if (file === undefined) return;
            expect([typeof file.companion.port, file.companion.sessions.length]).toEqual(['number', 1]);
          } else {
            const file = parseReviewFile(text);
            if (file === undefined) return;
            expect([typeof file.review.path, typeof file.proposed]).toEqual(['string', 'string']);
          }
          read[which] += 1;
        },
      ),
      { seed: 20_261_121, numRuns: 20_000 },
    );
    // Otherwise the test has covered only broken JSON.
    expect(read.companion).toBeGreaterThan(100);
    expect(read.review).toBeGreaterThan(100);
  });

  it('is removed once it is old if an aborted write left it', async () => {
    const folder = newFolder();
    open(folder, 'a');
    const unfinished = join(folder, `${deadPid}-1000-0123abcd`);
    const foreign = join(folder, 'notes.tmp');
    mkdirSync(unfinished);
    for (const path of [join(unfinished, 'companion.1.json.tmp'), foreign]) writeFileSync(path, '{');
    await open(folder, 'a').take();
    expect(readdirSync(folder)).toHaveLength(2);
    age(folder, 2 * minute);
    await open(folder, 'a').take();
    expect(readdirSync(folder)).toEqual(['notes.tmp']);
  });
});
