import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BlobStore, type BlobStoreOptions } from '../src/store/blobStore.js';
import { writeAll } from '../src/store/privateFolder.js';

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const day = 24 * 60 * 60 * 1000;

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'blobs-'));
}

function openStore(folder: string, options: Partial<BlobStoreOptions> = {}): BlobStore {
  return BlobStore.open({ folder, isCurrent: () => false, ...options });
}

function put(store: BlobStore, text: string, isChange = true, now?: number): string {
  const bytes = Buffer.from(text);
  const hash = hashOf(bytes);
  store.put(hash, bytes, isChange, now);
  return hash;
}

describe('the store', () => {
  it('gives back what was put, byte by byte, also after it was opened again', () => {
    const folder = newFolder();
    const store = openStore(folder);
    const contents = [Buffer.alloc(0), Buffer.from('short'), Buffer.alloc(9_000, 'ab'), randomBytes(70_000)];
    for (const bytes of contents) expect(store.put(hashOf(bytes), bytes, true)).toBe(true);
    expect(contents.map((bytes) => store.get(hashOf(bytes)))).toEqual(contents);
    store.close();
    const again = openStore(folder);
    expect(contents.map((bytes) => again.get(hashOf(bytes)))).toEqual(contents);
    expect(again.bytes).toBeLessThan(75_000);
  });

  it('stores equal contents once', () => {
    const store = openStore(newFolder());
    put(store, 'one');
    const { bytes } = store;
    put(store, 'one');
    expect([store.size, store.bytes]).toEqual([1, bytes]);
  });

  it('loses at most the last content when its file ends at any byte, and goes on after it', () => {
    const folder = newFolder();
    const store = openStore(folder);
    const texts = ['one', 'x'.repeat(300), '', 'last'];
    const ends = texts.map((text) => {
      put(store, text);
      return store.bytes;
    });
    store.close();
    const whole = readFileSync(join(folder, 'blobs-000001'));
    expect(whole.length).toBe(ends.at(-1));
    for (let length = 0; length <= whole.length; length += 1) {
      const cut = newFolder();
      writeFileSync(join(cut, 'blobs-000001'), whole.subarray(0, length));
      const opened = openStore(cut);
      const kept = texts.filter((_, at) => (ends[at] ?? 0) <= length);
      expect(opened.size).toBe(kept.length);
      for (const text of kept) expect(opened.get(hashOf(Buffer.from(text)))?.toString()).toBe(text);
      const added = put(opened, 'added afterwards');
      opened.close();
      expect(openStore(cut).get(added)?.toString()).toBe('added afterwards');
    }
  });

  it('gives nothing in place of a damaged content, and stores it again', () => {
    const folder = newFolder();
    const store = openStore(folder);
    const hash = put(store, 'a text');
    store.close();
    const file = join(folder, 'blobs-000001');
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    writeFileSync(file, bytes);
    const again = openStore(folder);
    expect(again.get(hash)).toBeUndefined();
    put(again, 'a text');
    expect(again.get(hash)?.toString()).toBe('a text');
  });

  it('removes the oldest first, but nothing that is pinned, and contents of files now last', () => {
    const current = new Set<string>();
    const store = openStore(newFolder(), {
      limits: { maxBytes: 1_000, maxAgeMs: 7 * day },
      isCurrent: (hash) => current.has(hash),
    });
    const hashes = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => put(store, `${n}`.repeat(40), true, n));
    const [first = '', second = '', third = '', fourth = ''] = hashes;
    current.add(first);
    store.pin(new Set([second]));
    const added = [put(store, 'a'.repeat(100), true, 9), put(store, 'b'.repeat(100), true, 10)];
    expect(added.map((hash) => store.has(hash))).toEqual([true, true]);
    expect([first, second, third, fourth].map((hash) => store.has(hash))).toEqual([true, true, false, false]);
    expect(store.bytes).toBeLessThanOrEqual(1_000);
  });

  it('removes no content of a file for one that did not change, and says that it is full', () => {
    const store = openStore(newFolder(), {
      limits: { maxBytes: 500, maxAgeMs: day },
      isCurrent: () => true,
    });
    const kept = put(store, 'x'.repeat(100), false);
    const refused = put(store, 'y'.repeat(400), false) && put(store, randomBytes(400).toString('hex'), false);
    expect([store.has(kept), store.has(refused)]).toEqual([true, false]);
    expect(store.problem).toBe('the store of file contents is full');
    const changed = put(store, randomBytes(150).toString('hex'), true);
    expect(store.has(changed)).toBe(true);
    expect(store.problem).toBeUndefined();
  });

  it('removes what is too old, counted from when it stopped being the content of a file', () => {
    const folder = newFolder();
    const store = openStore(folder, { limits: { maxBytes: 10_000, maxAgeMs: 7 * day } });
    const now = 100 * day;
    const old = put(store, 'old', true, now - 8 * day);
    const released = put(store, 'released', true, now - 8 * day);
    const pinned = put(store, 'pinned', true, now - 8 * day);
    store.release(released, now - day);
    store.pin(new Set([pinned]));
    store.close();
    const again = openStore(folder, { limits: { maxBytes: 10_000, maxAgeMs: 7 * day } });
    again.expire(now);
    expect([old, released, pinned].map((hash) => again.has(hash))).toEqual([false, true, true]);
    again.expire(now + 7 * day);
    expect([released, pinned].map((hash) => again.has(hash))).toEqual([false, true]);
  });

  it('leaves no byte of a content that it forgets, also of pinned ones, and keeps the others', () => {
    const folder = newFolder();
    const store = openStore(folder);
    const [before, secret, after] = [put(store, 'before'), put(store, 'the secret'), put(store, 'after')];
    store.pin(new Set([secret]));
    expect(store.forget([secret])).toEqual([]);
    const raw = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    expect(raw.join('')).not.toContain('secret');
    store.close();
    const again = openStore(folder);
    expect([before, secret, after].map((hash) => again.get(hash)?.toString())).toEqual([
      'before',
      undefined,
      'after',
    ]);
  });

  it('stores nothing on a full disk and says so, loses nothing, and goes on when there is room', () => {
    const folder = newFolder();
    let room = true;
    const store = openStore(folder, {
      write: (file, bytes) => {
        if (room) return writeAll(file, bytes);
        writeAll(file, bytes.subarray(0, 10));
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      },
    });
    const first = put(store, 'first');
    room = false;
    const second = put(store, 'second');
    expect([store.has(second), store.problem]).toEqual([false, 'the disk is full']);
    expect(store.get(first)?.toString()).toBe('first');
    room = true;
    const third = put(store, 'third');
    expect(store.problem).toBeUndefined();
    store.close();
    const again = openStore(folder);
    expect([first, third].map((hash) => again.get(hash)?.toString())).toEqual(['first', 'third']);
  });

  it('writes files for this user alone, and through no link', () => {
    const folder = newFolder();
    const victim = join(newFolder(), 'victim');
    writeFileSync(victim, 'content');
    symlinkSync(victim, join(folder, 'blobs-000001'));
    const store = openStore(folder);
    const hash = put(store, 'one');
    expect(readFileSync(victim, 'utf8')).toBe('content');
    expect(store.get(hash)?.toString()).toBe('one');
    expect(statSync(join(folder, 'blobs-000002')).mode & 0o777).toBe(0o600);
  });
});
