import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileState } from '../src/fileState.js';
import { Scanned } from './support/scanned.js';

type Step =
  | { readonly do: 'write' | 'append' | 'sameSize'; readonly at: string; readonly text: string }
  | { readonly do: 'remove' | 'folder' | 'touch'; readonly at: string }
  | { readonly do: 'mode'; readonly at: string; readonly mode: number }
  | { readonly do: 'link' | 'rename'; readonly at: string; readonly to: string }
  | { readonly do: 'look' | 'restart' | 'kill' | 'read' }
  | { readonly do: 'hint'; readonly at: string };

const path = fc.constantFrom('a', 'b', 'a/x', 'b/x', 'a/x/deep', 'ü/ß.txt');
const text = fc.string({ maxLength: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('write', 'append', 'sameSize'), at: path, text }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('remove', 'folder', 'touch'), at: path }) },
  fc.record({ do: fc.constant('mode'), at: path, mode: fc.constantFrom(0o600, 0o644, 0o755) }),
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('link', 'rename'), at: path, to: path }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('look', 'look', 'restart', 'kill', 'read') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('hint'), at: path }) },
) as fc.Arbitrary<Step>;

/** What a folder contains, found in the simplest way. */
function statesIn(root: string): Map<string, FileState> {
  const states = new Map<string, FileState>();
  // With only names, a recursive listing would follow links to folders.
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const full = join(entry.parentPath, entry.name);
    const name = relative(root, full);
    const stats = lstatSync(full);
    if (stats.isSymbolicLink()) states.set(name, { kind: 'link', target: readlinkSync(full) });
    if (!stats.isFile()) continue;
    const bytes = readFileSync(full);
    const hash = createHash('sha256').update(bytes).digest('hex');
    states.set(name, { kind: 'file', hash, size: bytes.length, mode: stats.mode & 0o7777, isStored: true });
  }
  return states;
}

/** Does a step as far as the folder permits it: a path may be a folder, or below a file. */
function change(root: string, todo: Step): void {
  if (!('at' in todo)) return;
  const full = join(root, todo.at);
  const put = (content: string): void => {
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
  };
  try {
    if (lstatSync(full).isSymbolicLink() && todo.do !== 'rename') rmSync(full);
  } catch {
    // Nothing is there.
  }
  try {
    if (todo.do === 'write') put(todo.text);
    else if (todo.do === 'append') appendFileSync(full, todo.text);
    else if (todo.do === 'sameSize') {
      const { size, atime, mtime } = lstatSync(full);
      writeFileSync(full, todo.text.padEnd(size, '.').slice(0, size));
      utimesSync(full, atime, mtime);
    } else if (todo.do === 'remove') rmSync(full, { recursive: true, force: true });
    else if (todo.do === 'touch') utimesSync(full, 1, 1);
    else if (todo.do === 'folder') {
      rmSync(full, { recursive: true, force: true });
      mkdirSync(full, { recursive: true });
      writeFileSync(join(full, 'inside'), 'inside');
    } else if (todo.do === 'mode') {
      if (lstatSync(full).isFile()) chmodSync(full, todo.mode);
    } else if (todo.do === 'link') symlinkSync(todo.to, full);
    else if (todo.do === 'rename') renameSync(full, join(root, todo.to));
  } catch {
    // The folder does not permit it.
  }
}

describe('any sequence of changes', () => {
  it('is reported exactly: each look says what differs, with the states before and after and their bytes', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const scanned = new Scanned();
        writeFileSync(join(scanned.root, 'a'), 'first');
        const { root } = scanned;
        expect(scanned.look()).toEqual([]);
        scanned.readAll();
        const known = statesIn(root);
        const contents = new Map<string, string>();
        const look = (hints?: readonly string[]): void => {
          const actual = statesIn(root);
          const changes = scanned.look(hints);
          expect(new Set(changes.map((each) => each.path)).size).toBe(changes.length);
          for (const { path: at, before, after, notBefore, changedAt } of changes) {
            expect(before).toEqual(known.get(at) ?? { kind: 'missing' });
            expect(after).toEqual(actual.get(at) ?? { kind: 'missing' });
            expect(before).not.toEqual(after);
            expect(notBefore).toBeGreaterThan(0);
            expect(changedAt === undefined).toBe(after.kind === 'missing');
            if (after.kind === 'file') contents.set(after.hash, readFileSync(join(root, at), 'latin1'));
            if (after.kind === 'missing') known.delete(at);
            else known.set(at, after);
          }
          if (hints === undefined) expect(known).toEqual(actual);
          for (const at of hints ?? []) expect(known.get(at)).toEqual(actual.get(at));
        };
        for (const todo of [...steps, { do: 'look' } as const]) {
          change(root, todo);
          if (todo.do === 'look') look();
          if (todo.do === 'hint') look([todo.at]);
          if (todo.do === 'read') scanned.readAll();
          if (todo.do === 'restart') scanned.restart();
          if (todo.do === 'kill') {
            // The first takes what was reported, so that it is not reported again.
            look();
            look();
            scanned.killAndRestart();
          }
        }
        for (const [hash, content] of contents) {
          const bytes = scanned.scan.answer({ kind: 'content', hash }) as Uint8Array;
          expect(Buffer.from(bytes).toString('latin1')).toBe(content);
        }
      }),
      { numRuns: 150 },
    );
  });
});
