import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  type AskUserQuestionRequest,
  DaemonChat,
  DaemonIdeConnection,
  type DaemonPermissionRequest,
} from '../src/index.js';
import type { ChatRequest } from '../src/model/index.js';
import { FaultyDaemon, type OpenStream } from './faultyDaemon.js';

const questions = [{ question: 'Which?', header: 'Pick', options: [{ label: 'A' }, { label: 'B' }] }];
const once = { optionId: 'proceed_once', name: 'Allow', kind: 'allow_once' };
const options = [
  { optionId: 'proceed_always_project', name: 'Always Allow in project: touch *', kind: 'allow_always' },
  once,
  { optionId: 'cancel', name: 'Reject', kind: 'reject_once' },
];
const refused = { outcome: { outcome: 'cancelled' } };

/** A request as the real daemon builds it from the model's arguments. */
function request(
  requestId: string,
  toolName: string,
  kind: string,
  rawInput: object,
  more: object = {},
): object {
  const toolCall = {
    toolCallId: requestId,
    title: 'Say hello',
    kind,
    rawInput,
    _meta: { toolName },
    ...more,
  };
  return {
    type: 'permission_request',
    data: {
      requestId,
      sessionId: 'session-1',
      toolCall: { content: [], locations: [], ...toolCall },
      options,
    },
  };
}

const shell = request('shell', 'run_shell_command', 'execute', { command: 'touch owned', questions: [] });
const file = request('file', 'write_file', 'edit', { file_path: '/a', content: 'x', questions });
const question = request('question', 'ask_user_question', 'think', { questions });
const hostile: readonly (readonly [string, object])[] = [
  ['without questions', request('none', 'ask_user_question', 'think', { questions: [] })],
  ['with a command', request('more', 'ask_user_question', 'think', { questions, command: 'touch owned' })],
  [
    'with a change',
    request(
      'diff',
      'ask_user_question',
      'think',
      { questions },
      { content: [{ type: 'diff', path: '/a', newText: 'x' }] },
    ),
  ],
];

let daemon: FaultyDaemon;
beforeEach(async () => {
  daemon = await FaultyDaemon.start();
  return () => daemon.close();
});

async function vote(): Promise<{ readonly path: string; readonly body: unknown }> {
  await expect.poll(() => daemon.votes).toHaveLength(1);
  const [first] = daemon.votes;
  if (first === undefined) throw new Error('There is no vote.');
  return first;
}

describe('the adapter', () => {
  async function connected() {
    const connection = new DaemonIdeConnection();
    onTestFinished(() => connection.disconnect());
    const permissions: DaemonPermissionRequest[] = [];
    const asked: AskUserQuestionRequest[] = [];
    let answer = (_chosen: { optionId: string }): void => {};
    connection.onPermissionRequest = (_data, context) => {
      if (context !== undefined) permissions.push(context.request);
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    connection.onAskUserQuestion = (data) => {
      asked.push(data);
      return new Promise(() => {});
    };
    await connection.connect({ baseUrl: daemon.url });
    return {
      connection,
      permissions,
      asked,
      stream: await daemon.stream(),
      answer: (optionId: string) => answer({ optionId }),
    };
  }

  it.each([
    ['a shell command', shell],
    ['a file', file],
  ])('requests a permission for %s that carries questions [DMN-2]', async (_name, event) => {
    const { stream, permissions, asked, answer } = await connected();
    stream.send(event);
    await expect.poll(() => permissions).toHaveLength(1);
    expect(asked).toEqual([]);
    expect(daemon.votes).toEqual([]);
    answer('cancel');
    expect((await vote()).body).toEqual({ outcome: { outcome: 'selected', optionId: 'cancel' } });
  });

  it.each(hostile)('refuses a question %s without calling a handler [DMN-3]', async (_name, event) => {
    const { stream, permissions, asked } = await connected();
    stream.send(event);
    expect((await vote()).body).toEqual(refused);
    expect([permissions, asked]).toEqual([[], []]);
  });

  it('asks the questions of the question tool [DMN-3]', async () => {
    const { stream, permissions, asked } = await connected();
    stream.send(question);
    await expect.poll(() => asked).toHaveLength(1);
    expect(permissions).toEqual([]);
  });

  it('applies the same rule to requests that were pending before it connected [DMN-18]', async () => {
    daemon.pendingInteractions = [
      {
        requestId: 'p',
        kind: 'permission',
        action: { type: 'execute', input: { command: 'x', questions } },
        options,
      },
      { requestId: 'q', kind: 'user_question', questions: [{ ...questions[0], answerKey: '0' }], options },
      { requestId: 'r', kind: 'user_question', questions: [], options },
      { requestId: 7 },
    ];
    const { permissions, asked } = await connected();
    expect(await vote()).toMatchObject({ path: expect.stringMatching(/\/r$/), body: refused });
    expect(permissions.map(({ requestId }) => requestId)).toEqual(['p']);
    expect(asked.map(({ requestId }) => requestId)).toEqual(['q']);
  });
});

describe('the chat', () => {
  async function connected() {
    const chat = new DaemonChat({ baseUrl: daemon.url, folder: '/workspace' });
    onTestFinished(() => chat.dispose());
    const asked: ChatRequest[] = [];
    chat.onDidAsk(({ request: each }) => asked.push(each));
    const opening = chat.connect();
    const stream: OpenStream = await daemon.stream();
    await opening;
    const pending = async (): Promise<ChatRequest> => {
      await expect.poll(() => chat.model.pending).toHaveLength(1);
      const [first] = chat.model.pending;
      if (first === undefined) throw new Error('Nothing is pending.');
      return first;
    };
    return { chat, asked, stream, pending };
  }

  it('shows a tool that carries questions as a permission with its input', async () => {
    const { stream, pending, asked } = await connected();
    stream.send(shell);
    expect(await pending()).toMatchObject({
      kind: 'permission',
      toolName: 'run_shell_command',
      input: { command: 'touch owned', questions: [] },
    });
    expect(asked).toMatchObject([{ kind: 'permission' }]);
  });

  it.each(hostile)('refuses a question %s and shows the refusal [DMN-3]', async (_name, event) => {
    const { stream, chat, asked } = await connected();
    stream.send(event);
    const { path, body } = await vote();
    expect(body).toEqual(refused);
    expect(asked).toEqual([]);
    expect(chat.model.pending).toMatchObject([{ kind: 'refused' }]);
    const requestId = path.replace(/.*\//, '');
    stream.send({ type: 'permission_resolved', data: { requestId, outcome: { outcome: 'cancelled' } } });
    await expect.poll(() => chat.model.pending).toEqual([]);
    expect(chat.model.items).toMatchObject([
      { kind: 'tool', refusal: expect.any(String), decision: { isAllowed: false } },
    ]);
  });

  it('applies the same rule to requests that were pending before it connected', async () => {
    daemon.pendingInteractions = [
      { requestId: 'r', kind: 'user_question', questions: [], options },
      { requestId: 'p', kind: 'permission', action: { type: 'think', input: { questions } }, options },
    ];
    const { asked } = await connected();
    expect(await vote()).toMatchObject({ path: expect.stringMatching(/\/r$/), body: refused });
    expect(asked).toMatchObject([{ requestId: 'p', kind: 'permission' }]);
  });

  it.each([
    ['questions without answers', question, { optionId: 'proceed_once' }],
    ['questions without one of the answers', question, { optionId: 'proceed_once', answers: { 1: 'A' } }],
    ['questions with an empty answer', question, { optionId: 'proceed_once', answers: { 0: ' ' } }],
    ['questions by what lasts', question, { optionId: 'proceed_always_project', answers: { 0: 'A' } }],
    ['a permission by an option that is not offered', shell, { optionId: 'proceed_always_user' }],
  ])('allows only what was chosen: rejects %s', async (_name, event, answer) => {
    const { stream, chat, pending } = await connected();
    stream.send(event);
    const { requestId } = await pending();
    await expect(chat.answer(requestId, answer)).rejects.toMatchObject({ kind: 'request_failed' });
    expect(daemon.votes).toEqual([]);
    expect(await pending()).toMatchObject({ isAnswering: false });
  });

  it('sends the chosen answers', async () => {
    const { stream, chat, pending } = await connected();
    stream.send(question);
    const { requestId } = await pending();
    await chat.answer(requestId, { optionId: 'proceed_once', answers: { 0: 'B' } });
    const outcome = { outcome: 'selected', optionId: 'proceed_once' };
    expect((await vote()).body).toEqual({ outcome, answers: { 0: 'B' } });
  });
});
