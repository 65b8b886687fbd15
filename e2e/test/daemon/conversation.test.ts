import { applyChatPatches, type ChatModel, emptyChat } from '@tandem/chat/model';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import type { ChatUser } from '../../src/daemon/chatUser.js';
import { DaemonStage } from '../../src/daemon/daemonStage.js';
import { questions } from '../../src/daemon/questions.js';
import { pickText } from '../../src/json.js';
import { atOnce, call, fail, say, sayHalf, think } from '../../src/model/turn.js';

const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The chat model with the real daemon. Each test uses a new chat of one daemon. */
let stage: DaemonStage;
beforeAll(async () => {
  stage = await DaemonStage.open();
});
afterAll(() => stage.dispose());
afterEach(() => stage.model.clearScript());

describe('a turn', () => {
  it('shows the thought and the text', exhaustive, async () => {
    const user = await stage.newChat();
    stage.model.script(think('The user greets.', 'Good *morning*.'));
    await user.ask('Hello');
    expect(user.said()).toEqual(['user: Hello', 'thought: The user greets.', 'assistant: Good *morning*.']);
    expect(user.model.usage).toMatchObject({ inputTokens: 10, outputTokens: 5, contextUsed: 10 });
  });

  it('shows text while it arrives, and stops', async () => {
    const user = await stage.newChat();
    stage.model.script(sayHalf('The first half', new Promise(() => {})));
    await user.chat.send('Tell me');
    await user.until('the first half', ({ items }) => items.at(-1)?.kind === 'assistant');
    expect(user.model.turn.state).toBe('running');
    await user.chat.cancel();
    await user.until('the end of the turn', ({ turn }) => turn.state === 'idle');
    expect(user.said()).toEqual(['user: Tell me', 'assistant: The first half', 'notice: Stopped.']);
  });

  it('shows the error of the model and can be retried', exhaustive, async () => {
    const user = await stage.newChat();
    stage.model.script(fail(400, 'the context is too long'));
    await user.ask('Hello');
    expect(user.model.items.at(-1)).toMatchObject({
      kind: 'error',
      text: expect.stringContaining('the context is too long'),
      isRetryable: true,
    });
    stage.model.script(say('Now it works.'));
    await user.chat.retry();
    await user.until('the answer', () => user.said().at(-1) === 'assistant: Now it works.');
    expect(user.said().filter((line) => line === 'user: Hello')).toHaveLength(2);
  });

  it('removes a queued prompt and continues; the next one follows', exhaustive, async () => {
    const user = await stage.newChat();
    let go = (): void => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    stage.model.script(sayHalf('Wait', held), say('To the third.'));
    for (const text of ['First', 'Second', 'Third']) await user.chat.send(text);
    const queued = await user.until('the queue', ({ turn }) =>
      turn.queued.length === 2 ? turn.queued : undefined,
    );
    expect(queued.map(({ text }) => text)).toEqual(['Second', 'Third']);
    expect(await user.chat.removeQueued(queued[0]?.promptId ?? '')).toBe('removed');
    expect(await user.chat.removeQueued(queued[0]?.promptId ?? '')).toBe('started');
    go();
    await user.until('the third answer', ({ turn }) => turn.state === 'idle' && user.said().length === 4);
    expect(user.said()).toEqual([
      'user: First',
      'assistant: Wait',
      'user: Third',
      'assistant: To the third.',
    ]);
  });

  it('shows the plan', exhaustive, async () => {
    const user = await stage.newChat();
    const todos = [
      { id: '1', content: 'Look', status: 'completed' },
      { id: '2', content: 'Leap', status: 'in_progress' },
    ];
    stage.model.script(call('todo_write', { todos }), say('Planned.'));
    await user.ask('Plan');
    expect(user.model.plan).toMatchObject([
      { content: 'Look', status: 'completed' },
      { content: 'Leap', status: 'in_progress' },
    ]);
  });

  it('sends an image', exhaustive, async () => {
    const user = await stage.newChat();
    stage.model.script(say('A dot.'));
    await user.chat.send([
      { type: 'text', text: 'What is this?' },
      { type: 'image', data: dot, mimeType: 'image/png' },
    ]);
    await user.until('the answer', () => user.said().at(-1) === 'assistant: A dot.');
    const [message] = user.model.items;
    expect(message).toMatchObject({
      kind: 'user',
      text: 'What is this?',
      images: [{ mimeType: 'image/png' }],
    });
    expect(user.model.items).toHaveLength(2);
    expect(stage.model.conversation.at(-1)?.raw).toContain(dot);
    expect(user.model.models.available.map(({ name, takesImages }) => [name, takesImages])).toEqual([
      ['Fake One', true],
      ['Fake Two', false],
    ]);
  });

  it('has an image described by another model if its own accepts none', exhaustive, async () => {
    const user = await stage.newChat();
    await user.chat.setModel('fake-model-2(openai)');
    stage.model.script(say(' A dot.'));
    await user.chat.send([
      { type: 'text', text: 'What is this?' },
      { type: 'image', data: dot, mimeType: 'image/png' },
    ]);
    await user.until('the answer', () => user.said().at(-1)?.endsWith(' A dot.'));
    expect(user.said().at(-1)).toContain('Converted 1 image(s) to text via fake-model');
    expect(stage.model.conversation.at(-1)?.raw).not.toContain(dot);
    await user.chat.setModel('fake-model(openai)');
  });

  it('is the same chat after applying the patches', exhaustive, async () => {
    const user = await stage.newChat();
    stage.model.script(call('list_directory', { path: stage.workspace }), say('Listed.'));
    await user.ask('List');
    const wire: unknown = JSON.parse(JSON.stringify(user.patches));
    const mirrored = applyChatPatches(emptyChat, wire as typeof user.patches);
    expect(mirrored).toEqual(JSON.parse(JSON.stringify(user.model)) as ChatModel);
  });
});

describe('an edited message', () => {
  it('rewinds the session for all clients and leaves files unchanged', exhaustive, async () => {
    const user = await stage.newChat();
    const path = stage.path('rewound.txt');
    stage.model.script(
      say('One.'),
      call('write_file', { file_path: path, content: 'kept\n' }),
      say('Two.'),
      say('Three.'),
    );
    await user.ask('The first');
    await user.chat.send('The second');
    const { requestId } = await user.request();
    await user.chat.answer(requestId, { optionId: 'proceed_once' });
    await user.until('the end', ({ turn, pending }) => turn.state === 'idle' && pending.length === 0);
    await user.ask('The third');
    const other = stage.chat();
    await other.chat.openSession(user.model.session?.id ?? '');
    stage.model.script(say('Otherwise.'));
    expect(await user.chat.send('The second, edited', { replaces: promptOf(user, 'The second') })).toBe(
      'rewound',
    );
    const left = ['user: The first', 'assistant: One.', 'user: The second, edited', 'assistant: Otherwise.'];
    for (const each of [user, other]) {
      await each.until('the other answer', () => each.said().at(-1) === 'assistant: Otherwise.');
      expect(each.said()).toEqual(left);
    }
    const request = stage.model.conversation.at(-1)?.raw ?? '';
    expect(request).toContain('The first');
    expect(request).not.toContain('The third');
    expect(await stage.read('rewound.txt')).toBe('kept\n');
    const wire: unknown = JSON.parse(JSON.stringify(user.patches));
    expect(applyChatPatches(emptyChat, wire as typeof user.patches).items).toEqual(user.model.items);
    const late = stage.chat();
    await late.chat.openSession(user.model.session?.id ?? '');
    expect(late.said()).toEqual(left);
  });

  it('is sent as a new one during an answer and if the daemon has no turn for it', exhaustive, async () => {
    const user = await stage.newChat();
    const never = new Promise<void>(() => {});
    stage.model.script(say('One.'), sayHalf('Half', never), sayHalf('Half again', never));
    await user.ask('The first');
    await user.chat.send('The second');
    await user.until('the first half', () => user.said().at(-1) === 'assistant: Half');
    expect(await user.chat.send('Again', { replaces: promptOf(user, 'The first') })).toBe('sent');
    await user.chat.cancel();
    // Cancelled earlier, its request could still take the next turn of the script.
    await user.until('half of the queued one', () => user.said().at(-1) === 'assistant: Half again');
    expect(user.said().slice(0, 2)).toEqual(['user: The first', 'assistant: One.']);
    await user.chat.cancel();
    await user.until('the end', ({ turn }) => turn.state === 'idle');
    stage.model.script(say('New.'));
    expect(await user.chat.send('Of no turn', { replaces: 'no-such-prompt' })).toBe('sent');
    await user.until('the answer', () => user.said().at(-1) === 'assistant: New.');
    expect(user.said()[0]).toBe('user: The first');
  });
});

describe('an edit', () => {
  it('shows its diff, asks, and completes once it is allowed', async () => {
    const user = await stage.newChat();
    const path = stage.path('poem.txt');
    stage.model.script(call('write_file', { file_path: path, content: 'roses\n' }), say('Written.'));
    await user.chat.send('Write');
    const request = await user.request();
    expect(request).toMatchObject({
      kind: 'permission',
      toolName: 'write_file',
      toolKind: 'edit',
      content: [{ type: 'diff', path, newText: 'roses\n' }],
      options: [
        { optionId: 'proceed_always', isAllow: true, scope: 'session' },
        { optionId: 'proceed_once', isAllow: true, scope: 'once' },
        { optionId: 'cancel', isAllow: false, scope: 'once' },
      ],
    });
    expect(user.card()).toMatchObject({ requestId: request.requestId, status: 'pending' });
    expect(await user.chat.answer(request.requestId, { optionId: 'proceed_once' })).toBe('answered');
    await user.until('the end', ({ turn }) => turn.state === 'idle');
    expect(user.card()).toMatchObject({
      title: 'Writing to poem.txt',
      status: 'completed',
      content: [{ type: 'diff', path, newText: 'roses\n' }],
      decision: { optionId: 'proceed_once', isAllowed: true, isElsewhere: false },
    });
    expect(user.card().requestId).toBeUndefined();
    expect(user.model.pending).toEqual([]);
    expect(await stage.read('poem.txt')).toBe('roses\n');
  });

  it('leaves the file unchanged when it is rejected', exhaustive, async () => {
    const user = await stage.newChat();
    const path = await stage.sandbox.write(stage.path('kept.txt'), 'mine\n');
    stage.model.script(
      call('read_file', { file_path: path }),
      call('edit', { file_path: path, old_string: 'mine', new_string: 'yours' }),
    );
    await user.chat.send('Edit');
    const { requestId } = await user.request();
    await user.chat.answer(requestId, { optionId: 'cancel' });
    await user.until('the end', ({ turn }) => turn.state === 'idle');
    expect(user.card()).toMatchObject({ status: 'failed', decision: { isAllowed: false } });
    expect(await stage.read('kept.txt')).toBe('mine\n');
  });

  it('asks one after the other', exhaustive, async () => {
    const user = await stage.newChat();
    const write = (name: string) => call('write_file', { file_path: stage.path(name), content: name });
    stage.model.script(atOnce([write('one.txt'), write('two.txt')]), say('Both.'));
    await user.chat.send('Write two');
    const first = await user.request();
    await user.chat.answer(first.requestId, { optionId: 'proceed_once' });
    const second = await user.until('the second request', ({ pending }) =>
      pending.find(({ requestId }) => requestId !== first.requestId),
    );
    await user.chat.answer(second.requestId, { optionId: 'proceed_once' });
    await user.until('the end', ({ turn }) => turn.state === 'idle');
    expect([await stage.read('one.txt'), await stage.read('two.txt')]).toEqual(['one.txt', 'two.txt']);
  });
});

describe('a shell command', () => {
  it('that is always allowed is stored where the option says and asks no more', exhaustive, async () => {
    const user = await stage.newChat();
    const touch = (name: string) => {
      const input = { command: `touch ${name}`, description: 'Touch', is_background: false };
      return call('run_shell_command', input);
    };
    stage.model.script(touch('first'), say('Done.'));
    await user.chat.send('Touch');
    const request = await user.request();
    const always = request.options.find(({ scope }) => scope === 'project');
    expect(request.options.map(({ scope, isAllow }) => `${scope} ${isAllow}`)).toEqual([
      'project true',
      'user true',
      'once true',
      'once false',
    ]);
    await user.chat.answer(request.requestId, { optionId: always?.optionId ?? '' });
    await user.until('the end', ({ turn }) => turn.state === 'idle');
    expect(await stage.read('.qwen/settings.json')).toContain('touch');
    stage.model.script(touch('second'), say('Done again.'));
    await user.ask('Touch again');
    expect(user.card()).toMatchObject({ status: 'completed' });
    expect(await stage.read('second')).toBe('');
  });
});

describe('a question', () => {
  it('with two parts sends the model both answers', async () => {
    const user = await stage.newChat();
    stage.model.script(call('ask_user_question', { questions }), say('Understood.'));
    await user.chat.send('Ask me');
    const request = await user.request();
    expect(request).toMatchObject({
      kind: 'questions',
      questions: [
        { key: '0', header: 'Colour', question: 'Which colour?', isMultiSelect: false },
        { key: '1', header: 'Sizes', question: 'Which sizes?', isMultiSelect: true },
      ],
    });
    const answers = { 0: 'A free text', 1: 'Small, Large' };
    await user.chat.answer(request.requestId, { optionId: 'proceed_once', answers });
    await user.until('the end', ({ turn }) => turn.state === 'idle');
    const [result] = stage.model.toolResults.slice(-1);
    expect(result).toContain('A free text');
    expect(result).toContain('Small, Large');
  });
});

describe('the name localhost', () => {
  it('finds the daemon at any of its addresses', exhaustive, async () => {
    const { port } = new URL(stage.daemon.url);
    const user = stage.chat({ baseUrl: `http://localhost:${port}` });
    stage.model.script(say('Here.'));
    await user.chat.newSession();
    await user.ask('Hello');
    expect(user.said().at(-1)).toBe('assistant: Here.');
  });
});

describe('the session', () => {
  it('switches its model', exhaustive, async () => {
    const user = await stage.newChat();
    const { models } = user.model;
    expect(models.available.map(({ name }) => name)).toEqual(['Fake One', 'Fake Two']);
    const other = models.available.find(({ name }) => name === 'Fake Two');
    await user.chat.setModel(other?.id ?? '');
    await user.until('the switch', ({ models: { current } }) => current === other?.id);
    stage.model.script(say('I am the other.'));
    await user.ask('Who are you?');
    expect(pickText(stage.model.conversation.at(-1)?.body, 'model')).toBe('fake-model-2');
    await user.chat.setModel(models.available[0]?.id ?? '');
  });

  it('switches its approval mode', exhaustive, async () => {
    const user = await stage.newChat();
    expect(user.model.modes).toMatchObject({ current: 'default' });
    await user.chat.setApprovalMode('auto-edit');
    await user.until('the switch', ({ modes }) => modes.current === 'auto-edit');
    stage.model.script(
      call('write_file', { file_path: stage.path('unasked.txt'), content: 'x' }),
      say('Done.'),
    );
    await user.ask('Write');
    expect(user.card()).toMatchObject({ status: 'completed' });
    expect(user.card().decision).toBeUndefined();
  });

  it('lists its slash commands', exhaustive, async () => {
    const user = await stage.newChat();
    expect(user.model.commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['compress', 'init']));
  });

  it('accepts a prompt while it opens', exhaustive, async () => {
    const user = await stage.newChat();
    const { session } = user.model;
    stage.model.script(say('Here.'));
    const begun = user.chat.newSession();
    await user.chat.send('Hello');
    await begun;
    await user.until('the answer', ({ items, turn }) => items.length > 1 && turn.state === 'idle');
    expect(user.said()).toEqual(['user: Hello', 'assistant: Here.']);
    expect(user.model.session?.id).not.toBe(session?.id);
  });

  it('is listed and reopens with its history', async () => {
    const user = await stage.newChat();
    stage.model.script(think('Hm.', 'An answer to keep.'));
    await user.ask('A question to keep');
    const said = user.said();
    const { session } = user.model;
    await user.chat.newSession();
    expect(user.said()).toEqual([]);
    const listed = (await user.chat.listSessions()).find(({ id }) => id === session?.id);
    expect(listed).toMatchObject({ title: 'A question to keep', isRunning: false });
    await user.chat.openSession(session?.id ?? '');
    expect(user.said()).toEqual(said);
    expect(user.model.session?.id).toBe(session?.id);
  });
});

describe('two clients of one chat', () => {
  it('show the same, and one answers first [DMN-19]', async () => {
    const one = await stage.newChat();
    const two = stage.chat();
    await two.chat.connect(one.model.session?.id);
    stage.model.script(call('write_file', { file_path: stage.path('both.txt'), content: 'x' }), say('Done.'));
    await one.chat.send('Write');
    const seen = await Promise.all([one.request(), two.request()]);
    expect(await one.chat.answer(seen[0].requestId, { optionId: 'proceed_once' })).toBe('answered');
    await two.until('the dismissal', () => two.asks[0]?.signal.aborted);
    expect(await two.chat.answer(seen[1].requestId, { optionId: 'cancel' })).toBe('elsewhere');
    await Promise.all([one, two].map((each) => each.until('the end', ({ turn }) => turn.state === 'idle')));
    expect(one.card().decision).toMatchObject({ isAllowed: true, isElsewhere: false });
    expect(two.card().decision).toMatchObject({ isAllowed: true, isElsewhere: true });
    expect(two.said()).toEqual(one.said());
  });

  it('show a request that was pending before the second one connected [DMN-18]', async () => {
    const one = await stage.newChat();
    stage.model.script(call('ask_user_question', { questions }), say('Thanks.'));
    await one.chat.send('Ask');
    const asked = await one.request();
    const two = stage.chat();
    await two.chat.connect(one.model.session?.id);
    expect(await two.request()).toEqual(asked);
    expect(two.model.turn.state).toBe('running');
    const answers = { 0: 'Blue', 1: 'Large' };
    await two.chat.answer(asked.requestId, { optionId: 'proceed_once', answers });
    await one.until('the end', ({ turn }) => turn.state === 'idle');
    expect(one.card().decision).toMatchObject({ isElsewhere: true });
  });
});

/** The id of the message with this text. */
function promptOf({ model }: ChatUser, text: string): string {
  const message = model.items.find((item) => item.kind === 'user' && item.text === text);
  if (message?.promptId === undefined) throw new Error(`No message says ${text}.`);
  return message.promptId;
}
