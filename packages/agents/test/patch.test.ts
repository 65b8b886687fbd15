import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyChunks } from '../src/hooks/applyChunks.js';
import { formatPatch, type PatchOperation, parsePatch, writing } from '../src/hooks/patch.js';

const patchOf = (...lines: readonly string[]): string =>
  ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

/** The file after a patch that updates it. */
function update(file: string, ...lines: readonly string[]): string | undefined {
  const [operation] = parsePatch(patchOf('*** Update File: a.txt', ...lines)) ?? [];
  return operation?.kind === 'update' ? applyChunks(file, operation.chunks) : undefined;
}

describe('a patch', () => {
  it('has one operation for each file', () => {
    const patch = patchOf(
      '*** Add File: new.txt',
      '+one',
      '+',
      '*** Delete File: old folder/old.txt',
      '*** Update File: a.txt',
      '*** Move to: b.txt',
      '@@ class A',
      ' kept',
      '',
      '-removed',
      '+added',
      '@@',
      '+last',
      '*** End of File',
    );
    const operations = [
      { kind: 'add', path: 'new.txt', content: 'one\n\n' },
      { kind: 'delete', path: 'old folder/old.txt' },
      {
        kind: 'update',
        path: 'a.txt',
        moveTo: 'b.txt',
        chunks: [
          {
            anchor: 'class A',
            lines: [
              { kind: 'kept', text: 'kept' },
              { kind: 'kept', text: '' },
              { kind: 'removed', text: 'removed' },
              { kind: 'added', text: 'added' },
            ],
          },
          { lines: [{ kind: 'added', text: 'last' }], isAtEnd: true },
        ],
      },
    ];
    expect(parsePatch(patch)).toEqual(operations);
    expect(parsePatch(`\n${patch.replaceAll('\n', '\r\n')} \n`)).toEqual(operations);
    expect(parsePatch(formatPatch(operations as readonly PatchOperation[]))).toEqual(operations);
  });

  it.each([
    ['nothing', ''],
    ['no operation', patchOf()],
    ['no end', '*** Begin Patch\n*** Delete File: a.txt'],
    ['a shell around it', `<<'EOF'\n${patchOf('*** Delete File: a.txt')}\nEOF`],
    ['an end within', patchOf('*** Delete File: a.txt', '*** End Patch', '*** Delete File: b.txt')],
    ['an unknown operation', patchOf('*** Environment ID: x', '*** Delete File: a.txt')],
    ['no path', patchOf('*** Delete File: ')],
    ['lines of a deleted file', patchOf('*** Delete File: a.txt', '-one')],
    ['a line of a new file without its sign', patchOf('*** Add File: a.txt', 'one')],
    ['an update without lines', patchOf('*** Update File: a.txt')],
    ['a move without lines', patchOf('*** Update File: a.txt', '*** Move to: b.txt')],
    ['a chunk without lines', patchOf('*** Update File: a.txt', '@@', '@@', '-one')],
    ['a line without a sign', patchOf('*** Update File: a.txt', '@@', 'one')],
    ['lines after the end of the file', patchOf('*** Update File: a.txt', '-one', '*** End of File', '-two')],
  ])('is refused with %s', (_what, patch) => {
    expect(parsePatch(patch)).toBeUndefined();
  });
});

describe('an update', () => {
  it.each([
    ['replaces lines', 'one\ntwo\nthree\n', ['@@', ' one', '-two', '+TWO'], 'one\nTWO\nthree\n'],
    ['begins without a marker', 'one\n', ['-one', '+ONE'], 'ONE\n'],
    ['continues after the chunk before', 'a\nb\na\n', ['@@', ' b', '@@', '-a', '+A'], 'a\nb\nA\n'],
    ['continues after the anchor', 'a\nb\na\n', ['@@ b', '-a', '+A'], 'a\nb\nA\n'],
    ['replaces the last lines', 'a\nb\na\n', ['@@', '-a', '+A', '*** End of File', ''], 'a\nb\nA\n'],
    ['appends lines that have no place', 'a\nb\n', ['@@ a', '+c'], 'a\nb\nc\n'],
    ['ends the last line', 'one\ntwo', ['@@', '-one', '+ONE'], 'ONE\ntwo\n'],
    ['fills an empty file', '', ['@@', '+one'], 'one\n'],
    ['empties a file', 'one\n', ['@@', '-one'], ''],
    ['takes an empty line at its end for a line end', 'a\nb', ['@@', '-b', '+B', ''], 'a\nB\n'],
    ['takes a removed empty line likewise', 'a\nb\n', ['@@', '-b', '-', '+B', '+'], 'a\nB\n'],
    ['ignores white space', '\tone \ntwo\n', ['@@', ' one', '-  two', '+TWO'], '\tone \nTWO\n'],
    ['ignores typographic signs', '“a” — b\nc\n', ['@@', ' "a" - b', '-c', '+C'], '“a” — b\nC\n'],
    ['prefers an exact line', 'a \na\n', ['@@', '-a', '+A'], 'a \nA\n'],
    ['keeps CRLF', 'one\r\ntwo\r\n', ['@@', '-one', '+ONE', '+more'], 'ONE\r\nmore\r\ntwo\r\n'],
    ['ends lines like the first one', 'one\rtwo\nthree', ['@@', '-two', '+TWO'], 'one\rTWO\rthree\r'],
    ['keeps a byte order mark', '\ufeffone\ntwo\n', ['@@', '-two', '+TWO'], '\ufeffone\nTWO\n'],
  ])('%s', (_case, file, lines, changed) => {
    expect(update(file, ...lines)).toBe(changed);
  });

  it.each([
    ['lines that are not there', 'one\n', ['@@', '-two']],
    ['lines before the chunk before', 'a\nb\n', ['@@', '-b', '@@', '-a']],
    ['an anchor that is not there', 'a\n', ['@@ b', '-a']],
    ['lines that are not the last ones', 'a\nb\n', ['@@', '-a', '*** End of File']],
    ['more lines than the file has', 'a\n', ['@@', ' a', ' b']],
    ['a byte order mark before the line', '\ufeffone\n', ['@@', '-one']],
    ['chunks that overlap', 'a\n', ['@@', '-a', '*** End of File', '@@', '-a', '*** End of File']],
  ])('is refused for %s', (_case, file, lines) => {
    expect(update(file, ...lines)).toBeUndefined();
  });

  it('finds a chunk also in a large file', () => {
    const file = Array.from({ length: 200_000 }, (_, at) => `line ${at}\n`).join('');
    expect(update(file, '@@', '-  line 199999', '+last')?.endsWith('line 199998\nlast\n')).toBe(true);
  });
});

describe('the operation that writes a text', () => {
  const lineEnd = fc.constantFrom('\n', '\n', '\r\n', '\r');
  const line = fc.constantFrom(
    '',
    'a',
    ' a ',
    '+a',
    '-a',
    '@@',
    '*** End Patch',
    '*** Add File: b',
    '\ufeffa',
    'a\u0085',
  );
  const text = fc
    .array(fc.tuple(line, lineEnd), { maxLength: 8 })
    .map((lines) => lines.map((parts) => parts.join('')).join(''));
  const path = 'a.txt';
  const result = (operation: PatchOperation, file: string | undefined): string | undefined =>
    operation.kind === 'add'
      ? operation.content
      : operation.kind === 'update'
        ? applyChunks(file ?? '', operation.chunks)
        : undefined;

  it('writes exactly this text over any file', () => {
    fc.assert(
      fc.property(fc.option(text, { nil: undefined }), text, (file, wanted) => {
        const operation = writing(path, file, wanted);
        if (operation === undefined) return;
        const parsed = parsePatch(formatPatch([operation]));
        expect(parsed).toEqual([operation]);
        expect(result(operation, file)).toBe(wanted);
      }),
    );
  });

  it('exists for each text with LF, and for one with CRLF over a file with CRLF', () => {
    const lines = fc.array(line, { maxLength: 8 });
    fc.assert(
      fc.property(lines, lines, fc.constantFrom('\n', '\r\n'), (old, wanted, end) => {
        const [file, content] = [old, wanted].map((all) => all.map((each) => each + end).join(''));
        if (end === '\n' || old.length > 0) expect(writing(path, file, content ?? '')).toBeDefined();
      }),
    );
  });

  it.each([
    ['a text without an end of its last line', 'one\n', 'two'],
    ['a new file with CRLF', undefined, 'two\r\n'],
    ['CRLF over a file with LF', 'one\n', 'two\r\n'],
  ])('does not exist for %s', (_what, file, wanted) => {
    expect(writing(path, file, wanted)).toBeUndefined();
  });
});
