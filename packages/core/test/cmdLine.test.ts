import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cmdLine, programCall } from '../src/index.js';

test('quotes the program and each argument for cmd.exe', () => {
  expect(cmdLine(['qwen', 'serve', 'C:\\My folder', ''])).toBe('"qwen" "serve" "C:\\My folder" ""');
  expect(cmdLine(['C:\\Program Files\\qwen.cmd', 'a&b|c>d^e'])).toBe(
    '"C:\\Program Files\\qwen.cmd" "a&b|c>d^e"',
  );
});

test('doubles quotes, and backslashes that a program would read as escapes', () => {
  expect(cmdLine(['x', 'say "hi"'])).toBe('"x" "say ""hi"""');
  expect(cmdLine(['x', 'C:\\dir\\'])).toBe('"x" "C:\\dir\\\\"');
  expect(cmdLine(['x', 'a\\"b'])).toBe('"x" "a\\\\""b"');
});

test('expands no variable, and ends at no line break', () => {
  expect(cmdLine(['x', '100%PATH%'])).toBe('"x" "100"^%"PATH"^%""');
  expect(cmdLine(['x', 'one\r\ntwo'])).toBe('"x" "one two"');
});

test('needs the shell on Windows only', () => {
  expect(programCall('claude', ['-p', 'a b'], 'win32')).toEqual({
    command: '"claude" "-p" "a b"',
    args: [],
    shell: true,
  });
  for (const platform of ['linux', 'darwin']) {
    expect(programCall('claude', ['-p', 'a b'], platform)).toEqual({
      command: 'claude',
      args: ['-p', 'a b'],
      shell: false,
    });
  }
});

test('runs nothing that an argument contains: a program receives what was given', () => {
  const word = fc.string({ unit: fc.constantFrom('a', ' ', '"', '\\', '%', '&', '|', '^', '<', '>', '(') });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
      // Twice, as for a program of npm: cmd.exe runs the script, whose last line has the same words.
      expect(wordsOf(readByCmd(readByCmd(cmdLine(words), true), false))).toEqual(words);
    }),
  );
});

/** What cmd.exe passes on. Outside of quotes, `^` escapes, and the signs of its own end the line. */
function readByCmd(line: string, isTyped: boolean): string {
  if (isTyped) expect(line).not.toMatch(/%[^%^]+%/);
  let [result, isQuoted] = ['', false];
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? '';
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted && '&|<>()\n'.includes(character))
      throw new Error(`cmd.exe would act on ${character} in ${line}`);
    if (!isQuoted && character === '^') at += 1;
    result += !isQuoted && character === '^' ? (line[at] ?? '') : character;
  }
  return result;
}

/** The arguments as the runtime library of C parses them, which Node.js uses. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  let [word, isQuoted] = [undefined as string | undefined, false];
  for (let at = 0; at < line.length; at++) {
    const backslashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0;
    if (line[at + backslashes] === '"') {
      word = (word ?? '') + '\\'.repeat(backslashes / 2);
      at += backslashes;
      if (backslashes % 2 === 1) word += '"';
      else if (isQuoted && line[at + 1] === '"') {
        word += '"';
        at += 1;
      } else isQuoted = !isQuoted;
    } else if (line[at] === ' ' && !isQuoted) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + line[at];
  }
  return word === undefined ? words : [...words, word];
}
