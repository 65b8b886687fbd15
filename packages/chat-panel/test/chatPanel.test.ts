// @vitest-environment happy-dom
import { type ChatModel, emptyChat } from '@tandem/chat/model';
import { fireEvent, screen, waitFor, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { connected, messageField, press, renderChat, running, type } from './support/renderChat.js';

const user = (id: number, text: string) => ({
  kind: 'user' as const,
  id,
  promptId: `p${id}`,
  text,
  images: [],
});
const withModels: ChatModel = {
  ...connected,
  models: {
    current: 'one',
    available: [
      { id: 'one', name: 'Fake One', takesImages: true },
      { id: 'two', name: 'Fake Two', takesImages: false },
    ],
  },
  modes: {
    current: 'default',
    available: [
      { id: 'default', name: 'Default' },
      { id: 'auto', name: 'Auto' },
    ],
  },
};

describe('the conversation', () => {
  it('shows an error, which can be retried while it is the last item', async () => {
    const error = { kind: 'error' as const, id: 1, text: 'the context is too long', isRetryable: true };
    const { answered, show } = renderChat({ ...connected, items: [user(0, 'Hello'), error] });
    within(screen.getByRole('article', { name: 'Error' })).getByText('the context is too long');
    press('Retry');
    await answered('chat.retry');
    show({ ...connected, items: [user(0, 'Hello'), error, user(2, 'Hello')] });
    expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull();
  });

  it('stops an answer', async () => {
    const { answered, show } = renderChat({ ...running, items: [user(0, 'Go')] });
    screen.getByText('Working…');
    press('Stop');
    await answered('chat.cancel');
    show({ ...running, turn: { ...running.turn, state: 'stopping' }, items: [user(0, 'Go')] });
    expect(screen.getByRole('button', { name: 'Stopping' }).getAttribute('aria-disabled')).toBe('true');
    show({
      ...connected,
      items: [user(0, 'Go'), { kind: 'notice', id: 1, notice: 'cancelled', text: 'Stopped.' }],
    });
    within(screen.getByRole('region', { name: 'Conversation' })).getByText('Stopped.');
    screen.getByRole('button', { name: 'Send' });
  });

  it('shows a message while it is being sent', async () => {
    const { answered, show } = renderChat(connected);
    type('Hello', 'Enter');
    expect(screen.getByRole('article', { name: 'Sending' }).textContent).toBe('HelloSending…');
    show({ ...running, items: [user(0, 'Hello')] });
    expect(screen.queryByRole('article', { name: 'Sending' })).toBeNull();
    await answered('chat.send', { isRewound: false });
    type('Again', 'Enter');
    screen.getByRole('article', { name: 'Sending' });
    await answered('chat.send', { isRewound: false });
    expect(screen.queryByRole('article', { name: 'Sending' })).toBeNull();
  });

  it('is saved as Markdown', async () => {
    const { answered } = renderChat({
      ...connected,
      items: [user(0, 'A question'), { kind: 'assistant', id: 1, text: 'An *answer*.' }],
    });
    press('Save the chat as markdown');
    expect(await answered('text.save')).toMatchObject({
      name: 'chat.md',
      content: '# Chat\n\n## You\n\nA question\n\n## Qwen\n\nAn *answer*.\n',
    });
  });

  it('shows a plan', () => {
    renderChat({
      ...connected,
      items: [user(0, 'Plan')],
      plan: [
        { content: 'Look', status: 'completed' },
        { content: 'Leap', status: 'in_progress' },
      ],
    });
    press(/Plan/);
    expect(screen.getByRole('region', { name: 'Plan' }).textContent).toBe('Plan1 of 2Leap');
  });
});

describe('queued messages', () => {
  const queue = (...texts: readonly string[]): ChatModel => ({
    ...running,
    items: [user(0, 'First')],
    turn: { ...running.turn, queued: texts.map((text) => ({ promptId: text, text })) },
  });

  it('are edited and removed one by one', async () => {
    const { answered, show } = renderChat(queue('Second', 'Third', 'Fourth'));
    const list = screen.getByRole('region', { name: 'Queued messages' });
    expect(
      within(list)
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual(['Second', 'Third', 'Fourth']);
    press('Remove queued message 3');
    expect(await answered('chat.unqueue', { isRemoved: true })).toEqual({ id: 'Fourth' });
    show(queue('Second', 'Third'));
    press('Edit queued message 1');
    expect(await answered('chat.unqueue', { isRemoved: true })).toEqual({ id: 'Second' });
    await waitFor(() => expect(messageField().value).toBe('Second'));
    show(queue());
    expect(screen.queryByRole('region', { name: 'Queued messages' })).toBeNull();
  });
});

describe('the composer', () => {
  it('completes commands by keyboard', async () => {
    const { calls } = renderChat({
      ...connected,
      commands: ['clear', 'compress'].map((name) => ({ name, description: name })),
    });
    type('/compr');
    await screen.findByRole('option', { name: /^\/compress/ });
    type('/compr', 'Enter');
    await waitFor(() => expect(messageField().value).toBe('/compress '));
    expect(calls).toEqual([]);
  });

  it('switches the model and the approval mode', async () => {
    const { answered } = renderChat(withModels);
    fireEvent.change(screen.getByRole('combobox', { name: 'Model' }), { target: { value: 'two' } });
    expect(await answered('chat.setModel')).toEqual({ id: 'two' });
    fireEvent.change(screen.getByRole('combobox', { name: 'Approval mode' }), { target: { value: 'auto' } });
    expect(await answered('chat.setMode')).toEqual({ id: 'auto' });
  });

  it('sends an edited message in place of the earlier one, and reports if the chat could not return', async () => {
    const { answered } = renderChat({ ...connected, items: [user(0, 'Say on')] });
    press('Edit and send again');
    await waitFor(() => expect(messageField().value).toBe('Say on'));
    screen.getByText(/all later messages are removed/);
    type('Say one', 'Enter');
    expect(await answered('chat.send', { isRewound: false })).toMatchObject({
      text: 'Say one',
      replaces: 'p0',
    });
    await screen.findAllByText(/The chat could not return to that message/);
  });

  it('refuses a picture for a model that accepts none, before and after it was added', async () => {
    const { calls, show } = renderChat(withModels);
    const paste = (): boolean =>
      fireEvent.paste(messageField(), {
        clipboardData: { files: [new File(['x'], 'a.png', { type: 'image/png' })] },
      });
    paste();
    const list = await screen.findByRole('list', { name: 'Pictures to send' });
    within(list).getByRole('img');
    show({ ...withModels, models: { ...withModels.models, current: 'two' } });
    screen.getByText(/^Fake Two does not accept pictures, according to the daemon\./);
    type('What is this?', 'Enter');
    expect(messageField().value).toBe('What is this?');
    press('Remove picture 1');
    paste();
    await screen.findAllByText(/The picture was not added: Fake Two does not accept pictures/);
    expect(screen.queryByRole('list', { name: 'Pictures to send' })).toBeNull();
    expect(calls).toEqual([]);
  });
});

describe('the chats of the folder', () => {
  it('are opened from a list, and a new one is started', async () => {
    const { answered } = renderChat();
    press('Chats in this folder');
    const session = {
      id: 'old',
      title: 'The first question',
      isRunning: false,
      isWaiting: true,
      updatedAt: 0,
    };
    await answered('chat.sessions', { sessions: [session] });
    press(/The first question/);
    expect(await answered('chat.open')).toEqual({ id: 'old' });
    press('New chat');
    await answered('chat.new');
  });
});

describe('the connection', () => {
  const items = [user(0, 'Hello')];

  it('shows a stopped daemon with the conversation, and reconnects', async () => {
    const problem = { kind: 'daemon_stopped' as const, message: 'The daemon was stopped.' };
    const { answered } = renderChat({ ...connected, items, connection: { state: 'disconnected', problem } });
    within(screen.getByRole('alert')).getByText('The daemon was stopped.');
    screen.getByText('Hello');
    press('Retry');
    await answered('chat.reconnect');
  });

  it('shows that it is being restored', () => {
    renderChat({ ...connected, items, connection: { state: 'reconnecting' } });
    screen.getByText('The connection to the daemon was lost. Reconnecting…');
  });

  it('is set up with a reason why not, and a retry', async () => {
    const problem = { kind: 'unauthorized' as const, message: 'The token is wrong.' };
    const { answered, show } = renderChat({ ...connected, connection: { state: 'disconnected', problem } });
    screen.getByRole('heading', { name: 'The daemon does not accept the token' });
    press('Retry');
    await answered('chat.reconnect');
    show({ ...emptyChat }, { obstacle: 'The folder is not trusted.' });
    expect(
      screen.getByRole('button', { name: 'Start a daemon for this folder' }).getAttribute('aria-disabled'),
    ).toBe('true');
    press('Manage Workspace Trust');
    await answered('trust.manage');
  });
});
