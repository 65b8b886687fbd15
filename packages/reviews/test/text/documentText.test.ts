import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inFileForm, toDocumentText, toFileText } from '../../src/text/documentText.js';
import { linedText } from './textArbitraries.js';

/** A document as the user can edit it: no carriage return, and no byte order mark. */
const edited = linedText.map(toDocumentText);

describe('a file as a document', () => {
  test('has lines that end in \\n, and no byte order mark', () => {
    expect(toDocumentText('\uFEFFa\r\nb\rc\n\r\n')).toBe('a\nb\nc\n\n');
  });

  test('is restored byte for byte when nothing was edited', () => {
    fc.assert(
      fc.property(linedText, (file) => {
        expect(toFileText(toDocumentText(file), file)).toBe(file);
      }),
    );
  });

  test('contains the exact edited text', () => {
    fc.assert(
      fc.property(edited, linedText, (text, file) => {
        expect(toDocumentText(toFileText(text, file))).toBe(text);
      }),
    );
  });

  test('keeps its byte order mark and its own line ends in what is added', () => {
    expect(toFileText('a\nnew\nb\n', '\uFEFFa\r\nb\r\n')).toBe('\uFEFFa\r\nnew\r\nb\r\n');
    expect(toFileText('a\nnew', 'a\rb\r')).toBe('a\rnew');
    expect(toFileText('', '\uFEFFa\r\n')).toBe('\uFEFF');
  });

  test('keeps the end of each line where they are mixed', () => {
    expect(toFileText('a\nB\nnew\nc\nd', 'a\r\nb\nc\rd')).toBe('a\r\nB\nnew\nc\rd');
  });

  test('ends as in the edited text', () => {
    expect(toFileText('a\nb', 'a\r\nb\n')).toBe('a\r\nb');
    expect(toFileText('a\nb\n', 'a\r\nb\rc')).toBe('a\r\nb\r');
    expect(toFileText('a\n', 'a')).toBe('a\n');
  });
});

describe('the text of an agent in the form of its file', () => {
  test.each([
    ['CRLF', 'a\nB\nnew\n', 'a\r\nb\r\n', 'a\r\nB\r\nnew\r\n'],
    ['CR', 'a\nB\n', 'a\rb\r', 'a\rB\r'],
    ['mixed line ends', 'a\nB\nc\n', 'a\r\nb\nc\r\n', 'a\r\nB\nc\r\n'],
    ['a byte order mark', 'a\nB', '\uFEFFa\nb\n', '\uFEFFa\nB'],
    ['a byte order mark and CRLF', '\uFEFFB\n', '\uFEFFa\r\n', '\uFEFFB\r\n'],
  ])('keeps %s', (_form, text, file, written) => {
    expect(inFileForm(text, file)).toBe(written);
  });

  test('keeps other line ends and a byte order mark that the agent chose', () => {
    expect(inFileForm('a\r\nb\r\n', 'a\n')).toBe('a\r\nb\r\n');
    expect(inFileForm('a\rb\n', 'a\r\n')).toBe('a\rb\n');
    expect(inFileForm('\uFEFFa\n', 'a\n')).toBe('\uFEFFa\n');
  });

  test('is empty if the text is empty, and the text itself for a new file', () => {
    expect(inFileForm('', '\uFEFFa\r\n')).toBe('');
    expect(inFileForm('a\nb', '')).toBe('a\nb');
  });

  test('has the lines of the text', () => {
    fc.assert(
      fc.property(linedText, linedText, (text, file) => {
        expect(toDocumentText(inFileForm(text, file))).toBe(toDocumentText(text));
      }),
    );
  });
});
