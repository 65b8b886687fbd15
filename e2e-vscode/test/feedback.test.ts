import { describe, expect, it } from 'vitest';
import type { Agent } from '../../e2e/src/agents/agent.js';
import { claude } from '../../e2e/src/agents/claude.js';
import { gemini } from '../../e2e/src/agents/gemini.js';
import { qwen } from '../../e2e/src/agents/qwen.js';
import { say } from '../../e2e/src/model/turn.js';
import { connectInTerminal } from '../src/terminalAgent.js';
import { useSite } from '../src/vscodeSite.js';

const agents: readonly Agent[] = [gemini, qwen, claude];
const site = useSite();

/** The real CLIs in a terminal of the editor, while another terminal is the active one. */
describe.each(agents)('$name in a terminal, when a change is rejected with feedback', (agent) => {
  it('has it in its prompt, unsubmitted, and its model receives it on Enter', async () => {
    const desk = await site.current.share({ 'a.txt': 'one\ntwo\n' });
    const { running, terminal, session } = await connectInTerminal(desk, agent);
    const other = await desk.window.openTerminal();
    await terminal.show();
    const path = desk.path('a.txt');
    await running.propose(agent.replaceText(path, 'two', 'TWO'));
    const id = await desk.companion.nextReview({ session, path });
    await running.waitForApproval();
    await other.show();
    const lines = { first: 1, last: 1 };
    await desk.companion.call('review.comment', { id, text: 'Keep /the word\nand $HOME too', lines });
    const requests = running.model.conversation.length;
    const { delivery, text } = await desk.companion.call('review.feedback', { id, rejects: true });
    const name = desk.path('a.txt').split('/').slice(-2).join('/');
    expect(text).toBe(`Review of ${name}, line 2: rejected.\n\n> TWO\nKeep /the word\nand $HOME too`);
    expect(delivery).toBe('prompt');
    await terminal.show();
    await terminal.waitFor(agent === claude ? /@\S*feedback-1\.md/ : 'Review of ');
    await terminal.waitUntilQuiet('nothing may be submitted');
    expect(running.model.conversation).toHaveLength(requests);
    await other.show();
    expect(other.screen()).not.toContain('Review of');
    running.model.clearScript();
    running.model.script(say('It is kept.'));
    await terminal.show();
    await terminal.press('enter');
    await terminal.waitFor('It is kept.');
    const received = running.model.conversation.at(-1)?.raw ?? '';
    for (const line of text.split('\n')) expect(received).toContain(JSON.stringify(line).slice(1, -1));
    expect(await desk.read('a.txt')).toBe('one\ntwo\n');
  });
});
