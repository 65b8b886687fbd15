import {
  computeHunks,
  countLines,
  type FileChange,
  type FileContent,
  type StandingChanges,
  standingChanges,
  undoChanges,
} from '@tandem/reviews';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../src/text/steps.js';

const text = (content: string, encoding?: string): FileContent => ({ kind: 'text', text: content, encoding });
const missing: FileContent = { kind: 'missing' };
const binary: FileContent = { kind: 'binary', size: 3 };
const lined = (...lines: readonly string[]): FileContent => text(lines.map((line) => `${line}\n`).join(''));
const linesOf = (content: FileContent): string[] =>
  content.kind === 'text' ? content.text.split('\n').slice(0, -1) : [];

const find = (changes: readonly FileChange[], file: FileContent): StandingChanges =>
  finish(standingChanges(changes, file));
const step = (before: FileContent, after: FileContent): FileChange => ({ before, after });

/** What the view of a list shows: the counts of its diff. */
function counts(changes: readonly FileChange[], file: FileContent): string {
  const { before } = find(changes, file);
  const textOf = (content: FileContent): string => (content.kind === 'text' ? content.text : '');
  const { added, removed } = countLines(computeHunks(textOf(before), textOf(file)));
  return `+${added} -${removed}`;
}

describe('what stands of changes', () => {
  const own = step(lined('a', 'b', 'c', 'd', 'e'), lined('a', 'B', 'c', 'd', 'e'));

  it('is all of them if nothing else changed the file', () => {
    expect(find([own], own.after)).toEqual({ kind: 'all', before: own.before });
  });

  it('leaves out what was written elsewhere before, between and after', () => {
    const second = step(lined('0', 'a', 'B', 'c', 'd', 'e'), lined('0', 'a', 'B', 'c', 'd', 'E'));
    const file = lined('0', 'a', 'B', 'c', 'mine', 'd', 'E', 'end');
    const found = find([own, second], file);
    expect(found).toEqual({ kind: 'all', before: lined('0', 'a', 'b', 'c', 'mine', 'd', 'e', 'end') });
    expect(counts([own, second], file)).toBe('+2 -2');
  });

  it.each([
    ['was replaced', lined('a', 'mine', 'c', 'd', 'e'), 'some', '+0 -0'],
    ['was partly replaced', lined('a', 'B', 'mine', 'd', 'e'), 'all', '+1 -1'],
    ['was undone by hand', own.before, 'none', '+0 -0'],
    ['was undone by hand, with another line', lined('a', 'b', 'c', 'd', 'e', 'f'), 'none', '+0 -0'],
    ['was deleted with its file', missing, 'deleted', '+0 -0'],
    ['cannot be seen', binary, 'unknown', '+0 -0'],
  ] as const)('is not what %s', (_how, file, kind, shown) => {
    expect(find([own], file).kind).toBe(kind);
    expect(counts([own], file)).toBe(shown);
  });

  it('keeps the other lines of a change of which one was changed again', () => {
    const added = step(lined('a', 'e'), lined('a', 'one', 'two', 'three', 'e'));
    const file = lined('a', 'one', 'mine', 'three', 'e');
    expect(find([added], file)).toEqual({ kind: 'some', before: lined('a', 'mine', 'e') });
    const rewritten = step(lined('a', 'b', 'e'), lined('a', 'one', 'two', 'three', 'e'));
    expect(find([rewritten], file)).toEqual({ kind: 'some', before: lined('a', 'b', 'mine', 'e') });
  });

  it('does not count a deletion at which another line was inserted, and counts one beside another change', () => {
    const deleted = step(lined('a', 'b', 'c'), lined('a', 'c'));
    expect(find([deleted], lined('a', 'mine', 'c'))).toEqual({
      kind: 'some',
      before: lined('a', 'mine', 'c'),
    });
    expect(find([deleted], lined('mine', 'c'))).toEqual({ kind: 'all', before: lined('mine', 'b', 'c') });
    expect(find([deleted], lined('a', 'mine'))).toEqual({ kind: 'all', before: lined('a', 'b', 'mine') });
    expect(find([deleted], lined('mine'))).toEqual({ kind: 'some', before: lined('mine') });
  });

  it('is a new file until others write to it, then the lines of the agent', () => {
    const created = step(missing, lined('one', 'two'));
    expect(find([created], lined('one', 'two'))).toEqual({ kind: 'all', before: missing });
    expect(find([created], lined('one', 'two', 'mine'))).toEqual({ kind: 'all', before: lined('mine') });
    expect(find([created], lined('two'))).toEqual({ kind: 'some', before: missing });
    expect(find([created], lined('other'))).toEqual({ kind: 'some', before: lined('other') });
    expect(find([created], missing).kind).toBe('none');
    const again = [created, step(lined('one', 'two'), missing), step(missing, lined('new'))];
    expect(find(again, lined('new'))).toEqual({ kind: 'all', before: missing });
    expect(find(again.slice(0, 2), lined('mine')).kind).toBe('none');
  });

  it('includes line ends, byte order mark, final line end and encoding', () => {
    const crlf = step(text('\uFEFFa\r\nb\r\n', 'UTF-16 LE'), text('a\nB'));
    expect(find([crlf], crlf.after).before).toEqual(crlf.before);
    expect(find([crlf], text('a\nB\nmine\n')).before).toEqual(text('\uFEFFa\r\nb\r\nmine\r\n', 'UTF-16 LE'));
    const kept = step(text('a\r\nb'), text('a\r\nB'));
    expect(find([kept], text('0\r\na\r\nB')).before).toEqual(text('0\r\na\r\nb'));
    expect(find([step(text('é\n', 'latin1'), text('É\n', 'latin1'))], text('É\nx\n')).before).toMatchObject({
      encoding: undefined,
    });
  });

  it('is unknown if the file was not text before', () => {
    expect(find([step(binary, lined('a'))], lined('a'))).toEqual({ kind: 'unknown', before: binary });
  });
});

/** Edits of one file by several authors: each replaces, removes or inserts lines that no other line equals. */
interface Edit {
  readonly author: 'one' | 'two' | 'user';
  readonly at: number;
  readonly removed: number;
  readonly added: number;
}

const edits = fc.array(
  fc.record<Edit>({
    author: fc.constantFrom('one', 'two', 'user'),
    at: fc.nat(),
    removed: fc.nat(3),
    added: fc.nat(3),
  }),
  { maxLength: 8 },
);

/** Applies edits. Gives the final file, and the changes that each author made. */
function play(first: readonly string[], all: readonly Edit[]) {
  const changes = { one: [] as FileChange[], two: [] as FileChange[], user: [] as FileChange[] };
  let lines = [...first];
  for (const [number, { author, at, removed, added }] of all.entries()) {
    const next = lines.toSpliced(
      at % (lines.length + 1),
      removed,
      ...Array.from({ length: added }, (_, index) => `${author} ${number}.${index}`),
    );
    changes[author].push(step(lined(...lines), lined(...next)));
    lines = next;
  }
  return { changes, file: lined(...lines), lines };
}

const start = Array.from({ length: 12 }, (_, at) => `line ${at}`);

describe('what stands of the changes of several authors', () => {
  it('never counts a line of another, and leaves those of others untouched', () => {
    fc.assert(
      fc.property(edits, (all) => {
        const { changes, file, lines } = play(start, all);
        for (const author of ['one', 'two'] as const) {
          const { before } = find(changes[author], file);
          const inBefore = new Set(linesOf(before));
          const others = lines.filter((line) => !line.startsWith(author));
          expect(linesOf(before).filter((line) => lines.includes(line) && !line.startsWith(author))).toEqual(
            others,
          );
          // What it shows as removed was removed by this author.
          const gone = [...inBefore].filter((line) => !lines.includes(line));
          const removable = new Set(changes[author].flatMap((each) => linesOf(each.before)));
          expect(gone.every((line) => removable.has(line))).toBe(true);
        }
      }),
    );
  });

  it('is together everything that was changed, if each keeps to lines of its own', () => {
    const authors = ['one', 'two', 'user'] as const;
    const versions = fc.array(fc.tuple(fc.nat(2), fc.nat(3), fc.nat(2)), { maxLength: 12 });
    fc.assert(
      fc.property(versions, (all) => {
        // Each author writes every third block; a line between two blocks is never changed.
        const blocks = Array.from({ length: 12 }, (_, at) => [`block ${at}`]);
        const lines = () => blocks.flatMap((block, at) => [...block, `border ${at}`]);
        const changes = { one: [] as FileChange[], two: [] as FileChange[], user: [] as FileChange[] };
        const first = lined(...lines());
        for (const [number, [who, block, count]] of all.entries()) {
          const author = authors[who] ?? 'user';
          const before = lined(...lines());
          blocks[block * 3 + who] = Array.from({ length: count }, (_, at) => `${author} ${number}.${at}`);
          changes[author].push(step(before, lined(...lines())));
        }
        const file = lined(...lines());
        const total = countLines(computeHunks(linesText(first), linesText(file)));
        const sum = { added: 0, removed: 0 };
        let rest = file;
        for (const author of authors) {
          const { before, kind } = find(changes[author], file);
          expect(['all', 'none']).toContain(kind);
          const own = countLines(computeHunks(linesText(before), linesText(file)));
          sum.added += own.added;
          sum.removed += own.removed;
          rest = find(changes[author], rest).before;
        }
        expect(sum).toEqual(total);
        expect(rest).toEqual(first);
      }),
    );
  });

  it('is what undoing them would restore', () => {
    fc.assert(
      fc.property(edits, (all) => {
        const { changes, file } = play(start, all);
        for (const author of ['one', 'two'] as const) {
          const [found, undone] = [find(changes[author], file), undoChanges(changes[author], file)];
          if (undone.kind === 'nothing') expect(found).toEqual({ kind: 'none', before: file });
          else if ('content' in undone) expect(found).toEqual({ kind: 'all', before: undone.content });
          else expect(undone.kind).toBe('conflict');
          if (found.kind === 'some') expect(undone.kind).toBe('conflict');
        }
      }),
    );
  });
});

it('a large file is compared in short steps', () => {
  const count = 60_000;
  const lines = Array.from({ length: count }, (_, at) => `line ${at} of a large file`);
  const changed = lines.map((line, at) => (at % 2 === 0 ? line : `changed ${at}`));
  const file = changed.map((line, at) => (at % 100 === 1 ? `mine ${at}` : line));
  let [longest, last] = [0, process.cpuUsage()];
  const steps = standingChanges([step(lined(...lines), lined(...changed))], lined(...file));
  for (let next = steps.next(); !next.done; next = steps.next()) {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, user + system);
    last = process.cpuUsage();
  }
  // In microseconds of all threads; some thousand on an idle machine.
  expect(longest).toBeLessThan(250_000);
  expect(counts([step(missing, lined(...lines))], lined(...lines, 'mine'))).toBe(`+${count} -0`);
});

function linesText(content: FileContent): string {
  return content.kind === 'text' ? content.text : '';
}
