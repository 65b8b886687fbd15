import { type AgentWriting, describeWritten, type FileContent, writtenText } from '@tandem/reviews';
import { describe, expect, test } from 'vitest';

const file = (text: string): FileContent => ({ kind: 'text', text });
const anyCrlf: AgentWriting = { lineEnds: 'anyCrlf' };
const mostlyCrlf: AgentWriting = { lineEnds: 'mostlyCrlf' };

describe('the text that an agent writes', () => {
  test('has CRLF everywhere if the file has it anywhere, or in most lines', () => {
    expect(writtenText('a\nb\n', file('a\nx\r\ny\n'), anyCrlf)).toBe('a\r\nb\r\n');
    expect(writtenText('a\nb\n', file('a\nx\r\ny\n'), mostlyCrlf)).toBe('a\nb\n');
    expect(writtenText('a\nb\r\n', file('a\r\nx\r\ny\n'), mostlyCrlf)).toBe('a\r\nb\r\n');
    expect(writtenText('a\nb\n', file('a\rx\r'), anyCrlf)).toBe('a\nb\n');
  });

  test('is the text itself for other agents, and for a file that is not text or does not exist', () => {
    expect(writtenText('a\n', file('a\r\nb\r\n'), {})).toBe('a\n');
    expect(writtenText('a\n', { kind: 'missing' }, anyCrlf)).toBe('a\n');
    expect(writtenText('a\n', { kind: 'binary', size: 3 }, anyCrlf)).toBe('a\n');
  });

  test('has the byte order mark of the file if the agent keeps it', () => {
    expect(writtenText('b\n', file('\uFEFFa\n'), { keepsBom: true })).toBe('\uFEFFb\n');
    expect(writtenText('\uFEFFb\n', file('\uFEFFa\n'), { keepsBom: true })).toBe('\uFEFFb\n');
    expect(writtenText('b\n', file('a\n'), { keepsBom: true })).toBe('b\n');
    expect(writtenText('b\n', file('\uFEFFa\n'), {})).toBe('b\n');
  });
});

describe('the differences that an agent writes', () => {
  const dos = file('\uFEFFa\r\nb\r\n');

  test('exclude the line ends and the byte order mark that the agent restores', () => {
    expect(describeWritten('A\nb\n', dos, { lineEnds: 'anyCrlf', keepsBom: true })).toEqual({});
    expect(describeWritten('A\nb\n', dos, { lineEnds: 'file' })).toEqual({});
    expect(describeWritten('A\nb\n', dos, anyCrlf)).toEqual({ bom: 'removed' });
    expect(describeWritten('A\nb\n', dos, {})).toEqual({
      bom: 'removed',
      lineEnds: { from: 'crlf', to: 'lf' },
    });
  });

  test('include those that it makes by itself', () => {
    expect(describeWritten('A\nb\n', file('a\r\nb\n'), anyCrlf)).toEqual({
      lineEnds: { from: 'mixed', to: 'crlf' },
    });
    expect(describeWritten('A\r\n', file('a\n'), anyCrlf)).toEqual({ lineEnds: { from: 'lf', to: 'crlf' } });
  });

  test('name the line ends that it writes only if it overwrites the file, unless the text shows an edit', () => {
    const either: AgentWriting = { lineEnds: 'mostlyCrlf', overwritesLineEnds: true, keepsBom: true };
    expect(describeWritten('A\nb\n', dos, either)).toEqual({ overwritten: 'lf' });
    expect(describeWritten('\uFEFFA\nb\n', dos, either)).toEqual({});
    expect(describeWritten('A\nb\n', file('a\nb\n'), either)).toEqual({});
  });
});
