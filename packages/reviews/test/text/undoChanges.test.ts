import { type FileChange, type FileContent, finish, standingChanges, undoChanges } from '@tandem/reviews';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const text = (content: string): FileContent => ({ kind: 'text', text: content });
const missing: FileContent = { kind: 'missing' };
const change = (before: FileContent, after: FileContent): FileChange => ({ before, after });

describe('taking back changes of a file', () => {
  test('gives the earlier text if nothing else changed the file', () => {
    const changes = [change(text('a\r\n'), text('b\n')), change(text('b\n'), text('c'))];
    expect(undoChanges(changes, text('c'))).toEqual({ kind: 'restored', content: text('a\r\n') });
  });

  test('removes a file that the change created, unless it has been changed since', () => {
    const created = [change(missing, text('new\n'))];
    expect(undoChanges(created, text('new\n'))).toEqual({ kind: 'restored', content: missing });
    expect(undoChanges(created, text('new\nmine\n'))).toEqual({ kind: 'changed' });
    expect(undoChanges(created, missing)).toEqual({ kind: 'nothing' });
  });

  test('creates a file again that was removed', () => {
    expect(undoChanges([change(text('a\n'), missing)], missing)).toEqual({
      kind: 'restored',
      content: text('a\n'),
    });
    expect(undoChanges([change(text('a\n'), text('b\n'))], missing)).toEqual({
      kind: 'restored',
      content: text('a\n'),
    });
  });

  test('keeps what was changed elsewhere before, between and after', () => {
    const lines = (...marks: string[]) => text(`${marks.join('\n\n\n')}\n`);
    const changes = [
      change(lines('a', 'b', 'c', 'd'), lines('A', 'b', 'c', 'd')),
      // Another program wrote line c.
      change(lines('A', 'b', 'mine', 'd'), lines('A', 'B', 'mine', 'd')),
    ];
    expect(undoChanges(changes, lines('A', 'B', 'mine', 'also mine'))).toEqual({
      kind: 'merged',
      content: lines('a', 'b', 'mine', 'also mine'),
    });
  });

  test('shows a conflict on the same lines with both versions', () => {
    const found = undoChanges([change(text('a\n'), text('b\n'))], text('mine\n'));
    expect(found).toMatchObject({ kind: 'conflict', conflicts: 1 });
    expect(found).toHaveProperty(
      'text',
      expect.stringMatching(/<<<<<<< the earlier text\na\n=+\nmine\n>>>>>>> the file/),
    );
  });

  test('does nothing if the changes are not in the file, and cannot restore bytes', () => {
    expect(undoChanges([change(text('a'), text('b'))], text('a'))).toEqual({ kind: 'nothing' });
    expect(undoChanges([], text('a'))).toEqual({ kind: 'nothing' });
    expect(undoChanges([change({ kind: 'binary', size: 3 }, text('b'))], text('b'))).toEqual({
      kind: 'binary',
      which: 'before',
    });
    expect(undoChanges([change(text('a'), text('b'))], { kind: 'binary', size: 3 })).toEqual({
      kind: 'binary',
      which: 'now',
    });
  });

  test('a restoration can be undone, and never loses a line that only the file has', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 6 });
    const content = words.map((each) => each.map((word) => `${word}\n`).join(''));
    fc.assert(
      fc.property(content, content, content, (before, after, own) => {
        const file = `${own}own line\n`;
        const found = undoChanges([change(text(before), text(after))], text(file));
        if (found.kind === 'nothing') return;
        const now =
          found.kind === 'conflict'
            ? found.text
            : 'content' in found && found.content.kind === 'text' && found.content.text;
        expect(now).toContain('own line\n');
        if (found.kind !== 'merged' && found.kind !== 'restored') return;
        expect(undoChanges([change(text(file), found.content)], found.content)).toEqual({
          kind: 'restored',
          content: text(file),
        });
      }),
    );
  });
});

describe('what is not text', () => {
  const [one, two, three] = ['1', '2', '3'].map((is): FileContent => ({ kind: 'binary', size: 1, is }));
  const plain = text('a\n');

  test.each([
    ['the version before', [{ before: one, after: two }], two, one],
    [
      'the version before several',
      [
        { before: one, after: two },
        { before: two, after: three },
      ],
      three,
      one,
    ],
    ['a file that was removed', [{ before: one, after: missing }], missing, one],
    ['no file, if it was created', [{ before: missing, after: one }], one, missing],
    ['a text that was replaced', [{ before: plain, after: one }], one, plain],
    ['what a text has replaced', [{ before: one, after: plain }], plain, one],
  ])('is undone to %s', (_, changes, now, content) => {
    expect(undoChanges(changes as FileChange[], now as FileContent)).toEqual({ kind: 'restored', content });
    expect(finish(standingChanges(changes as FileChange[], now as FileContent))).toEqual({
      kind: 'all',
      before: content,
    });
  });

  test.each([
    ['another version', [{ before: one, after: two }], three],
    ['a text', [{ before: one, after: two }], plain],
    ['another text than the one in its place', [{ before: one, after: text('b\n') }], plain],
  ])('is not undone over %s', (_, changes, now) => {
    expect(undoChanges(changes as FileChange[], now as FileContent)).toEqual({
      kind: 'binary',
      which: 'changed',
    });
    expect(finish(standingChanges(changes as FileChange[], now as FileContent)).kind).toBe('unknown');
  });
});

describe('permissions', () => {
  const file = (text: string, mode?: number): FileContent => ({ kind: 'text', text, mode });

  test.each([
    ['alone', [{ before: file('a', 6), after: file('a', 7) }], file('a', 7), file('a', 6)],
    ['with the text', [{ before: file('a', 6), after: file('b', 7) }], file('b', 7), file('a', 6)],
    ['of a removed file', [{ before: file('a', 6), after: missing }], missing, file('a', 6)],
    [
      'unless something else changed them',
      [{ before: file('a', 6), after: file('b', 7) }],
      file('b', 5),
      file('a', 5),
    ],
    [
      'over several changes',
      [
        { before: file('a', 6), after: file('a', 7) },
        { before: file('a', 7), after: file('b', 5) },
      ],
      file('b', 5),
      file('a', 6),
    ],
  ])('are undone %s', (_, changes, now, content) => {
    expect(undoChanges(changes, now)).toEqual({ kind: 'restored', content });
    expect(finish(standingChanges(changes, now))).toEqual({ kind: 'all', before: content });
  });

  test('are not undone twice', () => {
    const changes = [{ before: file('a', 6), after: file('a', 7) }];
    expect(undoChanges(changes, file('a', 6))).toEqual({ kind: 'nothing' });
    expect(finish(standingChanges(changes, file('a', 6))).kind).toBe('none');
  });
});
