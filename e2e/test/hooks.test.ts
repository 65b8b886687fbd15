import { mkdtempSync, rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { useAgentGroup } from '../src/agentGroup.js';
import type { Agent } from '../src/agents/agent.js';
import { claude } from '../src/agents/claude.js';
import { codex } from '../src/agents/codex.js';
import { copilot } from '../src/agents/copilot.js';
import { gemini } from '../src/agents/gemini.js';
import { say } from '../src/model/turn.js';
import { installOnPath, throughTandem } from '../src/throughTandem.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';
const CTRL_C = '\x03';
const CORRECTED = 'one\nTWO, corrected 文 🦋\nthree\nfour\n';

/** Gemini CLI takes the file with our hooks only from folders that root alone can write, and the sandbox is in none. */
const rootHome = mkdtempSync('/run/tandem-e2e-');
afterAll(() => rmSync(rootHome, { recursive: true, force: true }));

/** Each agent in modes in which it would write at once; those also in one in which they ask, whose question follows the hook. */
const writing: readonly [
  name: string,
  agent: Agent,
  flags: readonly string[],
  afterRejection: 'continues' | 'stops',
][] = [
  ['Claude Code that accepts edits', claude, ['--permission-mode', 'acceptEdits'], 'continues'],
  ['Codex CLI that asks nothing', codex, ['--dangerously-bypass-approvals-and-sandbox'], 'continues'],
  ['Codex CLI that asks', codex, ['--sandbox', 'read-only', '--ask-for-approval', 'on-request'], 'continues'],
  ['Copilot CLI that asks', copilot, [], 'continues'],
  ['Copilot CLI that accepts everything', copilot, ['--yolo'], 'continues'],
  ['Gemini CLI that accepts everything', gemini, ['--approval-mode', 'yolo'], 'stops'],
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

describe('Claude Code that accepts edits, whose mode is followed', () => {
  const group = useAgentGroup(claude, {
    before: ({ sandbox }) => installOnPath(claude, sandbox),
    start: () => throughTandem(claude, ['--permission-mode', 'acceptEdits'], ['--hooks', 'follow']),
  });

  it('writes at once, and its edit is recorded and can be undone [HOK-7]', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('a.txt', BEFORE);
    await running.propose(claude.replaceText(path, 'two', 'TWO'));
    await running.waitUntilDone();
    expect(await stage.read('a.txt')).toBe(PROPOSED);
    const { stdout } = await stage.tandem.run('changes', '--stat');
    expect(stdout).toMatch(
      /^a\.txt {2}\+1 -1 {2}w1 \(Claude Code, session .{8}, written without a review\)$/m,
    );
    await stage.tandem.run('restore', 'w1');
    expect(await stage.read('a.txt')).toBe(BEFORE);
  });
});

describe('Copilot CLI that is interrupted while its hook waits', () => {
  const group = useAgentGroup(copilot, {
    before: ({ sandbox }) => installOnPath(copilot, sandbox),
    start: () => throughTandem(copilot),
  });

  it('has its prompt back at once, and its review has ended', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('interrupted.txt', BEFORE);
    await running.propose(copilot.replaceText(path, 'two', 'TWO'));
    const review = await stage.tandem.nextReview({ agent: 'copilot', path });
    await running.terminal.type(CTRL_C);
    await running.terminal.waitFor('Operation aborted by user');
    await running.waitUntilPromptIsBack();
    await expect(stage.tandem.run('review', 'accept', review)).rejects.toThrow('ended with code 4');
    expect(await stage.read('interrupted.txt')).toBe(BEFORE);
  });
});
