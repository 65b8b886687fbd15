// @vitest-environment happy-dom
import type { ChatModel, ChatPermission, ChatQuestions, ChatToolCard } from '@tandem/chat/model';
import { fireEvent, screen, within } from '@testing-library/dom';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { protectedMs } from '../src/chat/requestCards.js';
import { canPress, onceOptions, permission, press, renderChat, running } from './support/renderChat.js';

const asking = (...pending: ChatModel['pending']): ChatModel => ({ ...running, pending });
const card = (): HTMLElement => screen.getByRole('region', { name: 'Waiting for your answer' });

const questions: ChatQuestions = {
  kind: 'questions',
  requestId: 'q',
  toolCallId: 't',
  title: 'Ask',
  options: onceOptions,
  isAnswering: false,
  questions: [
    {
      key: '0',
      header: 'Colour',
      question: 'Which colour?',
      options: [{ label: 'Blue' }],
      isMultiSelect: false,
    },
    { key: '1', header: '', question: 'Which sizes?', options: [{ label: 'Small' }], isMultiSelect: true },
  ],
};

const tool: ChatToolCard = {
  kind: 'tool',
  id: 0,
  toolCallId: 't',
  toolName: 'write_file',
  toolKind: 'edit',
  title: 'Writing to a.txt',
  status: 'failed',
  content: [],
  locations: [],
};

describe('a permission', () => {
  it.each<[string, Partial<ChatPermission>, string, readonly string[]]>([
    [
      'a shell command with an empty list of questions',
      { input: { command: 'touch owned.txt', questions: [], description: 'List files' } },
      'Run touch owned.txt?',
      ['Tool: run_shell_command', '$ touch owned.txt', 'description (in the agent’s words)', 'List files'],
    ],
    [
      'a file with questions',
      {
        toolName: 'write_file',
        toolKind: 'edit',
        input: { file_path: '/w/owned.txt', content: 'owned\n', questions: ['Which colour?'] },
        content: [{ type: 'diff', path: '/w/owned.txt', newText: 'owned\n' }],
      },
      'Change owned.txt?',
      ['Tool: write_file', 'questions', 'Which colour?', 'owned'],
    ],
    [
      'a sub-agent',
      {
        toolName: 'agent',
        toolKind: 'other',
        input: { description: 'Tidy up', prompt: 'Run touch owned.txt' },
      },
      'Allow agent?',
      ['prompt', 'Run touch owned.txt', 'description (in the agent’s words)'],
    ],
    [
      'a name with markup and hidden characters',
      {
        toolName: 'write_file',
        toolKind: 'edit',
        content: [
          { type: 'diff', path: '/w/<img src=x onerror=alert(1)>\u202etxt.exe', newText: '<b>x</b>' },
        ],
      },
      'Change <img src=x onerror=alert(1)>⟨202E⟩txt.exe?',
      ['<b>x</b>', 'The daemon does not show its arguments.'],
    ],
  ])('shows what would be executed and not the title: %s', (_name, request, heading, shown) => {
    renderChat(asking(permission(request)));
    within(card()).getByRole('heading', { name: heading });
    for (const part of shown) expect(card().textContent).toContain(part);
    expect(card().textContent).not.toContain('Say hello');
    expect(card().querySelector('img, b, [type="radio"]')).toBeNull();
  });

  it('sends the chosen option, and shows how the request ended', async () => {
    const { answered, show } = renderChat(asking(permission({})));
    await canPress('Reject');
    press('Reject');
    expect(await answered('chat.answer', { isElsewhere: false })).toMatchObject({
      requestId: 'r',
      optionId: 'cancel',
    });
    show({ ...running, items: [{ ...tool, decision: { isAllowed: false, isElsewhere: false } }] });
    screen.getByRole('article', { name: 'Tool: Writing to a.txt, Rejected' });
    expect(screen.queryByText('Answered elsewhere')).toBeNull();
  });

  it('shows an answer of another client', () => {
    const { show } = renderChat(asking(permission({})));
    show({
      ...running,
      items: [{ ...tool, status: 'completed', decision: { isAllowed: true, isElsewhere: true } }],
    });
    within(card()).getByText('Answered elsewhere');
    screen.getByRole('article', { name: 'Tool: Writing to a.txt, done, Allowed elsewhere' });
  });

  it('describes where a lasting option is stored', () => {
    renderChat(
      asking(
        permission({
          options: [
            ...onceOptions,
            { optionId: 'proceed_always_project', name: 'Always Allow', isAllow: true, scope: 'project' },
          ],
        }),
      ),
    );
    const described = screen.getByRole('button', { name: 'Always Allow' }).getAttribute('aria-describedby');
    expect(document.getElementById(described ?? '')?.textContent).toBe(
      'Written to .qwen/settings.json in this folder.',
    );
  });

  it.each([0, 10 * protectedMs])(
    'takes a click only after it has been shown for half a second, if the one before has gone %s ms ago',
    async (ms) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      onTestFinished(() => void vi.useRealTimers());
      expect(protectedMs).toBeGreaterThanOrEqual(500);
      const { calls, show } = renderChat(asking(permission({ requestId: 'first' })));
      press('Allow');
      vi.advanceTimersByTime(protectedMs);
      show(running);
      vi.advanceTimersByTime(ms);
      show(asking(permission({ requestId: 'second' })));
      vi.advanceTimersByTime(protectedMs - 1);
      press('Allow');
      expect(calls).toEqual([]);
      vi.useRealTimers();
      show(asking(permission({ requestId: 'third' })));
      await canPress('Allow');
      press('Allow');
      expect(calls).toHaveLength(1);
    },
  );
});

describe('questions', () => {
  it('need an answer each, which can be a free text', async () => {
    const { answered, calls } = renderChat(asking(questions));
    const answer = screen.getByRole('button', { name: 'Answer' });
    expect(answer.getAttribute('aria-disabled')).toBe('true');
    fireEvent.submit(answer);
    expect(calls).toEqual([]);
    fireEvent.click(screen.getByRole('radio', { name: /Blue/ }));
    fireEvent.click(screen.getByRole('checkbox', { name: /Small/ }));
    fireEvent.change(screen.getByRole('textbox', { name: 'Your own answer: Which sizes?' }), {
      target: { value: 'Huge' },
    });
    expect(answer.getAttribute('aria-disabled')).toBeNull();
    fireEvent.submit(answer);
    expect(await answered('chat.answer', { isElsewhere: false })).toMatchObject({
      optionId: 'proceed_once',
      answers: { 0: 'Blue', 1: 'Small, Huge' },
    });
  });

  it('are skipped, not failed', async () => {
    const { answered, show } = renderChat(asking(questions));
    press('Skip');
    expect(await answered('chat.answer', { isElsewhere: false })).toMatchObject({ optionId: 'cancel' });
    show({
      ...running,
      items: [{ ...tool, toolName: 'ask_user_question', decision: { isAllowed: false, isElsewhere: false } }],
    });
    screen.getByRole('article', { name: /Skipped$/ });
    expect(screen.queryByText('failed')).toBeNull();
  });

  it('that are refused show why', () => {
    renderChat(asking({ ...questions, kind: 'refused', reason: 'it asks nothing' }));
    within(card()).getByText(/Refused: .* but it asks nothing\. Nothing was run\./);
  });
});
