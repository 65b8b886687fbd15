import type { ChatPermission, ChatQuestions } from '@tandem/companion/chat';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChatDiff } from '../src/chat/chatDiffs.js';
import { pickAnswers } from '../src/chat/pickAnswers.js';
import { pickPermission } from '../src/chat/pickPermission.js';
import { openFakeWindow, QuickInputButtons } from './support/fakeVscode/index.js';

let window: ReturnType<typeof openFakeWindow>;
beforeEach(() => {
  window = openFakeWindow();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The open pick, after the time in which keys are ignored. */
async function nextPick(words: string) {
  const input = await window.dialogs.shownInput(words);
  await vi.advanceTimersByTimeAsync(500);
  return input;
}

const options: ChatPermission['options'] = [
  { optionId: 'always', name: 'Always allow', isAllow: true, scope: 'project' },
  { optionId: 'no', name: 'Reject', isAllow: false, scope: 'once' },
  { optionId: 'once', name: 'Allow', isAllow: true, scope: 'once' },
];

function permission(over: Partial<ChatPermission> = {}): ChatPermission {
  return {
    kind: 'permission',
    requestId: 'r1',
    toolCallId: 'c1',
    title: 'List files',
    toolName: 'run_shell_command',
    toolKind: 'execute',
    input: { command: 'touch owned.txt', description: 'List files' },
    content: [],
    locations: [],
    options,
    isAnswering: false,
    ...over,
  };
}

function ask(request: ChatPermission, signal = new AbortController().signal, more = 0) {
  const shown: (ChatDiff | 'chat')[] = [];
  const answer = pickPermission(request, {
    signal,
    more,
    showDiff: async (diff) => void shown.push(diff),
    showChat: () => shown.push('chat'),
  });
  return { answer, shown };
}

describe('a permission as a quick pick', () => {
  it('shows what would be executed, and lists lasting answers last', async () => {
    const { answer } = ask(permission());
    const pick = await nextPick('Qwen asks: run touch owned.txt?');
    expect(pick.labels).toEqual([
      '$(check) Allow',
      '$(close) Reject',
      '$(check-all) Always allow',
      'What is executed',
      'Tool: run_shell_command',
      'command: touch owned.txt',
      'description (written by the agent): List files',
    ]);
    pick.choose('Reject');
    expect(await answer).toEqual({ optionId: 'no' });
  });

  it('ignores a key within half a second, and a row that can only be read', async () => {
    const { answer } = ask(permission());
    const pick = await window.dialogs.shownInput('Qwen asks');
    pick.choose('Allow');
    await vi.advanceTimersByTimeAsync(500);
    pick.choose('Tool: run_shell_command');
    expect([pick.isDisposed, pick.selectedItems]).toEqual([false, []]);
    pick.choose('$(check) Allow');
    expect(await answer).toEqual({ optionId: 'once' });
  });

  it('cannot allow what it does not show completely, and links to the complete request', async () => {
    const steps = Array.from({ length: 30 }, (_, at) => `echo step ${at}`);
    const { answer, shown } = ask(permission({ input: { command: steps.join('\n') } }));
    const pick = await nextPick('Qwen asks: run this command?');
    expect(pick.labels.slice(0, 2)).toEqual([
      '$(comment-discussion) Read it all in the chat',
      '$(close) Reject',
    ]);
    expect(pick.labels.at(-1)).toMatch(/^… and \d+ more lines$/);
    expect(pick.labels.join()).not.toContain('Allow');
    pick.choose('Read it all');
    expect([await answer, shown]).toEqual([undefined, ['chat']]);
  });

  it('shows a change, which leaves it open in the chat', async () => {
    const content = [{ type: 'diff', path: '/ws/a.txt', oldText: 'one\n', newText: 'two\n' }] as const;
    const input = { file_path: '/ws/a.txt', content: 'two\n' };
    const { answer, shown } = ask(permission({ toolName: 'write_file', toolKind: 'edit', content, input }));
    const pick = await nextPick('Qwen asks: change');
    expect(pick.labels).toEqual(expect.arrayContaining(['− one', '+ two']));
    pick.choose('Show the change');
    expect(await answer).toBeUndefined();
    expect(shown).toEqual([{ ...content[0], toolCallId: 'c1' }]);
  });

  it('opens a long change first, and offers all answers beside it', async () => {
    const newText = Array.from({ length: 40 }, (_, at) => `line ${at}\n`).join('');
    const content = [{ type: 'diff', path: '/ws/a.txt', oldText: 'one\n', newText }] as const;
    const input = { file_path: '/ws/a.txt', content: newText };
    const { answer, shown } = ask(permission({ toolName: 'write_file', toolKind: 'edit', content, input }));
    const pick = await nextPick('Qwen asks: change');
    expect(pick.labels.slice(0, 3)).toEqual([
      '$(diff) Read the change, then answer',
      '$(comment-discussion) Read it all in the chat',
      '$(close) Reject',
    ]);
    expect(pick.labels.join()).not.toContain('Allow');
    pick.choose('Read the change');
    const again = await nextPick('The whole change is open');
    expect(shown).toEqual([{ ...content[0], toolCallId: 'c1' }]);
    expect([again.ignoreFocusOut, again.labels]).toEqual([
      true,
      ['$(check) Allow', '$(close) Reject', '$(check-all) Always allow'],
    ]);
    again.choose('$(check) Allow');
    expect(await answer).toEqual({ optionId: 'once' });
  });

  it.each([
    ['Escape', (pick: Awaited<ReturnType<typeof nextPick>>) => pick.escape()],
    [
      'its button',
      (pick: Awaited<ReturnType<typeof nextPick>>) => pick.press(pick.buttons[0] ?? QuickInputButtons.Back),
    ],
  ])('is left unanswered by %s', async (_how, leave) => {
    const { answer } = ask(permission(), undefined, 2);
    const pick = await nextPick('Other open questions: 2');
    leave(pick);
    expect(await answer).toBeUndefined();
  });

  it('appears again if another view takes the focus as it opens, but only once', async () => {
    const { answer } = ask(permission());
    const pick = await window.dialogs.shownInput('Qwen asks');
    await vi.advanceTimersByTimeAsync(400);
    pick.escape();
    await vi.advanceTimersByTimeAsync(400);
    expect([pick.isVisible, pick.buttons]).toEqual([true, []]);
    pick.escape();
    expect([await answer, pick.isVisible]).toEqual([undefined, false]);
  });

  it('closes when it is answered elsewhere', async () => {
    const elsewhere = new AbortController();
    const { answer } = ask(permission(), elsewhere.signal);
    const pick = await nextPick('Qwen asks');
    elsewhere.abort();
    expect([await answer, pick.isDisposed]).toEqual([undefined, true]);
  });

  it('draws no icon and no invisible character that a command contains', async () => {
    const { answer } = ask(permission({ input: { command: 'echo $(bell) \u202e' } }));
    const pick = await nextPick('⟨202E⟩');
    expect(pick.labels.filter((label) => label.includes('(bell)'))).toEqual([
      'command: echo \\$(bell) ⟨202E⟩',
    ]);
    pick.escape();
    await answer;
  });
});

describe('questions as quick picks', () => {
  const request: ChatQuestions = {
    kind: 'questions',
    requestId: 'r2',
    toolCallId: 'c2',
    title: 'Questions',
    options: [],
    isAnswering: false,
    questions: [
      {
        key: '0',
        header: 'Colour',
        question: 'Which colour?',
        options: [{ label: 'Red' }, { label: 'Blue', description: 'like the sky' }],
        isMultiSelect: false,
      },
      {
        key: '1',
        header: 'Sizes',
        question: 'Which sizes?',
        options: [{ label: 'Small' }, { label: 'Large' }],
        isMultiSelect: true,
      },
    ],
  };
  const begin = () => pickAnswers(request, { signal: new AbortController().signal });

  it('are asked one after the other, and answered together', async () => {
    const answer = begin();
    const colour = await nextPick('Qwen asks: Colour Which colour?');
    expect([colour.step, colour.totalSteps, colour.items[1]?.detail]).toEqual([1, 2, 'like the sky']);
    colour.choose('Blue');
    (await nextPick('Sizes')).choose('Small', 'Large');
    expect(await answer).toEqual({ answers: { 0: 'Blue', 1: 'Small, Large' } });
  });

  it('accept free text, and keep an answer when the user goes back', async () => {
    const answer = begin();
    (await nextPick('Colour')).choose('Something else');
    (await nextPick('Which colour?')).enter('green');
    const sizes = await nextPick('Sizes');
    sizes.press(QuickInputButtons.Back);
    const again = await nextPick('Colour');
    again.choose('Something else');
    const words = await nextPick('Which colour?');
    expect(words.value).toBe('green');
    words.enter(' dark green ');
    (await nextPick('Sizes')).choose('Large');
    expect(await answer).toEqual({ answers: { 0: 'dark green', 1: 'Large' } });
  });

  it('are left in the panel by Escape, and skipped by a button', async () => {
    const left = begin();
    (await nextPick('Colour')).escape();
    expect(await left).toBeUndefined();
    const skipped = begin();
    const pick = await nextPick('Colour');
    pick.press(pick.buttons[0] ?? QuickInputButtons.Back);
    expect(await skipped).toEqual({});
  });
});
