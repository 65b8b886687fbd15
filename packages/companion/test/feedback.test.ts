import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Machine } from '@tandem/agents';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ClaudeClient } from '../../agents/test/support/claudeClient.js';
import { hookHint } from '../src/feedback/hookHint.js';
import {
  type CompanionStage,
  filesBelow,
  makeMachine,
  makeWorkspace,
  useStages,
} from './support/companionStage.js';

let folder: string;
let path: string;
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const start = useStages();
beforeEach(() => {
  folder = makeWorkspace({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  path = join(folder, 'a.txt');
});

/** A diff that Claude Code has opened, on which the user has commented. */
async function propose(stage: CompanionStage, client: ClaudeClient, file = path, title = `tab ${file}`) {
  const call = client.beginOpenDiff(file, 'ONE\n', title);
  const { id } = await stage.event('review.opened', (event) => event.path === file);
  stage.companion.reviews.get(id)?.addComment({ text: 'Why?', lines: { first: 0, last: 0 } });
  const { client: control } = await stage.found();
  return { id, title, call, send: (rejects: boolean) => control.call('review.feedback', { id, rejects }) };
}

async function begin(machine: Machine = makeMachine()) {
  const stage = await start({ folders: [folder], machine });
  const client = await stage.connect('claude');
  const feedbackFiles = () => filesBelow(join(machine.home, '.local/state/tandem/feedback'));
  return { stage, client, feedbackFiles };
}

describe('feedback to Claude Code', () => {
  test('is a reference to a private file in the prompt of that session, once it has closed the tab', async () => {
    const { stage, client, feedbackFiles } = await begin();
    const other = await stage.connect('claude');
    const { send, title } = await propose(stage, client);
    const sent = send(true);
    await stage.event('review.decided');
    expect(feedbackFiles()).toEqual([]);
    await client.call('close_tab', { tab_name: title });
    const { params } = await client.next('at_mentioned');
    const { text, delivery, note } = await sent;
    expect([delivery, note]).toEqual([
      'prompt',
      expect.stringContaining('prompt of Claude Code, as a reference to a file'),
    ]);
    expect(readFileSync(params.filePath, 'utf8')).toBe(`${text}\n`);
    expect(text).toBe('Review of a.txt, line 1: rejected.\n\n│ ONE\nWhy?');
    expect(statSync(params.filePath).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(params.filePath)).mode & 0o777).toBe(0o700);
    expect(Object.keys(params)).toEqual(['filePath']);
    expect(other.received).not.toContain('at_mentioned');
    expect(stage.log.join()).not.toContain('Why?');
    const closed = stage.event('session.closed');
    await client.close();
    await closed;
    await expect.poll(feedbackFiles).toEqual([]);
  });

  test.each([
    ['the command that started the host', 'npx tandem', 'npx tandem hook install claude'],
    ['the command on the PATH', undefined, 'tandem hook install claude'],
  ])('names %s for its hook, and runs nothing', async (_case, command, named) => {
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    const ran = join(folder, 'ran');
    writeFileSync(join(programs, 'tandem'), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    const { env, ...machine } = makeMachine();
    const stage = await start({
      folders: [folder],
      machine: { ...machine, env: { ...env, PATH: programs } },
      ...(command !== undefined && { command }),
    });
    const client = await stage.connect('claude');
    const { send, title } = await propose(stage, client);
    const sent = send(true);
    await stage.event('review.decided');
    await client.call('close_tab', { tab_name: title });
    expect((await sent).note).toMatch(new RegExp(`next time, run: ${named}$`));
    expect(existsSync(ran)).toBe(false);
  });

  test('names what installs a command that is on no PATH, and nothing where hooks do not work', async () => {
    const programs = join(folder, 'programs');
    mkdirSync(join(programs, 'folder', 'tandem'), { recursive: true });
    writeFileSync(join(programs, 'tandem'), '', { mode: 0o644 });
    const PATH = [programs, join(programs, 'folder'), join(programs, 'none')].join(':');
    const machine = { ...makeMachine(), env: { PATH } };
    expect(await hookHint('claude', machine)).toMatch(
      / run: npm install --global tandem-cli && tandem hook install claude$/,
    );
    expect(await hookHint('codex', machine, 'tandem')).toMatch(/ run: tandem hook install codex$/);
    expect(await hookHint('copilot', machine, 'tandem')).toMatch(/ run: tandem hook install copilot$/);
    expect(await hookHint('claude', { ...machine, platform: 'win32' }, 'tandem')).toBe('');
    expect(await hookHint('qwen', machine, 'tandem')).toMatch(/ run: tandem hook install qwen$/);
    // It is not an agent of ours.
    expect(await hookHint('acme', machine, 'tandem')).toBe('');
  });

  test('is removed from the disk when the companion stops', async () => {
    const { stage, client, feedbackFiles } = await begin();
    const { send, title } = await propose(stage, client);
    const sent = send(true);
    await stage.event('review.decided');
    await client.call('close_tab', { tab_name: title });
    await sent;
    expect(feedbackFiles()).toHaveLength(1);
    await stage.companion.stop();
    expect(existsSync(feedbackFiles()[0] ?? '')).toBe(false);
  });

  test('stays out of the prompt while it asks about another change', async () => {
    const { stage, client, feedbackFiles } = await begin();
    const { send, title } = await propose(stage, client);
    await propose(stage, client, join(folder, 'b.txt'));
    const sent = send(true);
    await stage.event('review.decided');
    await client.call('close_tab', { tab_name: title });
    expect(await sent).toMatchObject({
      delivery: 'clipboard',
      note: expect.stringContaining('another of its reviews is pending'),
    });
    expect([feedbackFiles(), client.received.includes('at_mentioned')]).toEqual([[], false]);
  });

  test('stays out of the prompt while the change itself is pending, and once the agent has disconnected', async () => {
    const { stage, client } = await begin();
    const { send, id } = await propose(stage, client);
    expect(await send(false)).toMatchObject({ delivery: 'clipboard' });
    expect(stage.companion.reviews.get(id)?.state).toBe('pending');
    const closed = stage.event('session.closed');
    await client.close();
    await closed;
    expect(await send(false)).toMatchObject({
      delivery: 'clipboard',
      note: expect.stringContaining('disconnected'),
    });
    expect(client.received).not.toContain('at_mentioned');
  });

  test('stays out of the prompt if it may be showing a question by now', async () => {
    const { stage, client, feedbackFiles } = await begin();
    const { send, id } = await propose(stage, client);
    stage.companion.reviews.get(id)?.reject();
    expect(await send(false)).toMatchObject({
      delivery: 'clipboard',
      note: expect.stringContaining('may be showing a question'),
    });
    expect([feedbackFiles(), client.received.includes('at_mentioned')]).toEqual([[], false]);
  });

  test('stays out of the prompt if the path of its file would break there', async () => {
    const machine = makeMachine();
    const home = join(machine.home, 'with space');
    mkdirSync(home);
    const { stage, client } = await begin({ ...machine, home });
    const { send, title } = await propose(stage, client);
    const sent = send(true);
    await stage.event('review.decided');
    await client.call('close_tab', { tab_name: title });
    expect(await sent).toMatchObject({
      delivery: 'clipboard',
      note: expect.stringContaining('special characters'),
    });
  });
});

describe('feedback to Claude Code by its hook', () => {
  const asks = (tool_name: string, tool_input: object) => ({
    agent: 'claude',
    pid: 54321,
    request: { session_id: 'abc', hook_event_name: 'PermissionRequest', tool_name, tool_input },
  });
  const edit = (file = path, text = 'ONE') =>
    asks('Edit', { file_path: file, old_string: 'one', new_string: text });
  const protocolOf = ({ companion }: CompanionStage, agent = 'claude') =>
    companion.agents.protocols.find(({ identity }) => identity.id === agent);
  const hooksOf = (stage: CompanionStage) => protocolOf(stage)?.prompt?.hooks;
  /** Starts the hook. Resolves to the text with which it rejects. */
  async function ask(
    stage: CompanionStage,
    { agent, pid, request: input }: { agent: string; pid: number; request: unknown },
    signal = new AbortController().signal,
  ): Promise<string | undefined> {
    const start = { pid, mode: 'follow', isInteractive: true, input } as const;
    const answer = await protocolOf(stage, agent)?.hooks?.answer(start, { signal, whenSent: () => {} });
    return Object(answer?.output).hookSpecificOutput?.decision.message;
  }
  /** A diff for which the hook waits. */
  async function wait() {
    const { stage, client, feedbackFiles } = await begin();
    const { client: control } = await stage.found();
    // The hook may start before its diff.
    const decided = ask(stage, edit());
    const review = await propose(stage, client);
    await expect.poll(() => hooksOf(stage)?.areUsed).toBe(true);
    return { stage, client, control, decided, feedbackFiles, ...review };
  }

  test('is what the hook answers, before the rejection, which would end the turn', async () => {
    const { decided, send, title, client, call, feedbackFiles, stage, id } = await wait();
    const sent = send(true);
    expect(await decided).toBe('Review of a.txt, line 1: rejected.\n\n│ ONE\nWhy?');
    expect(stage.companion.reviews.get(id)?.state).toBe('rejected');
    await client.request('ping');
    expect(client.hasAnswer(call)).toBe(false);
    await client.call('close_tab', { tab_name: title });
    expect(await sent).toMatchObject({
      delivery: 'prompt',
      note: 'Claude Code has received the feedback and continues with it.',
    });
    expect(JSON.stringify(await client.answer(call))).toContain('DIFF_REJECTED');
    expect([feedbackFiles(), client.received.includes('at_mentioned')]).toEqual([[], false]);
  });

  test('is for the user to paste if the agent does not take the answer, and the rejection follows', async () => {
    const { decided, send, client, call } = await wait();
    const sent = send(true);
    expect(await decided).toBeDefined();
    expect(await sent).toMatchObject({
      delivery: 'clipboard',
      note: expect.stringContaining('has not confirmed'),
    });
    expect(JSON.stringify(await client.answer(call))).toContain('DIFF_REJECTED');
  });

  test.each([
    ['is accepted', ({ stage, id }: Waiting) => void stage.companion.reviews.get(id)?.accept()],
    [
      'is rejected without feedback',
      ({ stage, id }: Waiting) => void stage.companion.reviews.get(id)?.reject(),
    ],
    [
      'is decided in the terminal',
      ({ client, title }: Waiting) => client.call('close_tab', { tab_name: title }),
    ],
    ['loses its agent', ({ client }: Waiting) => client.close()],
  ])('does not exist if the change %s', async (_case, end) => {
    const waiting = await wait();
    await end(waiting);
    expect(await waiting.decided).toBeUndefined();
  });

  test('is a reference as without the hook, once the hook has ended', async () => {
    const { stage, client } = await begin();
    const { send, title } = await propose(stage, client);
    const hook = new AbortController();
    const decided = ask(stage, edit(), hook.signal);
    await Promise.resolve();
    hook.abort();
    expect(await decided).toBeUndefined();
    const sent = send(true);
    await stage.event('review.decided');
    await client.call('close_tab', { tab_name: title });
    expect(await sent).toMatchObject({ note: expect.stringContaining('as a reference to a file') });
  });

  test('goes to no hook of another process, tool, file or text', async () => {
    const { stage, client } = await begin();
    await propose(stage, client, join(folder, 'b.txt'));
    await propose(stage, client);
    const others = [
      ask(stage, { ...edit(), pid: 54322 }),
      ask(stage, { ...edit(), agent: 'gemini' }),
      ask(stage, { ...edit(), request: 'x' }),
      ask(stage, asks('Bash', { command: 'ls' })),
    ];
    expect(await Promise.all(others)).toEqual([undefined, undefined, undefined, undefined]);
    const hook = new AbortController();
    const hooks = hooksOf(stage);
    const unmatched = [edit(path, 'Two'), asks('Write', { file_path: path, content: 'ONE' })].map((each) =>
      ask(stage, each, hook.signal),
    );
    for (const review of stage.companion.reviews.pending) expect(hooks?.hold(review)).toBeUndefined();
    hook.abort();
    expect(await Promise.all(unmatched)).toEqual([undefined, undefined]);
  });

  type Waiting = Awaited<ReturnType<typeof wait>>;
});

describe('feedback to an agent that takes no reference', () => {
  /** Rejects a change of the agent with feedback. */
  async function reject(before = async (_stage: CompanionStage): Promise<void> => {}) {
    const stage = await start({ folders: [folder], machine: makeMachine(), command: 'npx tandem' });
    const client = await stage.connect('gemini');
    await client.openDiff(path, 'ONE\n');
    await before(stage);
    const { client: control } = await stage.found();
    await control.call('review.comment', { id: '1', text: 'Why?' });
    return control.call('review.feedback', { id: '1', rejects: true });
  }

  test('is for the user to paste, and the note names what lets its hooks receive it', async () => {
    expect(await reject()).toEqual({
      text: 'Review of a.txt: rejected.\n\nOn the whole proposal:\nWhy?',
      delivery: 'clipboard',
      note: 'The feedback could not be put into the prompt of Gemini CLI: no hook of Tandem has run in this session. Paste it there yourself. To let it receive feedback by itself next time, run: npx tandem hook install gemini',
    });
  });

  test('is for the user to paste if its hooks run and cannot pass it on', async () => {
    const sent = await reject(async ({ companion }) => {
      const [session] = companion.agents.sessions;
      const protocol = companion.agents.protocols.find(({ identity }) => identity.id === 'gemini');
      const request = { pid: 54321, mode: 'after', isInteractive: true, input: {} } as const;
      // Loads the code for hooks.
      await protocol?.hooks?.answer(request, { signal: new AbortController().signal, whenSent: () => {} });
      protocol?.hooks?.setMode({ id: session?.id ?? '' }, 'after');
    });
    expect(sent).toMatchObject({
      delivery: 'clipboard',
      note: 'The feedback could not be put into the prompt of Gemini CLI: it cannot receive feedback now. Paste it there yourself.',
    });
  });
});
