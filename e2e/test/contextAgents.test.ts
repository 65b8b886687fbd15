import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import type { Agent, ContextAgent } from '../src/agents/agent.js';
import { contextAgents } from '../src/agents/all.js';
import { claude } from '../src/agents/claude.js';
import { codex } from '../src/agents/codex.js';
import { copilot } from '../src/agents/copilot.js';
import { gemini } from '../src/agents/gemini.js';
import { kilo, opencode } from '../src/agents/opencode.js';
import { qwen } from '../src/agents/qwen.js';
import { say } from '../src/model/turn.js';
import { tandemCommand } from '../src/pinnedPrograms.js';
import { RunningAgent } from '../src/runningAgent.js';
import { type ConnectedAgent, Stage } from '../src/stage.js';

/**
 * How users start them: in a shell with the variables of `tandem env`, or with `tandem run`. All share one companion, and
 * at first with every other agent.
 */
describe('agents that receive the context only', () => {
  let stage: Stage;
  let env: Record<string, string>;
  let claudeInShell: ConnectedAgent;
  const connected: ConnectedAgent<ContextAgent>[] = [];
  const of = ({ name }: ContextAgent): ConnectedAgent<ContextAgent> => {
    const found = connected.find(({ running }) => running.agent.name === name);
    if (found === undefined) throw new Error(`${name} is not connected`);
    return found;
  };

  beforeAll(async () => {
    stage = await Stage.create();
    const { json } = await stage.tandem.run('env', '--shell', 'json');
    env = json as Record<string, string>;
    const [command = ''] = kilo.executable;
    await stage.sandbox.write(`${stage.sandbox.bin}/kilo`, `#!/bin/sh\nexec '${command}' "$@"\n`, 0o755);
    const { port } = new URL(stage.tandem.endpoint('claude').url);
    // One after the other: each takes several seconds of processor time.
    claudeInShell = await stage.connect(inShell(claude), { env });
    connected.push(
      claudeInShell,
      await stage.connect(opencode, { env }),
      // A shell in which another program has set the variable.
      await stage.connect(kilo, {
        commandLine: [process.execPath, tandemCommand, 'run', 'kilo'],
        env: { CLAUDE_CODE_SSE_PORT: port },
      }),
    );
  }, 300_000);
  afterAll(() => stage.dispose());

  it('connect beside Claude Code, each under its own name [OPC-1 OPC-3 OPC-9]', async () => {
    for (const agent of [claude, kilo, opencode]) expect(of(agent).session).not.toBe('');
    const { stdout } = await stage.tandem.run('status');
    for (const program of ['kilo', 'opencode']) {
      expect(stdout).toMatch(new RegExp(`connected since .* \\(${program}\\)`));
    }
  });

  describe('beside those that propose changes', exhaustive, () => {
    /** The first of each kind. */
    const proposing = new Map<Agent, ConnectedAgent>();
    let asking: RunningAgent<ContextAgent>;

    beforeAll(async () => {
      for (const agent of [gemini, qwen, copilot]) proposing.set(agent, await stage.connect(agent, { env }));
      proposing.set(claude, claudeInShell);
      asking = await RunningAgent.start(codex, stage.sandbox, stage.workspace);
      await asking.terminal.submit('/ide');
      await stage.tandem.waitForEvent('session.connected', { agent: 'codex' });
    }, 240_000);
    afterAll(async () => {
      await asking.dispose();
      for (const agent of [gemini, qwen, copilot]) await proposing.get(agent)?.running.dispose();
    });

    it('see the same file; those that propose at the same time are each answered', {
      timeout: 240_000,
    }, async () => {
      const same = await stage.put('same.txt', 'marker-3e3e\n');
      await stage.tandem.run('focus', `${same}:1:1-1:12`);
      const all = [...connected, ...proposing.values()].map(({ running }) => running);
      const ask = async (running: RunningAgent<ContextAgent>): Promise<void> => {
        await running.waitForActiveFile('same.txt');
        await running.ask('describe what is open', say('The script says so.'));
        await running.terminal.waitFor('The script says so.');
        expect(running.model.quotesOf('same.txt')).not.toEqual([]);
        expect(running.model.quotesOf('marker-3e3e')).not.toEqual([]);
        await running.waitUntilPromptIsBack();
      };
      const asked = new Set<RunningAgent<ContextAgent>>([...all, asking]);
      await Promise.all([...asked].map(ask));
      expect(new Set([...asked].map(({ agent }) => agent.kind)).size).toBe(7);

      const reviews = new Map<Agent, string>();
      for (const [agent, { running, session }] of proposing) {
        const path = await stage.put(`${agent.kind}.txt`, 'one\ntwo\n');
        await running.propose(agent.replaceText(path, 'two', `two by ${agent.kind}`));
        reviews.set(agent, await stage.tandem.nextReview({ agent: agent.kind, session, path }));
      }
      const of = (agent: Agent): string => reviews.get(agent) ?? '';
      await stage.tandem.accept(of(claude), 'one\ntwo, corrected\n');
      await stage.tandem.reject(of(qwen));
      for (const agent of [gemini, copilot]) await stage.tandem.accept(of(agent));
      for (const [agent, { running }] of proposing) {
        const isRejected = agent === qwen;
        expect(await stage.tandem.outcomeOf(of(agent))).toBe(isRejected ? 'rejected' : 'accepted');
        if (isRejected) await running.waitUntilPromptIsBack();
        else await running.waitUntilDone();
        const written = agent === claude ? 'one\ntwo, corrected\n' : `one\ntwo by ${agent.kind}\n`;
        expect(await stage.read(`${agent.kind}.txt`)).toBe(isRejected ? 'one\ntwo\n' : written);
      }
    });

    it.for<Agent>([gemini, qwen, claude])(
      'two of $name propose changes to the same file and are answered one by one',
      { timeout: 180_000 },
      async (agent) => {
        const name = `shared by ${agent.kind}.txt`;
        const path = await stage.put(name, 'one\ntwo\nthree\n');
        const first = proposing.get(agent);
        if (first === undefined) throw new Error(`${agent.name} is not connected`);
        await first.running.waitUntilIdle();
        const second = await stage.connect(inShell(agent), { env });
        expect(second.session).not.toBe(first.session);

        await first.running.propose(agent.replaceText(path, 'one', 'ONE'));
        const ofFirst = await stage.tandem.nextReview({ session: first.session, path });
        await second.running.propose(agent.replaceText(path, 'three', 'THREE'));
        const ofSecond = await stage.tandem.nextReview({ session: second.session, path });
        await first.running.waitForApproval();
        await second.running.waitForApproval();

        await stage.tandem.accept(ofSecond);
        expect(await stage.tandem.outcomeOf(ofSecond)).toBe('accepted');
        await second.running.waitUntilDone();
        expect(await stage.read(name)).toBe('one\ntwo\nTHREE\n');
        await first.running.waitForApproval();

        await stage.tandem.reject(ofFirst);
        expect(await stage.tandem.outcomeOf(ofFirst)).toBe('rejected');
        await first.running.waitUntilPromptIsBack();
        expect(await stage.read(name)).toBe('one\ntwo\nTHREE\n');
        await second.running.dispose();
      },
    );
  });

  it.for(contextAgents)('$name sends its model the selection with its lines [OPC-4 OPC-6]', async (agent) => {
    const { running } = of(agent);
    const path = await stage.put('seen.txt', 'first line\nsecond marker-7f3a line\nthird line\n');
    await stage.tandem.run('focus', `${path}:2:8-2:19`);
    await running.waitForActiveFile('seen.txt#2');
    await running.ask('describe what is selected', say('A marker, selected.'));
    await running.terminal.waitFor('A marker, selected.');
    expect(running.model.quotesOf('selected #2 from')).not.toEqual([]);
    expect(running.model.quotesOf('marker-7f3a')).not.toEqual([]);
    expect(running.model.quotesOf('second marker-7f3a')).toEqual([]);
  });

  it('send their models the lines of a mentioned file [OPC-5]', async () => {
    await stage.put('mentioned.txt', 'one-5d\ntwo-5d\nthree-5d\nfour-5d\n');
    await stage.tandem.run('mention', 'mentioned.txt:2-3');
    for (const agent of contextAgents) {
      const { running } = of(agent);
      await running.terminal.waitFor('mentioned.txt#2-3');
      await running.ask('describe what is mentioned', say('Two lines.'));
      await running.terminal.waitFor('Two lines.');
      for (const line of ['two-5d', 'three-5d']) expect(running.model.quotesOf(line)).not.toEqual([]);
      for (const line of ['one-5d', 'four-5d']) expect(running.model.quotesOf(line)).toEqual([]);
    }
  });

  it('stay connected without answering a JSON-RPC ping, and reconnect after a restart [OPC-14 OPC-15]', async () => {
    const kinds = contextAgents.map(({ kind }) => kind);
    const closed = stage.tandem.events.filter(({ event }) => event === 'session.closed');
    expect(closed.filter(({ agent }) => kinds.some((kind) => kind === agent))).toEqual([]);
    await stage.restart('kill');
    for (const kind of kinds) await stage.tandem.waitForEvent('session.connected', { agent: kind });
    await stage.tandem.run('focus', await stage.put('after.txt', 'after\n'));
    for (const agent of contextAgents) await of(agent).running.waitForActiveFile('after.txt');
  });

  it('forget what they saw when sharing is paused', exhaustive, async () => {
    await stage.tandem.run('focus', await stage.put('open.txt', 'open\n'));
    for (const agent of contextAgents) await of(agent).running.waitForActiveFile('open.txt');
    await stage.tandem.run('share', 'pause');
    for (const agent of contextAgents) await of(agent).running.waitForActiveFile('open.txt', false);
    await stage.tandem.run('share', 'resume');
    for (const agent of contextAgents) await of(agent).running.waitForActiveFile('open.txt');
  });
});

/** The agent with no flag that makes it connect: the variables do. */
function inShell(agent: Agent): Agent {
  return { ...agent, connectFlags: [] };
}
