import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { DaemonStage } from '../../src/daemon/daemonStage.js';
import { call, say, sayHalf } from '../../src/model/turn.js';

/** What happens when a daemon or a part of it ends. Tests share a daemon until one of them ends it. */
let current: DaemonStage | undefined;
let stage: DaemonStage;
beforeEach(async () => {
  current ??= await DaemonStage.open();
  stage = current;
});
afterEach(async ({ task }) => {
  stage.model.clearScript();
  if (task.result?.state === 'fail') await discard();
});
afterAll(discard);

async function discard(): Promise<void> {
  const ended = current;
  current = undefined;
  await ended?.dispose();
}

const forEver = new Promise<void>(() => {});

describe('when the agent of the session is killed', () => {
  it('ends the turn and the connection once, and the chat can be reopened [DMN-4]', async () => {
    const [ide, user] = [stage.ide(), stage.chat()];
    await user.chat.connect();
    stage.model.script(say('First answer.'), sayHalf('Half an', forEver));
    await user.ask('First');
    await ide.connect(stage.ideOptions());
    const turn = ide.connection.sendPrompt('Second');
    const outcome = expect(turn).rejects.toMatchObject({ kind: 'request_failed' });
    await ide.until('the first half', () => ide.text() === 'Half an');
    process.kill(agentOf(stage.daemon.pid), 'SIGKILL');
    await outcome;
    await ide.until('the end', () => ide.disconnects.length > 0);
    expect(ide.disconnects).toEqual(['channel_closed']);
    expect(ide.ends).toEqual(['error']);
    await user.until('the end', ({ connection }) => connection.state === 'disconnected');
    expect(user.model).toMatchObject({
      connection: { problem: { kind: 'session_ended' } },
      turn: { state: 'idle' },
    });
    const id = user.model.session?.id;
    await user.chat.connect(id);
    stage.model.script(say('Alive.'));
    await user.ask('Third');
    expect(user.said()).toEqual([
      'user: First',
      'assistant: First answer.',
      'user: Second',
      'user: Third',
      'assistant: Alive.',
    ]);
    expect(user.model.session?.id).toBe(id);
  });
});

describe('when a client closes the session', () => {
  it('ends the streams of all clients, which do not reopen them [DMN-5]', async () => {
    const [ide, user] = [stage.ide(), stage.chat()];
    await Promise.all([ide.connect(stage.ideOptions()), user.chat.connect()]);
    await closeSession(ide.connection.currentSessionId ?? '');
    await ide.until('the end', () => ide.disconnects.length > 0);
    expect(ide.disconnects).toEqual(['stream_ended']);
    await user.until('the end', ({ connection }) => connection.state === 'disconnected');
    expect(user.model.connection.problem?.kind).toBe('session_ended');
  });
});

describe('when the daemon is stopped', () => {
  it(
    'ends the connection once, with the reason, and dismisses its requests [DMN-4]',
    exhaustive,
    async () => {
      const [ide, user] = [stage.ide(), stage.chat()];
      await Promise.all([ide.connect(stage.ideOptions()), user.chat.connect()]);
      stage.model.script(call('write_file', { file_path: stage.path('a.txt'), content: 'x' }));
      const turn = ide.connection.sendPrompt('Write');
      const outcome = expect(turn).rejects.toThrow();
      await ide.until('the request', () => ide.permissions.length > 0);
      await user.request();
      await stage.daemon.stop();
      await outcome;
      await ide.until('the end', () => ide.disconnects.length > 0);
      expect(ide.disconnects).toEqual(['daemon_shutdown']);
      expect(ide.dismissed).toHaveLength(1);
      await user.until('the end', ({ connection }) => connection.state === 'disconnected');
      expect(user.model).toMatchObject({ connection: { problem: { kind: 'daemon_stopped' } }, pending: [] });
      expect(user.asks[0]?.signal.aborted).toBe(true);
      await discard();
    },
  );
});

describe('when the daemon is killed during a turn', () => {
  it('continues after a restart with every text once, and reports the lost turn [DMN-20]', async () => {
    const [ide, user] = [stage.ide(), stage.chat()];
    await user.chat.newSession();
    await ide.connect(stage.ideOptions());
    stage.model.script(say('First answer.'), say('First.'));
    await user.ask('First');
    await ide.connection.sendPrompt('One');
    stage.model.script(sayHalf('Half an answer', forEver));
    await user.chat.send('Second');
    await user.until('the first half', () => user.said().at(-1) === 'assistant: Half an answer');
    stage.model.script(sayHalf('Half.', forEver));
    const turn = ide.connection.sendPrompt('Two');
    const outcome = expect(turn).rejects.toMatchObject({ kind: 'daemon_stopped' });
    await ide.until('the first half', () => ide.text() === 'First.Half.');
    await killDaemon();
    await user.until('the break', ({ connection }) => connection.state === 'reconnecting');
    await stage.restart();
    await user.until('the daemon again', ({ connection }) => connection.state === 'connected');
    await user.until('the lost turn', ({ items }) => items.at(-1)?.kind === 'error');
    await outcome;
    expect(ide.ends).toEqual(['end_turn', 'error']);
    stage.model.script(say('Second answer.'));
    await user.chat.retry();
    await user.until('the answer', () => user.said().at(-1) === 'assistant: Second answer.');
    expect(user.said()).toEqual([
      'user: First',
      'assistant: First answer.',
      'user: Second',
      'assistant: Half an answer',
      expect.stringMatching(/^error: The daemon was restarted/),
      'user: Second',
      'assistant: Second answer.',
    ]);
    stage.model.script(say('Again.'));
    await ide.connection.sendPrompt('Three');
    expect(ide.text()).toBe('First.Half.Again.');
    expect(ide.disconnects).toEqual([]);
  });

  it('reports the end once without a restart [DMN-5]', exhaustive, async () => {
    const [ide, user] = [stage.ide({ reconnectForMs: 300 }), stage.chat({ reconnectForMs: 300 })];
    await Promise.all([ide.connect(stage.ideOptions()), user.chat.connect()]);
    await killDaemon();
    await ide.until('the end', () => ide.disconnects.length > 0);
    expect(ide.disconnects).toEqual(['daemon_error']);
    await user.until('the end', ({ connection }) => connection.state === 'disconnected');
    expect(user.model.connection.problem?.kind).toBe('unreachable');
    await discard();
  });
});

async function killDaemon(): Promise<void> {
  const { pid, ended } = stage.daemon;
  process.kill(-pid, 'SIGKILL');
  await ended;
}

/** The daemon's child process, which runs the sessions. */
function agentOf(daemon: number): number {
  return Number(execFileSync('pgrep', ['-P', String(daemon)], { encoding: 'utf8' }).split('\n')[0]);
}

async function closeSession(id: string): Promise<void> {
  const { url, token } = stage.daemon;
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/session/${id}`, { method: 'DELETE', headers });
  expect(response.ok).toBe(true);
}
