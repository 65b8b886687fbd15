import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { useAgentGroup } from '../src/agentGroup.js';
import { kilo, opencode } from '../src/agents/opencode.js';
import type { AgentTerminal } from '../src/agentTerminal.js';
import { say } from '../src/model/turn.js';
import { installOnPath, throughTandem } from '../src/throughTandem.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';
/** A configuration of the user's own, beside which ours must stand. */
const asking = JSON.stringify({ permission: { edit: 'ask' } });
const agents = [
  [opencode, { OPENCODE_CONFIG_CONTENT: asking }, {}],
  [kilo, { KILO_CONFIG_CONTENT: asking }, exhaustive],
] as const;

describe.each(agents)('$kind with a configuration that makes it ask', (agent, env, options) => {
  describe.each([
    ['before', 'each edit waits'],
    ['follow', 'waits where it asks'],
  ])('and --hooks %s', options, (mode, label) => {
    const group = useAgentGroup(agent, {
      before: ({ sandbox }) => installOnPath(agent, sandbox),
      start: () => ({ ...throughTandem(agent, [], ['--hooks', mode]), env }),
    });

    async function proposed(name: string) {
      const { stage, running, session } = group.current;
      const path = await stage.put(name, BEFORE);
      await running.propose(agent.replaceText(path, 'two', 'TWO'));
      // In the session of its connection, so that it is listed once.
      const review = await stage.tandem.nextReview({ agent: agent.kind, path, session });
      return { stage, running, review };
    }

    it('shows from its first prompt which edits wait [HOK-11]', async () => {
      const { stage, running } = group.current;
      const status = async () => (await stage.tandem.run('status')).stdout;
      expect(await status()).toContain('; not hooked\n');
      await running.ask('hello', say('Hello.'));
      await running.terminal.waitFor('Hello.');
      expect(await status()).toContain(`; ${label}\n`);
    });

    it('needs one decision for an edit, in Tandem', async () => {
      const { stage, running, review } = await proposed('accepted.txt');
      await stage.tandem.accept(review);
      await running.waitUntilDone();
      expect(await stage.read('accepted.txt')).toBe(PROPOSED);
    });

    it('continues with the comments after a rejection', async () => {
      const { stage, running, review } = await proposed('rejected.txt');
      const sent = ['review', 'reject', review, '--feedback', '-m', 'Keep the word.', '--json'];
      const { json } = await stage.tandem.run(...sent);
      expect(json).toMatchObject({ delivery: 'prompt' });
      await running.waitUntilDone();
      expect(running.model.toolResults.at(-1)).toContain('Keep the word.');
      expect(await stage.read('rejected.txt')).toBe(BEFORE);
    });

    it('ends the review without writing when the user interrupts the turn', async () => {
      const { stage, running, review } = await proposed('interrupted.txt');
      const { terminal } = running;
      if (mode === 'before') {
        await terminal.press('escape');
        await terminal.waitFor(/again to interrupt/);
      } else await questionOf(terminal);
      await terminal.press('escape');
      if (agent === kilo && mode === 'follow') {
        // It first asks for a reason, and a further Escape does nothing. Until the answer the edit is not rejected.
        await terminal.waitFor(/Tell Kilo what to do differently/);
        await terminal.waitUntilQuiet('a key pressed while the question is being drawn is lost');
        expect((await stage.tandem.run('review', 'list')).stdout).toContain('interrupted.txt');
        await terminal.press('enter');
      }
      expect(await stage.tandem.outcomeOf(review)).toBe('withdrawn');
      await running.waitUntilIdle();
      expect(await stage.read('interrupted.txt')).toBe(BEFORE);
    });

    if (mode === 'follow') {
      it('can also be answered in its terminal', async () => {
        const { stage, running, review } = await proposed('terminal.txt');
        await questionOf(running.terminal);
        await running.terminal.press('enter');
        await running.waitUntilDone();
        expect(await stage.tandem.outcomeOf(review)).toBe('withdrawn');
        expect(await stage.read('terminal.txt')).toBe(PROPOSED);
      });
    }

    it('has the settings that it had', async () => {
      const { stage } = group.current;
      const file = `${stage.sandbox.home}/.config/${agent.kind}/${agent.kind}.json`;
      expect(await readFile(file, 'utf8')).not.toMatch(/plugin|tandem/);
    });
  });
});

/** Waits until the agent asks in its terminal. */
async function questionOf(terminal: AgentTerminal): Promise<void> {
  await terminal.waitFor(/Permission required/);
  await terminal.waitUntilQuiet('a key pressed while the question is being drawn is lost');
}
