import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Scanned } from './support/scanned.js';

function write(scanned: Scanned, path: string, content: string | Buffer): string {
  const full = join(scanned.root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
  return full;
}

/** What changed, in short. */
function said(changes: ReturnType<Scanned['look']>): string[] {
  return changes.map(({ path, before, after }) => {
    const [from, to] = [before, after].map((state) => (state.kind === 'unread' ? state.why : state.kind));
    return `${path}: ${from} -> ${to}`;
  });
}

describe('a look', () => {
  it('finds nothing the first time, then what was written, added and removed, with all contents', () => {
    const scanned = new Scanned();
    write(scanned, 'a.txt', 'one');
    write(scanned, 'deep/b.txt', 'two');
    expect(scanned.look()).toEqual([]);
    scanned.readAll();
    write(scanned, 'a.txt', 'ONE');
    write(scanned, 'new/c.txt', 'three');
    rmSync(join(scanned.root, 'deep'), { recursive: true });
    const changes = scanned.look();
    expect(said(changes)).toEqual([
      'a.txt: file -> file',
      'deep/b.txt: file -> missing',
      'new/c.txt: missing -> file',
    ]);
    expect(changes.map(({ before }) => scanned.content(before)?.toString())).toEqual([
      'one',
      'two',
      undefined,
    ]);
    expect(changes.map(({ after }) => scanned.content(after)?.toString())).toEqual([
      'ONE',
      undefined,
      'three',
    ]);
    expect(scanned.look()).toEqual([]);
  });

  it('says when a file was last as before, and when it was changed', () => {
    const scanned = new Scanned();
    const file = write(scanned, 'a.txt', 'one');
    scanned.look();
    scanned.readAll();
    const { startedAt } = scanned.lookAt();
    appendFileSync(file, ' more');
    const [change] = scanned.look();
    expect(change?.notBefore).toBeGreaterThanOrEqual(startedAt);
    expect(change?.notBefore).toBeLessThanOrEqual(Date.now());
    expect(change?.changedAt).toBeCloseTo(statSync(file).ctimeMs, 1);
  });

  it('does not guess the content of a file that changed before it was read', () => {
    const scanned = new Scanned();
    write(scanned, 'a.txt', 'one');
    scanned.look();
    write(scanned, 'a.txt', 'longer than before');
    expect(said(scanned.look())).toEqual(['a.txt: not-yet -> file']);
  });

  it('sees a write of the same size whose time was put back', async () => {
    const scanned = new Scanned();
    const file = write(scanned, 'a.txt', 'one');
    utimesSync(file, 1, 1);
    await age(scanned);
    scanned.look();
    scanned.readAll();
    writeFileSync(file, 'two');
    utimesSync(file, 1, 1);
    expect(said(scanned.look())).toEqual(['a.txt: file -> file']);
  });

  it('reports no file that was only touched', () => {
    const scanned = new Scanned();
    const file = write(scanned, 'a.txt', 'one');
    scanned.look();
    scanned.readAll();
    utimesSync(file, 1, 1);
    expect(scanned.look()).toEqual([]);
  });

  it('reports modes, links and files that became folders', () => {
    const scanned = new Scanned();
    const run = write(scanned, 'run.sh', '#!');
    const become = write(scanned, 'become', 'file');
    symlinkSync('run.sh', join(scanned.root, 'link'));
    scanned.look();
    scanned.readAll();
    chmodSync(run, 0o755);
    unlinkSync(join(scanned.root, 'link'));
    symlinkSync('/etc/passwd', join(scanned.root, 'link'));
    unlinkSync(become);
    write(scanned, 'become/inside.txt', 'in');
    const changes = scanned.look();
    expect(said(changes)).toEqual([
      'become: file -> missing',
      'become/inside.txt: missing -> file',
      'link: link -> link',
      'run.sh: file -> file',
    ]);
    expect(changes[2]).toMatchObject({ before: { target: 'run.sh' }, after: { target: '/etc/passwd' } });
    expect(changes[3]).toMatchObject({ before: { mode: 0o644 }, after: { mode: 0o755 } });
  });

  it('does not follow a link to a folder, also where a folder was before', () => {
    const scanned = new Scanned();
    const outside = new Scanned();
    write(outside, 'inside.txt', 'outside');
    write(scanned, 'sub/inside.txt', 'inside');
    scanned.look();
    scanned.readAll();
    rmSync(join(scanned.root, 'sub'), { recursive: true });
    symlinkSync(outside.root, join(scanned.root, 'sub'));
    expect(said(scanned.look(['sub/inside.txt']))).toEqual(['sub/inside.txt: file -> missing']);
    expect(said(scanned.look())).toEqual(['sub: missing -> link']);
  });

  it('sees a change through a hard link at both names', () => {
    const scanned = new Scanned();
    const one = write(scanned, 'one', 'content');
    linkSync(one, join(scanned.root, 'two'));
    scanned.look();
    scanned.readAll();
    appendFileSync(one, '!');
    expect(said(scanned.look())).toEqual(['one: file -> file', 'two: file -> file']);
  });

  it('reports a rename as a removal and a new file with the same content', () => {
    const scanned = new Scanned();
    const one = write(scanned, 'one', 'content');
    scanned.look();
    scanned.readAll();
    renameSync(one, join(scanned.root, 'two'));
    const [gone, added] = scanned.look();
    expect([gone?.path, added?.path]).toEqual(['one', 'two']);
    expect(gone?.before).toEqual(added?.after);
  });

  it('does not read a file above the limit, and says when it changed', () => {
    const scanned = new Scanned({
      limits: { maxFiles: 10, maxFileBytes: 10, maxWalkMs: 5_000, maxReadMs: 2_000 },
    });
    const file = write(scanned, 'large', 'x'.repeat(11));
    scanned.look();
    appendFileSync(file, 'x');
    expect(said(scanned.look())).toEqual(['large: too-large -> too-large']);
    writeFileSync(file, 'small');
    expect(said(scanned.look())).toEqual(['large: too-large -> file']);
  });

  it('never opens what is no regular file', async () => {
    const scanned = new Scanned();
    const server = createServer().listen(join(scanned.root, 's'));
    await once(server, 'listening');
    scanned.look();
    scanned.readAll();
    server.close();
    await once(server, 'close');
    expect(said(scanned.look())).toEqual(['s: special -> missing']);
  });

  it('goes on without a store that cannot be written, and says so', () => {
    const scanned = new Scanned();
    const inTheWay = write(scanned, 'file', 'one');
    scanned.killAndRestart({ storeFolder: join(inTheWay, 'store') });
    scanned.look();
    scanned.readAll();
    write(scanned, 'file', 'two');
    const [change] = scanned.look();
    expect(change).toMatchObject({
      before: { kind: 'file', isStored: false },
      after: { kind: 'file', isStored: false },
    });
    expect(scanned.scan.status().problem).toMatch(/^file contents cannot be kept: /);
  });

  it('does not count its own store', () => {
    const outer = new Scanned();
    const scanned = new Scanned({
      ...{ root: outer.root, named: outer.root, storeFolder: join(outer.root, 'store') },
    });
    write(scanned, 'a', 'one');
    scanned.look();
    scanned.readAll();
    scanned.look();
    expect(scanned.look()).toEqual([]);
    expect(scanned.scan.status().files).toBe(1);
  });

  it('leaves out names that are not UTF-8, and counts them', () => {
    const scanned = new Scanned();
    write(scanned, 'real \uFFFD.txt', 'a name may contain this character');
    writeFileSync(Buffer.concat([Buffer.from(`${scanned.root}/`), Buffer.from([0x66, 0xff])]), 'odd');
    scanned.look();
    expect(scanned.scan.status()).toMatchObject({ oddNames: 1, files: 1 });
  });

  it('gives all of more changes than cross to the main thread at once', () => {
    const scanned = new Scanned();
    scanned.look();
    for (let at = 0; at < 1_201; at += 1) write(scanned, `f${at}`, `${at}`);
    const changes = scanned.look();
    expect(new Set(changes.map(({ path }) => path)).size).toBe(1_201);
  });

  it('reports a file whose content it had no time to read, and its content at the next look', () => {
    const scanned = new Scanned({
      limits: { maxFiles: 10, maxFileBytes: 100, maxWalkMs: 5_000, maxReadMs: -1 },
    });
    scanned.look();
    write(scanned, 'a', 'one');
    expect(said(scanned.look())).toEqual(['a: missing -> not-yet']);
    scanned.readAll();
    expect(said(scanned.look())).toEqual(['a: not-yet -> file']);
    expect(scanned.look()).toEqual([]);
  });
});

describe('ignored files', () => {
  it('count only once a hint has named them', async () => {
    const scanned = new Scanned();
    write(scanned, '.gitignore', 'dist/\n*.log\n');
    write(scanned, 'dist/a.js', 'one');
    write(scanned, 'x.log', 'one');
    await age(scanned);
    scanned.look();
    expect(scanned.scan.status().files).toBe(1);
    expect(scanned.look(['dist/a.js'])).toEqual([]);
    write(scanned, 'dist/a.js', 'two');
    write(scanned, 'dist/b.js', 'two');
    write(scanned, 'x.log', 'two');
    const changes = scanned.look();
    expect(said(changes)).toEqual(['dist/a.js: file -> file']);
    expect(scanned.content(changes[0]?.before)?.toString()).toBe('one');
  });

  it('are not taken for new when a hint names them after a write, or when they are no longer ignored', async () => {
    const scanned = new Scanned();
    write(scanned, '.gitignore', '*.log\n');
    write(scanned, 'old.log', 'one');
    write(scanned, 'x.log', 'one');
    await age(scanned);
    scanned.look();
    scanned.readAll();
    write(scanned, 'x.log', 'two');
    expect(said(scanned.look(['x.log']))).toEqual(['x.log: not-yet -> file']);
    write(scanned, '.gitignore', '# nothing\n');
    expect(said(scanned.look())).toEqual(['.gitignore: file -> file']);
    scanned.readAll();
    write(scanned, 'old.log', 'changed');
    expect(said(scanned.look())).toEqual(['old.log: file -> file']);
  });

  it('are forgotten without a change when a new rule ignores them', () => {
    const scanned = new Scanned();
    write(scanned, 'out/a', 'one');
    scanned.look();
    scanned.readAll();
    write(scanned, '.gitignore', 'out\n');
    expect(said(scanned.look())).toEqual(['.gitignore: missing -> file']);
    write(scanned, 'out/a', 'two');
    expect(scanned.look()).toEqual([]);
  });

  it('follow the rules of the repository around the folder, and its info/exclude', () => {
    const outer = new Scanned();
    write(outer, '.git/HEAD', 'ref: refs/heads/main');
    write(outer, '.git/info/exclude', 'private.txt\n');
    write(outer, '.gitignore', '/app/gen/\n*.tmp\n');
    for (const name of ['private.txt', 'gen/a', 'a.tmp', 'seen.txt']) write(outer, `app/${name}`, 'x');
    write(outer, 'app/nested/.git/config', 'never');
    write(outer, 'app/nested/seen.txt', 'x');
    const scanned = new Scanned({ root: join(outer.root, 'app'), named: join(outer.root, 'app') });
    scanned.look();
    for (const name of ['private.txt', 'gen/a', 'a.tmp', 'seen.txt', 'nested/.git/config', 'nested/seen.txt'])
      write(outer, `app/${name}`, 'changed');
    expect(scanned.look().map(({ path }) => path)).toEqual(['nested/seen.txt', 'seen.txt']);
  });
});

describe('hidden files', () => {
  it('are reported as changed, and their content is not in the store', () => {
    const scanned = new Scanned();
    write(scanned, '.env', 'TOKEN=one-very-secret');
    scanned.look();
    scanned.readAll();
    write(scanned, '.env', 'TOKEN=two-very-secret');
    expect(said(scanned.look())).toEqual(['.env: hidden -> hidden']);
    expect(rawStore(scanned)).not.toContain('very-secret');
  });

  it('are removed from the store when they become hidden, with what they contained before', () => {
    const scanned = new Scanned();
    write(scanned, 'notes.txt', 'first-secret');
    write(scanned, 'copy.txt', 'shared text');
    write(scanned, 'other.txt', 'shared text');
    scanned.look();
    scanned.readAll();
    write(scanned, 'notes.txt', 'second-secret');
    scanned.look();
    expect(rawStore(scanned)).toContain('first-secret');
    scanned.restart({ denyList: ['notes.txt', 'copy.txt'] });
    expect(scanned.look()).toEqual([]);
    expect(rawStore(scanned)).not.toContain('secret');
    expect(rawStore(scanned)).toContain('shared text');
    write(scanned, 'notes.txt', 'third-secret');
    expect(said(scanned.look())).toEqual(['notes.txt: hidden -> hidden']);
    expect(rawStore(scanned)).not.toContain('secret');
    scanned.scan.answer({ kind: 'denyList', patterns: [] });
    scanned.readAll();
    write(scanned, 'notes.txt', 'public');
    const [change] = scanned.look();
    expect(scanned.content(change?.before)?.toString()).toBe('third-secret');
  });

  it('are removed from the store when a file is renamed to a hidden name', () => {
    const scanned = new Scanned();
    const notes = write(scanned, 'notes.txt', 'a-secret');
    scanned.look();
    scanned.readAll();
    renameSync(notes, join(scanned.root, '.env'));
    expect(said(scanned.look())).toEqual(['.env: missing -> hidden', 'notes.txt: file -> missing']);
    expect(rawStore(scanned)).not.toContain('a-secret');
  });
});

/** All that the store has in its segments. The contents are too short to be deflated. */
function rawStore({ store }: Scanned): string {
  const names = readdirSync(store).filter((name) => name.startsWith('blobs-'));
  return names.map((name) => readFileSync(join(store, name), 'latin1')).join('');
}

/** Waits until what was written is older than what the times of a file system leave open. */
async function age(scanned: Scanned): Promise<void> {
  const path = write(scanned, '.git/age', '');
  await vi.waitFor(() => expect(Date.now() - statSync(path).ctimeMs).toBeGreaterThan(25), { interval: 5 });
}

describe('a scan that starts again', () => {
  it('reports what changed while nobody looked', () => {
    const scanned = new Scanned();
    write(scanned, 'a', 'one');
    write(scanned, 'b', 'gone');
    const { startedAt } = scanned.lookAt();
    scanned.readAll();
    scanned.restart();
    write(scanned, 'a', 'two');
    write(scanned, 'c', 'new');
    unlinkSync(join(scanned.root, 'b'));
    const changes = scanned.look();
    expect(said(changes)).toEqual(['a: file -> file', 'b: file -> missing', 'c: missing -> file']);
    expect(changes.map(({ notBefore }) => notBefore)).toEqual([startedAt, startedAt, startedAt]);
    expect(scanned.content(changes[0]?.before)?.toString()).toBe('one');
    expect(scanned.content(changes[1]?.before)?.toString()).toBe('gone');
  });

  it('reads no file again that did not change', () => {
    const scanned = new Scanned();
    write(scanned, 'a', 'one');
    scanned.look();
    scanned.readAll();
    scanned.restart();
    scanned.look();
    expect(scanned.scan.status().unread).toBe(0);
  });

  it('reports again after a kill what the caller may not have taken, and not what it has taken', () => {
    const scanned = new Scanned();
    write(scanned, 'a', 'one');
    scanned.look();
    scanned.readAll();
    write(scanned, 'a', 'two');
    const first = scanned.look();
    scanned.killAndRestart();
    const again = scanned.look();
    expect(again.map(({ before, after }) => [before, after])).toEqual(
      first.map(({ before, after }) => [before, after]),
    );
    scanned.look();
    scanned.killAndRestart();
    expect(scanned.look()).toEqual([]);
  });

  it('reports the last change again, or not at all, wherever its table ends', () => {
    const scanned = new Scanned();
    write(scanned, 'a', 'one');
    scanned.look();
    scanned.readAll();
    const table = join(scanned.store, 'table');
    const { size } = statSync(table);
    write(scanned, 'a', 'two');
    write(scanned, 'sub/b', 'new');
    const reported = said(scanned.look());
    scanned.look();
    const whole = readFileSync(table);
    expect(whole.length).toBeGreaterThan(size);
    for (let length = size; length <= whole.length; length += 1) {
      writeFileSync(table, whole.subarray(0, length));
      scanned.killAndRestart();
      const again = said(scanned.look());
      expect(reported).toEqual(expect.arrayContaining(again));
      if (length === size) expect(again).toEqual(reported);
      if (length === whole.length) expect(again).toEqual([]);
    }
  });

  it('reads all files again when its table is damaged, and reports no change that it cannot prove', () => {
    const scanned = new Scanned();
    write(scanned, 'a', 'one');
    scanned.look();
    scanned.readAll();
    scanned.scan.answer({ kind: 'close' });
    const table = join(scanned.store, 'table');
    writeFileSync(table, readFileSync(table, 'utf8').replace('["f"', '["f'));
    scanned.killAndRestart();
    write(scanned, 'a', 'two');
    expect(scanned.look()).toEqual([]);
  });

  it('does not take a file for new that was ignored before', async () => {
    const scanned = new Scanned();
    write(scanned, '.gitignore', 'dist\n');
    write(scanned, 'dist/a', 'one');
    await age(scanned);
    scanned.look();
    scanned.restart();
    write(scanned, '.gitignore', '# nothing\n');
    scanned.readAll();
    expect(scanned.look().map(({ path }) => path)).toEqual(['.gitignore']);
  });
});

describe('a folder that is too large', () => {
  it('is looked at only where hints say, and each look says so', () => {
    const scanned = new Scanned({
      limits: { maxFiles: 2, maxFileBytes: 100, maxWalkMs: 5_000, maxReadMs: 2_000 },
    });
    for (const name of ['a', 'b', 'c']) write(scanned, name, 'one');
    expect(scanned.lookAt().isComplete).toBe(false);
    expect(scanned.scan.status()).toMatchObject({ mode: 'named', why: 'it has more than 2 files' });
    scanned.look(['a']);
    write(scanned, 'a', 'two');
    write(scanned, 'b', 'two');
    const look = scanned.lookAt(['a']);
    expect(said(look.changes)).toEqual(['a: file -> file']);
    expect(look.isComplete).toBe(false);
  });

  it('is looked at only where hints say when the walk takes too long', () => {
    const scanned = new Scanned({
      limits: { maxFiles: 10, maxFileBytes: 100, maxWalkMs: -1, maxReadMs: 2_000 },
    });
    write(scanned, 'a', 'one');
    expect(scanned.lookAt()).toMatchObject({ changes: [], isComplete: false });
    expect(scanned.scan.status().mode).toBe('named');
    expect(scanned.scan.status().why).toContain('takes more than');
  });

  it('reads what a hint names before an edit at once', () => {
    const scanned = new Scanned({ whyNamed: 'it is a home folder' });
    write(scanned, 'sub/a', 'one');
    expect(scanned.look(['sub/a', 'sub/new'])).toEqual([]);
    write(scanned, 'sub/a', 'two');
    write(scanned, 'sub/new', 'new');
    const changes = scanned.look(['sub/a', 'sub/new']);
    expect(said(changes)).toEqual(['sub/a: file -> file', 'sub/new: missing -> file']);
    expect(scanned.content(changes[0]?.before)?.toString()).toBe('one');
  });
});
