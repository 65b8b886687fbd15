import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContextAgent } from '../src/agents/agent.js';
import { contextAgents } from '../src/agents/all.js';
import { claude } from '../src/agents/claude.js';
import { kilo, opencode } from '../src/agents/opencode.js';
import { say } from '../src/model/turn.js';
import { tandemCommand } from '../src/pinnedPrograms.js';
import { type ConnectedAgent, Stage } from '../src/stage.js';

/** How users start them: in a shell with the variables of `tandem env`, or with `tandem run`. */
describe('agents that receive the context only', () => {
  let stage: Stage;
  const connected: ConnectedAgent<ContextAgent>[] = [];
  const of = ({ name }: ContextAgent): ConnectedAgent<ContextAgent> => {
    const found = connected.find(({ running }) => running.agent.name === name);
    if (found === undefined) throw new Error(`${name} is not connected`);
    return found;
  };

  beforeAll(async () => {
    stage = await Stage.create();
    const { json } = await stage.tandem.run('env', '--shell', 'json');
    const env = json as Record<string, string>;
    const [command = ''] = kilo.executable;
    await stage.sandbox.write(`${stage.sandbox.bin}/kilo`, `#!/bin/sh\nexec '${command}' "$@"\n`, 0o755);
    const { port } = new URL(stage.tandem.endpoint('claude').url);
    // One after the other: each takes several seconds of processor time.
    connected.push(
      await stage.connect({ ...claude, connectFlags: [] }, { env }),
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
      expect(stdout).toMatch(new RegExp(`\\(${program}\\): context and mentions, no diffs`));
    }
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
    expect(stage.tandem.events.filter(({ event }) => event === 'session.closed')).toEqual([]);
    await stage.restart('kill');
    for (const { kind } of contextAgents)
      await stage.tandem.waitForEvent('session.connected', { agent: kind });
    await stage.tandem.run('focus', await stage.put('after.txt', 'after\n'));
    for (const agent of contextAgents) await of(agent).running.waitForActiveFile('after.txt');
  });

  it('forget what they saw when sharing is paused', async () => {
    await stage.tandem.run('focus', await stage.put('open.txt', 'open\n'));
    for (const agent of contextAgents) await of(agent).running.waitForActiveFile('open.txt');
    await stage.tandem.run('share', 'pause');
    for (const agent of contextAgents) await of(agent).running.waitForActiveFile('open.txt', false);
    await stage.tandem.run('share', 'resume');
    for (const agent of contextAgents) await of(agent).running.waitForActiveFile('open.txt');
  });
});
