import { applyChatPatches, type ChatModel, emptyChat } from '@tandem/chat/model';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChatPerson } from '../../src/daemon/chatPerson.js';
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
  it('shows the thought and the text', async () => {
    const person = await stage.newChat();
    stage.model.script(think('The person greets.', 'Good *morning*.'));
    await person.ask('Hello');
    expect(person.said()).toEqual([
      'user: Hello',
      'thought: The person greets.',
      'assistant: Good *morning*.',
    ]);
    expect(person.model.usage).toMatchObject({ inputTokens: 10, outputTokens: 5, contextUsed: 10 });
  });

  it('shows text while it arrives, and stops', async () => {
    const person = await stage.newChat();
    stage.model.script(sayHalf('The first half', new Promise(() => {})));
    await person.chat.send('Tell me');
    await person.until('the first half', ({ items }) => items.at(-1)?.kind === 'assistant');
    expect(person.model.turn.state).toBe('running');
    await person.chat.cancel();
    await person.until('the end of the turn', ({ turn }) => turn.state === 'idle');
    expect(person.said()).toEqual(['user: Tell me', 'assistant: The first half', 'notice: Stopped.']);
  });

  it('shows the error of the model and can be retried', async () => {
    const person = await stage.newChat();
    stage.model.script(fail(400, 'the context is too long'));
    await person.ask('Hello');
    expect(person.model.items.at(-1)).toMatchObject({
      kind: 'error',
      text: expect.stringContaining('the context is too long'),
      isRetryable: true,
    });
    stage.model.script(say('Now it works.'));
    await person.chat.retry();
    await person.until('the answer', () => person.said().at(-1) === 'assistant: Now it works.');
    expect(person.said().filter((line) => line === 'user: Hello')).toHaveLength(2);
  });

  it('removes a queued prompt and continues; the next one follows', async () => {
    const person = await stage.newChat();
    let go = (): void => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    stage.model.script(sayHalf('Wait', held), say('To the third.'));
    for (const text of ['First', 'Second', 'Third']) await person.chat.send(text);
    const queued = await person.until('the queue', ({ turn }) =>
      turn.queued.length === 2 ? turn.queued : undefined,
    );
    expect(queued.map(({ text }) => text)).toEqual(['Second', 'Third']);
    expect(await person.chat.removeQueued(queued[0]?.promptId ?? '')).toBe('removed');
    expect(await person.chat.removeQueued(queued[0]?.promptId ?? '')).toBe('started');
    go();
    await person.until('the third answer', ({ turn }) => turn.state === 'idle' && person.said().length === 4);
    expect(person.said()).toEqual([
      'user: First',
      'assistant: Wait',
      'user: Third',
      'assistant: To the third.',
    ]);
  });

  it('shows the plan', async () => {
    const person = await stage.newChat();
    const todos = [
      { id: '1', content: 'Look', status: 'completed' },
      { id: '2', content: 'Leap', status: 'in_progress' },
    ];
    stage.model.script(call('todo_write', { todos }), say('Planned.'));
    await person.ask('Plan');
    expect(person.model.plan).toMatchObject([
      { content: 'Look', status: 'completed' },
      { content: 'Leap', status: 'in_progress' },
    ]);
  });

  it('sends an image', async () => {
    const person = await stage.newChat();
    stage.model.script(say('A dot.'));
    await person.chat.send([
      { type: 'text', text: 'What is this?' },
      { type: 'image', data: dot, mimeType: 'image/png' },
    ]);
    await person.until('the answer', () => person.said().at(-1) === 'assistant: A dot.');
    const [message] = person.model.items;
    expect(message).toMatchObject({
      kind: 'user',
      text: 'What is this?',
      images: [{ mimeType: 'image/png' }],
    });
    expect(person.model.items).toHaveLength(2);
    expect(stage.model.conversation.at(-1)?.raw).toContain(dot);
    expect(person.model.models.available.map(({ name, takesImages }) => [name, takesImages])).toEqual([
      ['Fake One', true],
      ['Fake Two', false],
    ]);
  });

  it('has an image described by another model if its own accepts none', async () => {
    const person = await stage.newChat();
    await person.chat.setModel('fake-model-2(openai)');
    stage.model.script(say(' A dot.'));
    await person.chat.send([
      { type: 'text', text: 'What is this?' },
      { type: 'image', data: dot, mimeType: 'image/png' },
    ]);
    await person.until('the answer', () => person.said().at(-1)?.endsWith(' A dot.'));
    expect(person.said().at(-1)).toContain('Converted 1 image(s) to text via fake-model');
    expect(stage.model.conversation.at(-1)?.raw).not.toContain(dot);
    await person.chat.setModel('fake-model(openai)');
  });

  it('is the same chat after applying the patches', async () => {
    const person = await stage.newChat();
    stage.model.script(call('list_directory', { path: stage.workspace }), say('Listed.'));
    await person.ask('List');
    const wire: unknown = JSON.parse(JSON.stringify(person.patches));
    const mirrored = applyChatPatches(emptyChat, wire as typeof person.patches);
    expect(mirrored).toEqual(JSON.parse(JSON.stringify(person.model)) as ChatModel);
  });
});

describe('an edited message', () => {
  it('rewinds the session for all clients and leaves files unchanged', async () => {
    const person = await stage.newChat();
    const path = stage.path('rewound.txt');
    stage.model.script(
      say('One.'),
      call('write_file', { file_path: path, content: 'kept\n' }),
      say('Two.'),
      say('Three.'),
    );
    await person.ask('The first');
    await person.chat.send('The second');
    const { requestId } = await person.request();
    await person.chat.answer(requestId, { optionId: 'proceed_once' });
    await person.until('the end', ({ turn, pending }) => turn.state === 'idle' && pending.length === 0);
    await person.ask('The third');
    const other = stage.chat();
    await other.chat.openSession(person.model.session?.id ?? '');
    stage.model.script(say('Otherwise.'));
    expect(await person.chat.send('The second, edited', { replaces: promptOf(person, 'The second') })).toBe(
      'rewound',
    );
    const left = ['user: The first', 'assistant: One.', 'user: The second, edited', 'assistant: Otherwise.'];
    for (const each of [person, other]) {
      await each.until('the other answer', () => each.said().at(-1) === 'assistant: Otherwise.');
      expect(each.said()).toEqual(left);
    }
    const request = stage.model.conversation.at(-1)?.raw ?? '';
    expect(request).toContain('The first');
    expect(request).not.toContain('The third');
    expect(await stage.read('rewound.txt')).toBe('kept\n');
    const wire: unknown = JSON.parse(JSON.stringify(person.patches));
    expect(applyChatPatches(emptyChat, wire as typeof person.patches).items).toEqual(person.model.items);
    const late = stage.chat();
    await late.chat.openSession(person.model.session?.id ?? '');
    expect(late.said()).toEqual(left);
  });

  it('is sent as a new one during an answer and if the daemon has no turn for it', async () => {
    const person = await stage.newChat();
    stage.model.script(say('One.'), sayHalf('Half', new Promise(() => {})));
    await person.ask('The first');
    await person.chat.send('The second');
    await person.until('the first half', () => person.said().at(-1) === 'assistant: Half');
    expect(await person.chat.send('Again', { replaces: promptOf(person, 'The first') })).toBe('sent');
    await person.chat.cancel();
    await person.until('the queued one', () => person.said().includes('user: Again'));
    expect(person.said().slice(0, 2)).toEqual(['user: The first', 'assistant: One.']);
    await person.chat.cancel();
    await person.until('the end', ({ turn }) => turn.state === 'idle');
    stage.model.clearScript();
    stage.model.script(say('New.'));
    expect(await person.chat.send('Of no turn', { replaces: 'no-such-prompt' })).toBe('sent');
    await person.until('the answer', () => person.said().at(-1) === 'assistant: New.');
    expect(person.said()[0]).toBe('user: The first');
  });
});

describe('an edit', () => {
  it('shows its diff, asks, and completes once it is allowed', async () => {
    const person = await stage.newChat();
    const path = stage.path('poem.txt');
    stage.model.script(call('write_file', { file_path: path, content: 'roses\n' }), say('Written.'));
    await person.chat.send('Write');
    const request = await person.request();
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
    expect(person.card()).toMatchObject({ requestId: request.requestId, status: 'pending' });
    expect(await person.chat.answer(request.requestId, { optionId: 'proceed_once' })).toBe('answered');
    await person.until('the end', ({ turn }) => turn.state === 'idle');
    expect(person.card()).toMatchObject({
      title: 'Writing to poem.txt',
      status: 'completed',
      content: [{ type: 'diff', path, newText: 'roses\n' }],
      decision: { optionId: 'proceed_once', isAllowed: true, isElsewhere: false },
    });
    expect(person.card().requestId).toBeUndefined();
    expect(person.model.pending).toEqual([]);
    expect(await stage.read('poem.txt')).toBe('roses\n');
  });

  it('leaves the file unchanged when it is rejected', async () => {
    const person = await stage.newChat();
    const path = await stage.sandbox.write(stage.path('kept.txt'), 'mine\n');
    stage.model.script(
      call('read_file', { file_path: path }),
      call('edit', { file_path: path, old_string: 'mine', new_string: 'yours' }),
    );
    await person.chat.send('Edit');
    const { requestId } = await person.request();
    await person.chat.answer(requestId, { optionId: 'cancel' });
    await person.until('the end', ({ turn }) => turn.state === 'idle');
    expect(person.card()).toMatchObject({ status: 'failed', decision: { isAllowed: false } });
    expect(await stage.read('kept.txt')).toBe('mine\n');
  });

  it('asks one after the other', async () => {
    const person = await stage.newChat();
    const write = (name: string) => call('write_file', { file_path: stage.path(name), content: name });
    stage.model.script(atOnce([write('one.txt'), write('two.txt')]), say('Both.'));
    await person.chat.send('Write two');
    const first = await person.request();
    await person.chat.answer(first.requestId, { optionId: 'proceed_once' });
    const second = await person.until('the second request', ({ pending }) =>
      pending.find(({ requestId }) => requestId !== first.requestId),
    );
    await person.chat.answer(second.requestId, { optionId: 'proceed_once' });
    await person.until('the end', ({ turn }) => turn.state === 'idle');
    expect([await stage.read('one.txt'), await stage.read('two.txt')]).toEqual(['one.txt', 'two.txt']);
  });
});

describe('a shell command', () => {
  it('that is always allowed is stored where the option says and asks no more', async () => {
    const person = await stage.newChat();
    const touch = (name: string) => {
      const input = { command: `touch ${name}`, description: 'Touch', is_background: false };
      return call('run_shell_command', input);
    };
    stage.model.script(touch('first'), say('Done.'));
    await person.chat.send('Touch');
    const request = await person.request();
    const always = request.options.find(({ scope }) => scope === 'project');
    expect(request.options.map(({ scope, isAllow }) => `${scope} ${isAllow}`)).toEqual([
      'project true',
      'user true',
      'once true',
      'once false',
    ]);
    await person.chat.answer(request.requestId, { optionId: always?.optionId ?? '' });
    await person.until('the end', ({ turn }) => turn.state === 'idle');
    expect(await stage.read('.qwen/settings.json')).toContain('touch');
    stage.model.script(touch('second'), say('Done again.'));
    await person.ask('Touch again');
    expect(person.card()).toMatchObject({ status: 'completed' });
    expect(await stage.read('second')).toBe('');
  });
});

describe('a question', () => {
  it('with two parts sends the model both answers', async () => {
    const person = await stage.newChat();
    stage.model.script(call('ask_user_question', { questions }), say('Understood.'));
    await person.chat.send('Ask me');
    const request = await person.request();
    expect(request).toMatchObject({
      kind: 'questions',
      questions: [
        { key: '0', header: 'Colour', question: 'Which colour?', isMultiSelect: false },
        { key: '1', header: 'Sizes', question: 'Which sizes?', isMultiSelect: true },
      ],
    });
    const answers = { 0: 'A free text', 1: 'Small, Large' };
    await person.chat.answer(request.requestId, { optionId: 'proceed_once', answers });
    await person.until('the end', ({ turn }) => turn.state === 'idle');
    const [told] = stage.model.toolResults.slice(-1);
    expect(told).toContain('A free text');
    expect(told).toContain('Small, Large');
  });
});

describe('the name localhost', () => {
  it('finds the daemon at any of its addresses', async () => {
    const { port } = new URL(stage.daemon.url);
    const person = stage.chat({ baseUrl: `http://localhost:${port}` });
    stage.model.script(say('Here.'));
    await person.chat.newSession();
    await person.ask('Hello');
    expect(person.said().at(-1)).toBe('assistant: Here.');
  });
});

describe('the session', () => {
  it('switches its model', async () => {
    const person = await stage.newChat();
    const { models } = person.model;
    expect(models.available.map(({ name }) => name)).toEqual(['Fake One', 'Fake Two']);
    const other = models.available.find(({ name }) => name === 'Fake Two');
    await person.chat.setModel(other?.id ?? '');
    await person.until('the switch', ({ models: { current } }) => current === other?.id);
    stage.model.script(say('I am the other.'));
    await person.ask('Who are you?');
    expect(pickText(stage.model.conversation.at(-1)?.body, 'model')).toBe('fake-model-2');
    await person.chat.setModel(models.available[0]?.id ?? '');
  });

  it('switches its approval mode', async () => {
    const person = await stage.newChat();
    expect(person.model.modes).toMatchObject({ current: 'default' });
    await person.chat.setApprovalMode('auto-edit');
    await person.until('the switch', ({ modes }) => modes.current === 'auto-edit');
    stage.model.script(
      call('write_file', { file_path: stage.path('unasked.txt'), content: 'x' }),
      say('Done.'),
    );
    await person.ask('Write');
    expect(person.card()).toMatchObject({ status: 'completed' });
    expect(person.card().decision).toBeUndefined();
  });

  it('lists its slash commands', async () => {
    const person = await stage.newChat();
    expect(person.model.commands.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['compress', 'init']),
    );
  });

  it('accepts a prompt while it opens', async () => {
    const person = await stage.newChat();
    const { session } = person.model;
    stage.model.script(say('Here.'));
    const begun = person.chat.newSession();
    await person.chat.send('Hello');
    await begun;
    await person.until('the answer', ({ items, turn }) => items.length > 1 && turn.state === 'idle');
    expect(person.said()).toEqual(['user: Hello', 'assistant: Here.']);
    expect(person.model.session?.id).not.toBe(session?.id);
  });

  it('is listed and reopens with its history', async () => {
    const person = await stage.newChat();
    stage.model.script(think('Hm.', 'An answer to keep.'));
    await person.ask('A question to keep');
    const said = person.said();
    const { session } = person.model;
    await person.chat.newSession();
    expect(person.said()).toEqual([]);
    const listed = (await person.chat.listSessions()).find(({ id }) => id === session?.id);
    expect(listed).toMatchObject({ title: 'A question to keep', isRunning: false });
    await person.chat.openSession(session?.id ?? '');
    expect(person.said()).toEqual(said);
    expect(person.model.session?.id).toBe(session?.id);
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
function promptOf({ model }: ChatPerson, text: string): string {
  const message = model.items.find((item) => item.kind === 'user' && item.text === text);
  if (message?.promptId === undefined) throw new Error(`No message says ${text}.`);
  return message.promptId;
}
