import { type ChatModel, type ChatPermission, emptyChat } from '@tandem/chat/model';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ChatHost } from '../src/chat/chatHost.js';
import { announcementMs, PanelState, watchChat } from '../src/chat/panelState.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const asked: ChatPermission = {
  kind: 'permission',
  requestId: 'r',
  toolCallId: 't',
  title: 'Run',
  toolKind: 'execute',
  toolName: 'run_shell_command',
  options: [],
  content: [],
  locations: [],
  isAnswering: false,
};
const idle: ChatModel = { ...emptyChat, session: { id: 'one', folder: '/w' } };
const running: ChatModel = { ...idle, turn: { state: 'running', promptId: 'p', queued: [] } };

/** What the panel says of a chat that becomes one model after the other. */
function watched(first: ChatModel) {
  let model = first;
  let notify = (): void => {};
  const host: Pick<ChatHost, 'state' | 'onDidChange'> = {
    get state() {
      return { model, setup: { isOwn: false, isStarting: false }, link: 'open' as const };
    },
    onDidChange(listener) {
      notify = listener;
      return () => {};
    },
  };
  const panel = new PanelState();
  watchChat(host, panel);
  return {
    panel,
    become(next: ChatModel): string {
      model = next;
      notify();
      return panel.values.announcement.text;
    },
  };
}

it('says nothing any more of a request that is settled, nor of a turn once the next one runs', () => {
  const { panel, become } = watched(running);
  expect(become({ ...running, pending: [asked] })).toBe('Qwen asks for permission: Run run_shell_command?');
  panel.markAnswered('r');
  expect(become(running)).toBe('');
  expect(become(idle)).toBe('Qwen has answered.');
  expect(become({ ...running, turn: { state: 'running', promptId: 'q', queued: [] } })).toBe('');
});

it('says nothing of a chat that was left for another', () => {
  const { become } = watched(running);
  expect(become(idle)).toBe('Qwen has answered.');
  expect(become({ ...idle, session: { id: 'two', folder: '/w' } })).toBe('');
});

it('says a sentence for a while only', () => {
  const { panel, become } = watched(running);
  become(idle);
  vi.advanceTimersByTime(announcementMs - 1);
  panel.announce('Another one');
  vi.advanceTimersByTime(announcementMs - 1);
  expect(panel.values.announcement.text).toBe('Another one');
  vi.advanceTimersByTime(1);
  expect(panel.values.announcement.text).toBe('');
});
