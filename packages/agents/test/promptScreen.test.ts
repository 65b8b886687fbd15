import { describe, expect, test } from 'vitest';
import { agents } from '../src/index.js';

const rule = '─'.repeat(40);
const footer = '  ➜ workspace · model\n  ⏸ Ask permissions (shift + tab to cycle)\n';
const empty = '>   Type your message or @path/to/file';

/** A screen of Gemini CLI or Qwen Code: earlier output, then the prompt. */
const screenOf = (prompt: string, above = 'Tips: …\n', below = footer): string =>
  `${above}${rule}\n${prompt}\n${rule}\n${below}\n\n`;

describe.each([
  {
    kind: 'gemini' as const,
    idle: '◇  Ready (workspace)',
    others: ['✦  Working… (w)', '✋  Action Required (w)', 'host', ''],
  },
  { kind: 'qwen' as const, idle: 'Qwen - workspace', others: ['◐︎ Qwen', '✳︎ Qwen', 'bash', ''] },
])('the screen of $kind', ({ kind, idle, others }) => {
  const { screen } = agents[kind];
  const isReady = (shown: string, title = idle): boolean | undefined => screen?.isReady(shown, title);

  test('is ready with an empty prompt, and an idle title', () => {
    expect(isReady(screenOf(empty))).toBe(true);
    expect(isReady(screenOf(` ${empty}`))).toBe(true);
    for (const title of others) expect(isReady(screenOf(empty), title)).toBe(false);
  });

  test.each([
    ['a draft', '> a draft here'],
    ['shell mode', '!   Type your shell command'],
    ['shell mode of Qwen Code', '!   Type your message or @path/to/file'],
    ['a command', '> /'],
    ['no prompt', 'user@host:~$ '],
    ['a question', '● 1. Yes, allow once\n  2. No (esc)'],
  ])('is not ready with %s', (_what, prompt) => {
    expect(isReady(screenOf(prompt))).toBe(false);
  });

  test('is not ready because a model printed a prompt above a question', () => {
    const question = Array.from({ length: 12 }, (_, at) => `│ option ${at}`).join('\n');
    expect(isReady(screenOf(empty, '', question))).toBe(false);
    expect(isReady(screenOf(`${empty}\n${empty}`))).toBe(false);
  });

  test('shows a pasted text by its first line, wrapped or not, or by a mark', () => {
    const text = 'Review of a.txt, line 2: rejected.\n\n> TWO\nWhy?';
    const shows = (shown: string): boolean | undefined => screen?.shows(shown, text);
    expect(shows(screenOf('> Review of a.txt, line 2: rejected.\n\n  > TWO\n  Why?'))).toBe(true);
    expect(shows(screenOf('> Review of a.txt, li\n  ne 2: rejected.\n'))).toBe(true);
    expect(shows(screenOf('> [Pasted Text: 6 lines]'))).toBe(true);
    expect(shows(screenOf('> [Pasted Content 12091 chars]'))).toBe(true);
    expect(shows(screenOf(empty))).toBe(false);
    expect(shows(screenOf(empty, 'Review of a.txt, line 2: rejected.\n'))).toBe(false);
  });
});

test('no other agent declares a screen that text can be pasted into', () => {
  const declared = Object.values(agents).filter(({ screen }) => screen !== undefined);
  expect(declared.map(({ descriptor }) => descriptor.id)).toEqual(['gemini', 'qwen']);
});
