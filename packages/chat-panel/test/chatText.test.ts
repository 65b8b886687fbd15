import { emptyChat } from '@tandem/chat/model';
import { describe, expect, it } from 'vitest';
import { commandItems, mentionItems, queryAt } from '../src/chat/completion.js';
import { hasToken } from '../src/chat/draft.js';
import { exportMarkdown, exportName } from '../src/chat/exportMarkdown.js';
import { safeAddress, splitMarkdown } from '../src/chat/markdown.js';
import { answersOf, choose, noAnswer } from '../src/chat/questionsCard.js';
import { diffRows } from '../src/code/lineDiff.js';

describe('splitting markdown', () => {
  it('gives parts that make the text again', () => {
    const text =
      '# A\n\ntext\nmore\n\n- one\n\n- two\n\n```ts\na\n\nb\n```\n\n> quote\n\n1. one\n\n   still one\n\n2. two\n\nend';
    expect(splitMarkdown(text).join('')).toBe(text);
  });

  it('does not cut within fenced code or between the items of a list', () => {
    expect(splitMarkdown('before\n\n```\na\n\nb\n```\n\nafter')).toEqual([
      'before\n\n',
      '```\na\n\nb\n```\n\n',
      'after',
    ]);
    expect(splitMarkdown('- one\n\n- two\n\n  more of two\n')).toHaveLength(1);
    expect(splitMarkdown('1. one\n\n2. two\n')).toHaveLength(1);
  });

  it('keeps a fence open until one of its own kind and length', () => {
    expect(splitMarkdown('````\n```\n\na\n```\n\nb\n````\n\nend')).toEqual([
      '````\n```\n\na\n```\n\nb\n````\n\n',
      'end',
    ]);
    expect(splitMarkdown('~~~\n```\n\na\n~~~\n\nend').at(-1)).toBe('end');
  });

  it('leaves a text with references whole', () => {
    const text = 'See [this].\n\nMore.\n\n[this]: https://example.org\n';
    expect(splitMarkdown(text)).toEqual([text]);
  });

  it('changes nothing but the last part while a text grows', () => {
    const whole = 'First.\n\nSecond **bold**.\n\n```ts\nconst a = 1;\n\nconst b = 2;\n```\n\nThird.';
    let before: readonly string[] = [];
    for (let length = 1; length <= whole.length; length++) {
      const parts = splitMarkdown(whole.slice(0, length));
      expect(parts.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      before = parts;
    }
    expect(before).toHaveLength(4);
  });
});

describe('links of a message', () => {
  it('lead to http and https alone', () => {
    expect(safeAddress('https://example.org/a')).toBe('https://example.org/a');
    expect(safeAddress('HTTP://example.org')).toBe('http://example.org/');
    for (const address of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      '//example.org',
      'a/b',
      undefined,
    ]) {
      expect(safeAddress(address)).toBeUndefined();
    }
  });

  it('carry no user and password, and show what a lookalike really is', () => {
    expect(safeAddress('https://bank.example@evil.example/')).toBeUndefined();
    expect(safeAddress('https://\u0430pple.com/')).toBe('https://xn--pple-43d.com/');
  });
});

describe('completing', () => {
  it('asks for what the caret stands in', () => {
    expect(queryAt('/com', 4)).toMatchObject({ kind: 'command', text: 'com' });
    expect(queryAt('see @src/a', 10)).toMatchObject({ kind: 'mention', text: 'src/a', from: 4 });
    expect(queryAt('me@example', 10)).toBeUndefined();
    expect(queryAt('do /this', 8)).toBeUndefined();
  });

  it('puts names that begin so first', () => {
    const commands = ['recompress', 'compress', 'clear'].map((name) => ({ name, description: '' }));
    expect(commandItems(commands, 'comp').map(({ insert }) => insert)).toEqual([
      '/compress ',
      '/recompress ',
    ]);
  });

  it('offers the selection first while nothing else can be meant', () => {
    const files = [{ path: '/w/a.ts', label: 'a.ts' }];
    const selection = { path: '/w/b.ts', label: 'b.ts', lines: { first: 2, last: 8 } };
    const keys = (query: string) => mentionItems(files, selection, query).map(({ insert }) => insert);
    expect(keys('')).toEqual(['@b.ts:3-9 ', '@a.ts ']);
    expect(keys('sel')).toEqual(['@b.ts:3-9 ', '@a.ts ']);
    expect(keys('b.ts')).toEqual(['@a.ts ', '@b.ts:3-9 ']);
  });

  it('means a mention only as long as its token stands by itself', () => {
    expect(hasToken('see @a.ts, please', '@a.ts')).toBe(true);
    expect(hasToken('see @a.ts.', '@a.ts')).toBe(true);
    expect(hasToken('see @a.tsx', '@a.ts')).toBe(false);
    expect(hasToken('see @a.ts:3', '@a.ts')).toBe(false);
  });
});

describe('answers to questions', () => {
  const one = {
    key: '0',
    header: '',
    question: 'One?',
    options: [{ label: 'A' }, { label: 'B' }],
    isMultiSelect: false,
  };
  const many = { ...one, key: '1', isMultiSelect: true };

  it('are there when every question has one', () => {
    expect(answersOf([one, many], { '0': choose(noAnswer, one, 'A') })).toBeUndefined();
    const both = choose(choose(noAnswer, many, 'B'), many, 'A');
    expect(answersOf([one, many], { '0': choose(noAnswer, one, 'B'), '1': both })).toEqual({
      '0': 'B',
      '1': 'A, B',
    });
  });

  it('can be the own text of the user', () => {
    const own = { ...choose(noAnswer, many, 'B'), isOther: true, other: ' C ' };
    expect(answersOf([many], { '1': own })).toEqual({ '1': 'B, C' });
    expect(answersOf([many], { '1': { ...own, isOther: false } })).toEqual({ '1': 'B' });
  });
});

describe('a diff in a card', () => {
  it('shows what changed with two lines around it', () => {
    const before = Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n');
    const after = before.replace('line 10', 'LINE 10');
    const { rows, added, removed } = diffRows(before, after, 100);
    expect([added, removed]).toEqual([1, 1]);
    expect(rows.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'same line 8',
      'same line 9',
      'removed line 10',
      'added LINE 10',
      'same line 11',
      'same line 12',
    ]);
  });

  it('counts all and shows no more than it may', () => {
    const { rows, added, isCut } = diffRows('', 'a\nb\nc\n', 2);
    expect([rows.length, added, isCut]).toEqual([2, 3, true]);
  });
});

describe('the exported chat', () => {
  it('holds everything, and no text of a tool ends its fence', () => {
    const text = exportMarkdown({
      ...emptyChat,
      session: { id: '1', folder: '/w', title: 'A/B: chat' },
      items: [
        { kind: 'user', id: 0, text: 'Hi', images: [] },
        { kind: 'thought', id: 1, text: 'Hm.' },
        {
          kind: 'tool',
          id: 2,
          toolCallId: 't',
          toolKind: 'read',
          title: 'Read a',
          status: 'completed',
          locations: [],
          content: [{ type: 'text', text: '```\nfence\n```' }],
        },
        { kind: 'assistant', id: 3, text: 'Hello' },
      ],
    });
    expect(text).toBe(
      '# A/B: chat\n\n## You\n\nHi\n\n<details><summary>Thought</summary>\n\nHm.\n\n</details>\n\n**Tool:** Read a (done)\n\n````\n```\nfence\n```\n````\n\n## Qwen\n\nHello\n',
    );
    expect(exportName({ ...emptyChat, session: { id: '1', folder: '/w', title: 'A/B: ../chat' } })).toBe(
      'a-b-chat.md',
    );
  });
});
