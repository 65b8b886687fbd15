import { mkdtempSync, rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { useAgentGroup } from '../src/agentGroup.js';
import type { Agent, HookedAgent } from '../src/agents/agent.js';
import { claude } from '../src/agents/claude.js';
import { codex } from '../src/agents/codex.js';
import { copilot } from '../src/agents/copilot.js';
import { gemini } from '../src/agents/gemini.js';
import { opencode } from '../src/agents/opencode.js';
import { pi } from '../src/agents/pi.js';
import { qwen } from '../src/agents/qwen.js';
import { say } from '../src/model/turn.js';
import { Stage, startAgent } from '../src/stage.js';
import { installOnPath, throughTandem } from '../src/throughTandem.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';
const CTRL_C = '\x03';
const ESCAPE = '\x1b';
const CORRECTED = 'one\nTWO, corrected 文 🦋\nthree\nfour\n';

/** Gemini CLI takes the file with our hooks only from folders that root alone can write, and the sandbox is in none. */
const rootHome = mkdtempSync('/run/tandem-e2e-');
afterAll(() => rmSync(rootHome, { recursive: true, force: true }));

/** Each agent in modes in which it would write at once; those also in one in which they ask, whose question follows the hook. */
const writing: readonly [
  name: string,
  agent: HookedAgent,
  flags: readonly string[],
  afterRejection: 'continues' | 'stops',
][] = [
  ['Claude Code that accepts edits', claude, ['--permission-mode', 'acceptEdits'], 'continues'],
  ['Codex CLI that asks nothing', codex, ['--dangerously-bypass-approvals-and-sandbox'], 'continues'],
  ['Codex CLI that asks', codex, ['--sandbox', 'read-only', '--ask-for-approval', 'on-request'], 'continues'],
  ['Copilot CLI that asks', copilot, [], 'continues'],
  ['Copilot CLI that accepts everything', copilot, ['--yolo'], 'continues'],
  ['Gemini CLI that accepts everything', gemini, ['--approval-mode', 'yolo'], 'stops'],
  ['opencode', opencode, [], 'continues'],
  ['pi', pi, [], 'continues'],
];

describe.each(writing)('%s, started by tandem run', (_name, agent, flags, afterRejection) => {
  const group = useAgentGroup(agent, {
    before: ({ sandbox }) => installOnPath(agent, sandbox),
    start: ({ sandbox }) => ({
      ...throughTandem(agent, flags),
      ...(agent === gemini && { env: { HOME: rootHome, GEMINI_CLI_HOME: sandbox.home } }),
    }),
  });

  async function proposed(name: string) {
    const { stage, running } = group.current;
    const path = await stage.put(name, BEFORE);
    await running.propose(agent.replaceText(path, 'two', 'TWO'));
    const review = await stage.tandem.nextReview({ agent: agent.kind, path });
    expect(await stage.read(name)).toBe(BEFORE);
    return { stage, running, review };
  }

  it('writes an edit only after the user has accepted it [HOK-1]', async () => {
    const { stage, running, review } = await proposed('accepted.txt');
    await stage.tandem.accept(review);
    await running.waitUntilDone();
    expect(await stage.read('accepted.txt')).toBe(PROPOSED);
  });

  it('writes the corrected text, and its model learns of it [HOK-2]', async () => {
    const { stage, running, review } = await proposed('corrected.txt');
    await stage.tandem.accept(review, CORRECTED);
    await running.waitUntilDone();
    expect(await stage.read('corrected.txt')).toBe(CORRECTED);
    expect(running.model.conversation.at(-1)?.raw).toMatch(/user (modified|corrected)|TWO, corrected/);
  });

  it('writes a new file', async () => {
    const { stage, running } = group.current;
    const path = stage.path('new.txt');
    await running.propose(agent.createFile(path, PROPOSED));
    const review = await stage.tandem.nextReview({ agent: agent.kind, path });
    await stage.tandem.accept(review, CORRECTED);
    await running.waitUntilDone();
    expect(await stage.read('new.txt')).toBe(CORRECTED);
  });

  it('passes the comments of a rejection to its model [HOK-3]', async () => {
    const { stage, running, review } = await proposed('rejected.txt');
    await stage.tandem.run('review', 'comment', review, '2', '-m', 'Keep the word `two`.');
    const { json } = await stage.tandem.run('review', 'reject', review, '--feedback', '--json');
    expect(json).toMatchObject({ delivery: 'prompt' });
    if (afterRejection === 'stops') {
      await running.waitUntilIdle();
      await running.ask('go on', say('I keep it.'));
      await running.terminal.waitFor('I keep it.');
    } else await running.waitUntilDone();
    expect(running.model.conversation.at(-1)?.raw).toContain('Keep the word `two`.');
    expect(await stage.read('rejected.txt')).toBe(BEFORE);
  });
});

describe.each([
  ['Claude Code', claude, ['--permission-mode', 'acceptEdits']],
  ['Codex CLI', codex, ['--dangerously-bypass-approvals-and-sandbox']],
  ['pi', pi, []],
  ['Copilot CLI', copilot, ['--yolo']],
  ['Qwen Code', qwen, ['--approval-mode', 'auto-edit']],
] as const)('%s that accepts edits, whose mode is followed', (name, agent, flags) => {
  const group = useAgentGroup(agent, {
    before: ({ sandbox }) => installOnPath(agent, sandbox),
    start: () => throughTandem(agent, flags, ['--hooks', 'follow']),
  });

  it('writes at once, and its edit is recorded and can be undone [HOK-7]', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('a.txt', BEFORE);
    await running.propose(agent.replaceText(path, 'two', 'TWO'));
    await running.waitUntilDone();
    expect(await stage.read('a.txt')).toBe(PROPOSED);
    const { stdout } = await stage.tandem.run('changes', '--stat');
    expect(stdout).toMatch(
      new RegExp(
        `^a\\.txt {2}\\+1 -1\n {2}edit w1, written without a review \\(${name}, session .{8}, turn 1\\): ${name} changed this`,
        'm',
      ),
    );
    await stage.tandem.run('restore', 'w1');
    expect(await stage.read('a.txt')).toBe(BEFORE);
    await running.waitUntilIdle();
  });
});

describe.each([
  ['Copilot CLI', copilot, [], CTRL_C, 'Operation aborted by user'],
  ['pi', pi, [], ESCAPE, 'Operation aborted'],
  ['Qwen Code', qwen, ['--approval-mode', 'yolo'], ESCAPE, 'Request cancelled'],
] as const)('%s that is interrupted while its hook waits', (_name, agent, flags, key, report) => {
  const group = useAgentGroup(agent, {
    before: ({ sandbox }) => installOnPath(agent, sandbox),
    start: () => throughTandem(agent, flags),
  });

  it('has its prompt back at once, and its review has ended', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('interrupted.txt', BEFORE);
    await running.propose(agent.replaceText(path, 'two', 'TWO'));
    const review = await stage.tandem.nextReview({ agent: agent.kind, path });
    await running.terminal.type(key);
    await running.terminal.waitFor(report);
    await running.waitUntilPromptIsBack();
    await expect.poll(async () => (await stage.tandem.run('review', 'list')).stdout).toContain('No pending');
    await expect(stage.tandem.run('review', 'accept', review)).rejects.toThrow('ended with code 4');
    expect(await stage.read('interrupted.txt')).toBe(BEFORE);
  });
});

it('passes feedback without a decision to the model of Copilot CLI, with the next prompt [HOK-10]', async () => {
  const stage = await Stage.open();
  await installOnPath(copilot, stage.sandbox);
  const { running } = await stage.connect(copilot, throughTandem(copilot));
  const path = await stage.put('a.txt', BEFORE);
  await running.propose(copilot.replaceText(path, 'two', 'TWO'));
  const review = await stage.tandem.nextReview({ path });
  const { json } = await stage.tandem.run('review', 'feedback', review, '-m', 'Mind the case.', '--json');
  expect(json).toMatchObject({ delivery: 'prompt' });
  await stage.tandem.accept(review);
  await running.waitUntilDone();
  await running.waitUntilIdle();
  await running.ask('go on', say('I mind it.'));
  await running.terminal.waitFor('I mind it.');
  expect(running.model.conversation.at(-1)?.raw).toContain('Mind the case.');
});

describe('an agent whose hook waits, which the user lets go on without a decision', () => {
  it('is Copilot CLI, and continues its turn', async () => {
    const stage = await Stage.open();
    await installOnPath(copilot, stage.sandbox);
    const { running } = await stage.connect(copilot, throughTandem(copilot));
    const path = await stage.put('a.txt', BEFORE);
    await running.propose(copilot.replaceText(path, 'two', 'TWO'));
    const review = await stage.tandem.nextReview({ path });
    const { stdout } = await stage.tandem.run('review', 'let-go', review);
    expect(stdout).toBe('Copilot CLI goes on without a decision. The file is unchanged.\n');
    await running.waitUntilDone();
    expect(running.model.conversation.at(-1)?.raw).toContain('the user lets you go on');
    expect(await stage.read('a.txt')).toBe(BEFORE);
  });

  it('is Gemini CLI, which does not end its hook when the user interrupts it, and takes the next prompt then', async () => {
    const stage = await Stage.open();
    const start = () => startAgent(gemini, stage.sandbox, stage.workspace, unconnected);
    const unconnected = {
      commandLine: [...gemini.executable, '--approval-mode', 'yolo'],
      isIdeModeOn: false,
    } as const;
    // The first start writes the settings to which the hooks are added.
    await (await start()).dispose();
    await installHooks(stage, gemini);
    const running = await start();
    const path = await stage.put('a.txt', BEFORE);
    await running.propose(gemini.replaceText(path, 'two', 'TWO'));
    const review = await stage.tandem.nextReview({ path });
    await running.terminal.type(ESCAPE);
    await running.terminal.waitFor('Request cancelled');
    await running.terminal.waitFor('Executing Hook');
    await stage.tandem.run('review', 'let-go', review);
    await running.terminal.waitFor((screen) => !screen.includes('Executing Hook'));
    await running.waitUntilIdle();
    await running.ask('go on', say('I go on.'));
    await running.terminal.waitFor('I go on.');
    expect(await stage.read('a.txt')).toBe(BEFORE);
  });
});

describe.each([
  ['accepts everything', ['--approval-mode', 'yolo']],
  ['asks', []],
])('Qwen Code that %s, started by tandem run', (_name, flags) => {
  const group = useAgentGroup(qwen, {
    before: ({ sandbox }) => installOnPath(qwen, sandbox),
    start: () => throughTandem(qwen, flags),
  });
  const asks = flags.length === 0;

  it('writes what the user has accepted, after one review', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('accepted.txt', BEFORE);
    await running.propose(qwen.replaceText(path, 'two', 'TWO'));
    const review = await stage.tandem.nextReview({ agent: 'qwen', path });
    expect(await stage.read('accepted.txt')).toBe(BEFORE);
    await stage.tandem.accept(review);
    await running.waitUntilDone();
    expect(await stage.read('accepted.txt')).toBe(PROPOSED);
  });

  it('writes the corrected text, which its model writes itself if it does not ask', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('corrected.txt', BEFORE);
    const again = asks ? [] : qwen.overwriteFile(path, CORRECTED);
    await running.propose([...qwen.replaceText(path, 'two', 'TWO'), ...again]);
    const review = await stage.tandem.nextReview({ agent: 'qwen', path });
    await stage.tandem.accept(review, CORRECTED);
    await running.waitUntilDone();
    expect(await stage.read('corrected.txt')).toBe(CORRECTED);
  });

  it('passes the comments of a rejection to its model, and writes nothing [HOK-3]', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('rejected.txt', BEFORE);
    await running.propose(qwen.replaceText(path, 'two', 'TWO'));
    const review = await stage.tandem.nextReview({ agent: 'qwen', path });
    await stage.tandem.run('review', 'comment', review, '2', '-m', 'Keep the word `two`.');
    const { json } = await stage.tandem.run('review', 'reject', review, '--feedback', '--json');
    expect(json).toMatchObject({ delivery: 'prompt' });
    if (asks) {
      await running.waitUntilIdle();
      await running.ask('go on', say('I keep it.'));
      await running.terminal.waitFor('I keep it.');
    } else await running.waitUntilDone();
    expect(running.model.conversation.at(-1)?.raw).toContain('Keep the word `two`.');
    expect(await stage.read('rejected.txt')).toBe(BEFORE);
  });
});

describe.each([gemini, qwen])('$name with hooks in its settings', (agent) => {
  it('holds an edit that it would write at once', agent === gemini ? {} : exhaustive, async () => {
    const stage = await Stage.open();
    const commandLine = [...agent.executable, '--approval-mode', 'yolo'] as const;
    // The first start writes the settings to which the hooks are added.
    await (await stage.connect(agent, { commandLine })).running.dispose();
    await installHooks(stage, agent);
    const { running } = await stage.connect(agent, { commandLine });
    const path = await stage.put('a.txt', BEFORE);
    await running.propose(agent.replaceText(path, 'two', 'TWO'));
    const review = await stage.tandem.nextReview({ path });
    expect(await stage.read('a.txt')).toBe(BEFORE);
    await stage.tandem.accept(review);
    await running.waitUntilDone();
    expect(await stage.read('a.txt')).toBe(PROPOSED);
  });
});

/** Adds the hooks to the agent's settings. */
async function installHooks(stage: Stage, { kind }: Agent): Promise<void> {
  const how = ['--hooks', 'before', '--folder', stage.workspace, '--yes'];
  await stage.tandem.run('hook', 'install', kind, ...how);
}
