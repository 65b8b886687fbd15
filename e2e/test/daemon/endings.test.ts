import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DaemonStage } from '../../src/daemon/daemonStage.js';
import { call, say, sayHalf } from '../../src/model/turn.js';

/** What a daemon does when it or its parts die: a daemon for each test. */
let stage: DaemonStage;
beforeEach(async () => {
  stage = await DaemonStage.open();
});
afterEach(() => stage.dispose());

const forEver = new Promise<void>(() => {});

describe('the agent of the session is killed', () => {
  it('ends the turn and the connection, each once, and the chat can be opened again [DMN-4]', async () => {
    const [ide, person] = [stage.ide(), stage.chat()];
    await person.chat.connect();
    stage.model.script(say('First answer.'), sayHalf('Half an', forEver));
    await person.ask('First');
    await ide.connect(stage.ideOptions());
    const turn = ide.connection.sendPrompt('Second');
    const outcome = expect(turn).rejects.toMatchObject({ kind: 'request_failed' });
    await ide.until('the first half', () => ide.text() === 'Half an');
    process.kill(agentOf(stage.daemon.pid), 'SIGKILL');
    await outcome;
    await ide.until('the end', () => ide.disconnects.length > 0);
    expect(ide.disconnects).toEqual(['channel_closed']);
    expect(ide.ends).toEqual(['error']);
    await person.until('the end', ({ connection }) => connection.state === 'disconnected');
    expect(person.model).toMatchObject({
      connection: { problem: { kind: 'session_ended' } },
      turn: { state: 'idle' },
    });
    const id = person.model.session?.id;
    await person.chat.connect(id);
    stage.model.script(say('Alive.'));
    await person.ask('Third');
    expect(person.said()).toEqual([
      'user: First',
      'assistant: First answer.',
      'user: Second',
      'user: Third',
      'assistant: Alive.',
    ]);
    expect(person.model.session?.id).toBe(id);
  });
});

describe('the daemon is stopped', () => {
  it('ends the connection once, with the reason, and dismisses what was asked [DMN-4]', async () => {
    const [ide, person] = [stage.ide(), stage.chat()];
    await Promise.all([ide.connect(stage.ideOptions()), person.chat.connect()]);
    stage.model.script(call('write_file', { file_path: stage.path('a.txt'), content: 'x' }));
    const turn = ide.connection.sendPrompt('Write');
    const outcome = expect(turn).rejects.toThrow();
    await ide.until('the request', () => ide.permissions.length > 0);
    await person.request();
    await stage.daemon.stop();
    await outcome;
    await ide.until('the end', () => ide.disconnects.length > 0);
    expect(ide.disconnects).toEqual(['daemon_shutdown']);
    expect(ide.dismissed).toHaveLength(1);
    await person.until('the end', ({ connection }) => connection.state === 'disconnected');
    expect(person.model).toMatchObject({ connection: { problem: { kind: 'daemon_stopped' } }, pending: [] });
    expect(person.asks[0]?.signal.aborted).toBe(true);
  });
});

describe('somebody closes the session', () => {
  it('ends the stream of all, which nobody opens again [DMN-5]', async () => {
    const [ide, person] = [stage.ide(), stage.chat()];
    await Promise.all([ide.connect(stage.ideOptions()), person.chat.connect()]);
    await closeSession(ide.connection.currentSessionId ?? '');
    await ide.until('the end', () => ide.disconnects.length > 0);
    expect(ide.disconnects).toEqual(['stream_ended']);
    await person.until('the end', ({ connection }) => connection.state === 'disconnected');
    expect(person.model.connection.problem?.kind).toBe('session_ended');
  });
});

describe('the daemon is killed during a turn', () => {
  it('and comes back: the chat goes on, every text once [DMN-20]', async () => {
    const person = stage.chat();
    await person.chat.connect();
    stage.model.script(say('First answer.'), sayHalf('Half an answer', forEver));
    await person.ask('First');
    await person.chat.send('Second');
    await person.until('the first half', () => person.said().at(-1) === 'assistant: Half an answer');
    await killDaemon();
    await person.until('the break', ({ connection }) => connection.state === 'reconnecting');
    await stage.restart();
    await person.until('the daemon again', ({ connection }) => connection.state === 'connected');
    await person.until('the lost turn', ({ items }) => items.at(-1)?.kind === 'error');
    stage.model.script(say('Second answer.'));
    await person.chat.retry();
    await person.until('the answer', () => person.said().at(-1) === 'assistant: Second answer.');
    expect(person.said()).toEqual([
      'user: First',
      'assistant: First answer.',
      'user: Second',
      'assistant: Half an answer',
      expect.stringMatching(/^error: The daemon was restarted/),
      'user: Second',
      'assistant: Second answer.',
    ]);
  });

  it('and comes back: the editor is told every text once, and that the turn is lost [DMN-20]', async () => {
    const ide = stage.ide();
    await ide.connect(stage.ideOptions());
    stage.model.script(say('First.'), sayHalf('Half.', forEver));
    await ide.connection.sendPrompt('One');
    const turn = ide.connection.sendPrompt('Two');
    const outcome = expect(turn).rejects.toMatchObject({ kind: 'daemon_stopped' });
    await ide.until('the first half', () => ide.text() === 'First.Half.');
    await killDaemon();
    await stage.restart();
    await outcome;
    expect(ide.ends).toEqual(['end_turn', 'error']);
    stage.model.script(say('Again.'));
    await ide.connection.sendPrompt('Three');
    expect(ide.text()).toBe('First.Half.Again.');
    expect(ide.disconnects).toEqual([]);
  });

  it('and stays away: the end is told once [DMN-5]', async () => {
    const [ide, person] = [stage.ide({ reconnectForMs: 300 }), stage.chat({ reconnectForMs: 300 })];
    await Promise.all([ide.connect(stage.ideOptions()), person.chat.connect()]);
    await killDaemon();
    await ide.until('the end', () => ide.disconnects.length > 0);
    expect(ide.disconnects).toEqual(['daemon_error']);
    await person.until('the end', ({ connection }) => connection.state === 'disconnected');
    expect(person.model.connection.problem?.kind).toBe('unreachable');
  });
});

async function killDaemon(): Promise<void> {
  const { pid, ended } = stage.daemon;
  process.kill(-pid, 'SIGKILL');
  await ended;
}

/** The process that the daemon runs the sessions in: its child. */
function agentOf(daemon: number): number {
  return Number(execFileSync('pgrep', ['-P', String(daemon)], { encoding: 'utf8' }).split('\n')[0]);
}

async function closeSession(id: string): Promise<void> {
  const { url, token } = stage.daemon;
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/session/${id}`, { method: 'DELETE', headers });
  expect(response.ok).toBe(true);
}
