import { type ChatModel, type ChatPermission, emptyChat } from '@tandem/chat/model';
import type { ChatSetup } from '@tandem/rpc';
import { fireEvent, screen, waitFor } from '@testing-library/dom';
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, onTestFinished, vi } from 'vitest';
import { ChatPanel } from '../../src/chat/chatPanel.js';
import { PanelState, watchChat } from '../../src/chat/panelState.js';
import { createWebviewChatHost } from '../../src/webview/webviewChatHost.js';
import type { FromWebviewChat } from '../../src/webview/webviewContract.js';
import { setActEnvironment } from './actEnvironment.js';

type Call = Extract<FromWebviewChat, { kind: 'call' }>;

export const connected: ChatModel = {
  ...emptyChat,
  connection: { state: 'connected' },
  session: { id: 'session-1', folder: '/w' },
};

export const running: ChatModel = { ...connected, turn: { state: 'running', promptId: 'p', queued: [] } };

/** A chat panel in a webview. The test is the extension: it sends models and answers calls. */
export function renderChat(first: ChatModel = connected) {
  // Without a layout, the list of messages would render no row.
  for (const [name, value] of Object.entries({ clientHeight: 600, clientWidth: 400 })) {
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => value });
  }
  setActEnvironment(true);
  const calls: Call[] = [];
  const panel = new PanelState();
  const { host, receive } = createWebviewChatHost(
    (message) => {
      if (message.kind === 'call') calls.push(message);
    },
    { onAnswered: () => {}, onMention: () => {}, onFocusRequest: () => {} },
  );
  watchChat(host, panel);
  const show = (model: ChatModel, setup: Partial<ChatSetup> = {}): void =>
    act(() =>
      receive({
        kind: 'state',
        model,
        setup: { isOwn: false, isStarting: false, url: 'http://127.0.0.1:4170', ...setup },
        editor: { folders: [{ path: '/w', name: 'w' }], recent: [] },
      }),
    );
  show(first);
  const element = document.body.appendChild(document.createElement('div'));
  const root = createRoot(element);
  act(() => root.render(createElement(ChatPanel, { host, panel })));
  onTestFinished(() => {
    act(() => root.unmount());
    element.remove();
  });
  /** The parameters of the next call of a method, which is answered with `result`. */
  const answered = async (method: string, result: unknown = null): Promise<unknown> => {
    const call = await waitFor(() => {
      const found = calls.findIndex((each) => each.method === method);
      if (found < 0) throw new Error(`${method} was not called`);
      return calls.splice(found, 1)[0];
    });
    await act(async () => receive({ kind: 'answer', id: call?.id, answer: { result } }));
    return call?.params;
  };
  return { panel, show, calls, answered };
}

export function press(name: string | RegExp): void {
  fireEvent.click(screen.getByRole('button', { name }));
}

/** Resolves once a button takes input. */
export async function canPress(name: string): Promise<void> {
  const button = screen.getByRole('button', { name });
  await vi.waitFor(() => expect(button.getAttribute('aria-disabled')).not.toBe('true'));
}

export function messageField(): HTMLTextAreaElement {
  return screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message to Qwen' });
}

/** Types a text into the message field and presses keys. */
export function type(text: string, ...keys: readonly string[]): void {
  const field = messageField();
  fireEvent.focus(field);
  fireEvent.change(field, { target: { value: text, selectionStart: text.length } });
  for (const key of keys) fireEvent.keyDown(field, { key });
}

export const onceOptions: ChatPermission['options'] = [
  { optionId: 'proceed_once', name: 'Allow', isAllow: true, scope: 'once' },
  { optionId: 'cancel', name: 'Reject', isAllow: false, scope: 'once' },
];

export function permission(parts: Partial<ChatPermission>): ChatPermission {
  return {
    kind: 'permission',
    requestId: 'r',
    toolCallId: 't',
    title: 'Say hello',
    toolKind: 'execute',
    toolName: 'run_shell_command',
    options: onceOptions,
    content: [],
    locations: [],
    isAnswering: false,
    ...parts,
  };
}
