import { expect, it } from 'vitest';
import { InputReader } from '../../src/screen/input.js';

const keysOf = (...parts: readonly string[]): string[] => {
  const reader = new InputReader();
  return [...parts.flatMap((part) => reader.push(part)), ...reader.flush()].map((input) =>
    input.kind === 'key' ? input.name : JSON.stringify(input),
  );
};

it.each([
  ['jk', ['j', 'k']],
  ['\r\t\u007f', ['enter', 'tab', 'backspace']],
  ['\u0003\u0004\u001a', ['ctrl+c', 'ctrl+d', 'ctrl+z']],
  ['\u001b[A\u001bOB\u001b[1;5C', ['up', 'down', 'right']],
  ['\u001b[5~\u001b[6~\u001b[H\u001b[4~\u001b[Z', ['pageup', 'pagedown', 'home', 'end', 'shift+tab']],
  ['é日🦋', ['é', '日', '🦋']],
])('reads %j', (text, keys) => {
  expect(keysOf(text)).toEqual(keys);
});

it('puts a sequence together that arrives in parts', () => {
  expect(keysOf('\u001b', '[', '5', '~j')).toEqual(['pageup', 'j']);
});

it('takes an escape character that nothing follows as the key', () => {
  const reader = new InputReader();
  expect(reader.push('\u001b')).toEqual([]);
  expect(reader.isWaiting).toBe(true);
  expect(reader.flush()).toEqual([{ kind: 'key', name: 'escape' }]);
});

it('reads the mouse', () => {
  const reader = new InputReader();
  expect(reader.push('\u001b[<0;5;3M\u001b[<0;5;3m\u001b[<64;1;1M\u001b[<65;1;1M')).toEqual([
    { kind: 'mouse', what: 'press', column: 4, row: 2 },
    { kind: 'mouse', what: 'up', column: 0, row: 0 },
    { kind: 'mouse', what: 'down', column: 0, row: 0 },
  ]);
});

it('reads pasted text as text, not as keys', () => {
  const reader = new InputReader();
  expect(reader.push('\u001b[200~q\u001b[A')).toEqual([]);
  expect(reader.push('a\u001b[201~j')).toEqual([
    { kind: 'paste', text: 'q\u001b[Aa' },
    { kind: 'key', name: 'j' },
  ]);
});

it('reads what the terminal says of its background, and skips other reports', () => {
  const reader = new InputReader();
  expect(reader.push('\u001b]11;rgb:ffff/ffff/ffff\u001b\\\u001b[?62;22c\u001bP1$r0m\u001b\\j')).toEqual([
    { kind: 'background', colour: 'rgb:ffff/ffff/ffff' },
    { kind: 'key', name: 'j' },
  ]);
});

it('does not wait forever for the end of a sequence', () => {
  const reader = new InputReader();
  reader.push(`\u001b[${'1;'.repeat(100)}`);
  expect(reader.push('j').at(-1)).toEqual({ kind: 'key', name: 'j' });
});
