import { describe, expect, it } from 'vitest';
import { plainText, stringEdits, wholeWrite } from '../src/hooks/fileEdit.js';

const path = '/w/a.txt';

describe('an edit of parts of a file', () => {
  it.each([
    ['one part', 'one\ntwo\n', [{ before: 'two', after: 'TWO' }], 'one\nTWO\n'],
    [
      'several parts, one after the other',
      'a b\n',
      [
        { before: 'a', after: 'b' },
        { before: 'b b', after: 'c' },
      ],
      'c\n',
    ],
    ['each occurrence', 'two\ntwo\n', [{ before: 'two', after: '$& $1', isEach: true }], '$& $1\n$& $1\n'],
    [
      'a file with CRLF, as text with LF',
      'one\r\ntwo\r\n',
      [{ before: 'one\ntwo', after: 'one\r\nTWO' }],
      'one\nTWO\n',
    ],
    ['a file with a byte order mark', '\ufeffone\n', [{ before: 'one', after: 'ONE' }], '\ufeffONE\n'],
    ['a removed line', 'one\ntwo\n', [{ before: 'two', after: '', takesLineEnd: true }], 'one\n'],
    ['a removed word', 'one two three\n', [{ before: ' two', after: '', takesLineEnd: true }], 'one three\n'],
    ['a removed line with its end', 'a\n\nb\n', [{ before: 'a\n', after: '', takesLineEnd: true }], '\nb\n'],
    ['a file that does not exist', undefined, [{ before: '', after: 'new\n' }], 'new\n'],
    ['an empty file', '', [{ before: '', after: 'new\n' }], 'new\n'],
  ])('changes %s', (_case, before, edits, after) => {
    expect(stringEdits(path, edits).apply(before)).toBe(after);
  });

  it.each([
    ['a text that is not there', 'one\n', { before: 'two', after: 'TWO' }],
    ['a text that is there twice', 'two two\n', { before: 'two', after: 'TWO' }],
    ['a file that does not exist', undefined, { before: 'two', after: 'TWO' }],
    ['a new file that exists', 'one\n', { before: '', after: 'TWO' }],
  ])('is refused for %s', (_case, before, edit) => {
    expect(stringEdits(path, [edit]).apply(before)).toBeUndefined();
  });
});

it('writes a whole file as it is', () => {
  expect(wholeWrite(path, 'x\r\ny').apply('before')).toBe('x\r\ny');
  expect(wholeWrite(path, '').apply(undefined)).toBe('');
});

it('compares texts with LF and without a byte order mark', () => {
  expect(plainText('\ufeffone\r\ntwo\rthree')).toEqual({ bom: '\ufeff', text: 'one\ntwo\rthree' });
});
