import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { claude } from '../src/agents/claude.js';
import { gemini } from '../src/agents/gemini.js';
import { typeLine } from '../src/agentTerminal.js';
import { askAboutMention, askAboutSelection, testOtherAgents, testReviews } from '../src/editorReviews.js';
import { announcements, journalOf } from '../src/leftovers.js';
import { say } from '../src/model/turn.js';
import { Neovim } from '../src/neovim/neovim.js';
import { NeovimUser } from '../src/neovim/neovimUser.js';
import { Sandbox } from '../src/sandbox.js';
import { waitForHook } from '../src/waitingHook.js';

/**
 * The real agents in the terminals of a real Neovim, of which two windows serve one folder. All tests share these; those of an
 * agent share the agent, too.
 */
describe('Neovim', () => {
  let sandbox: Sandbox;
  let user: NeovimUser;
  let other: NeovimUser;
  /** What the second window has created, for agents and commands to find it. */
  let ofOther: readonly string[];

  beforeAll(async () => {
    sandbox = await Sandbox.create();
    const folder = await sandbox.folder('workspace');
    user = await NeovimUser.start(sandbox, folder);
    const before = new Set(await announcements(sandbox));
    other = await NeovimUser.start(sandbox, folder);
    ofOther = (await announcements(sandbox)).filter((path) => !before.has(path));
    user.beforeAgentLooks = () => other.use();
    other.beforeAgentLooks = () => user.use();
  });

  afterAll(async () => {
    await other?.dispose();
    await user?.dispose();
    await sandbox?.dispose();
  });

  const put = (name: string, text = 'one\ntwo\nthree\n'): Promise<string> =>
    sandbox.write(`${user.folder}/${name}`, text);

  const register = async (): Promise<string> =>
    z.tuple([z.string()]).parse(await user.neovim.lua("{ vim.fn.getreg('\"') }"))[0];

  testReviews(
    () => user,
    claude,
    (agent, running) => {
      it('is connected to the window of its terminal, although another one was used last', async () => {
        await expect.poll(() => user.connected(), { timeout: 10_000 }).toEqual([agent.kind]);
        expect(await other.connected()).toEqual([]);
      });

      it('shows its model what is selected, also when the user has gone to its terminal', async () => {
        await running().waitUntilIdle();
        await askAboutSelection(user, running());
        if (agent === claude) await askAboutMention(user, running(), /@seen-claude\.txt#L?2/);
      });

      it('receives the words of a rejection by its hooks, or the user has them in a register and sends them', async () => {
        const path = await put(`words-${agent.kind}.txt`);
        await running().waitUntilIdle();
        await running().propose(agent.replaceText(path, 'two', 'TWO'));
        await user.waitForReviews(1);
        await user.openReview();
        await running().waitForApproval();
        if (agent === claude) await waitForHook({ workspace: user.folder });
        await user.neovim.command('Tandem reject keep the old name');
        if (agent === claude) {
          await user.waitFor('Claude Code has received the feedback and continues with it.');
          await running().waitUntilDone();
        } else {
          if (agent === gemini) await user.waitFor('Paste it there yourself.');
          await running().waitUntilIdle();
          if (agent === gemini) {
            await running().terminal.type(`\x1b[200~${await register()}\x1b[201~`);
            await running().terminal.waitFor('keep the old name');
          }
          // Gemini CLI 0.61 on a busy machine loses an Enter that follows a paste, but none that follows typed text.
          await typeLine(running().terminal, ' Thanks.');
          await running().terminal.waitUntilQuiet('an Enter right behind its text counts as pasted');
          running().model.clearScript();
          running().model.script(say('It is kept.'));
          await running().terminal.press('enter');
          await running().terminal.waitFor('It is kept.');
        }
        expect(running().model.conversation.at(-1)?.raw).toContain('keep the old name');
        expect(await readFile(path, 'utf8')).toBe('one\ntwo\nthree\n');
      });
    },
  );

  it('leaves nothing behind when it is killed, and offers the typed text again', async () => {
    const running = await other.startAgent(claude);
    const path = await put('killed.txt');
    await running.propose(claude.replaceText(path, 'two', 'TWO'));
    await other.waitForReviews(1);
    expect(await user.connected()).not.toContain('claude');
    await other.openReview();
    // The journal contains the texts of decided reviews, too: this one is in no other test.
    await other.typeBehindTwo(' saved');
    await expect.poll(() => journalOf(sandbox), { timeout: 10_000 }).toContain('TWO saved');
    expect(ofOther.length).toBeGreaterThan(4);
    const both = await other.neovim.lua('{ vim.fn.getpid(), require("tandem.client").tandem.pid }');
    const [pid, tandem] = z.tuple([z.int(), z.int()]).parse(both);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => [pid, tandem].filter(isRunning), { timeout: 10_000 }).toEqual([]);
    expect(ofOther.filter((each) => existsSync(each))).toEqual([]);
    await running.dispose();

    const next = await Neovim.start(sandbox, other.folder);
    try {
      await next.waitFor('1 interrupted review');
      await next.applyInterrupted(path);
      expect(await readFile(path, 'utf8')).toBe('one\nTWO saved\nthree\n');
    } finally {
      // Agents of the next tests must not find it.
      await next.dispose();
    }
  });

  describe('used last', () => {
    // Copilot CLI takes any of several companions of a folder, so the other one has ended.
    beforeAll(async () => {
      user.beforeAgentLooks = async () => {};
      await user.use();
    });

    testOtherAgents(() => user);
  });
});

/** Whether a process has not ended; its parent may not have noticed. */
function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}
