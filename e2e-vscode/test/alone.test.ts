import { describe, expect, it } from 'vitest';
import { claude } from '../../e2e/src/agents/claude.js';
import { gemini } from '../../e2e/src/agents/gemini.js';
import { qwen } from '../../e2e/src/agents/qwen.js';
import { say } from '../../e2e/src/model/turn.js';
import { startInTerminal } from '../src/terminalAgent.js';
import { useSite } from '../src/vscodeSite.js';

/** Proves the harness of the real CLIs: no extension of ours takes part. */
describe('without Tandem', () => {
  const site = useSite({ packaged: [] });

  it.each([gemini, qwen, claude])("$name runs in the editor's terminal", async (agent) => {
    const folder = await site.current.folder();
    const window = await site.current.openWindow(folder);
    const { running, terminal } = await startInTerminal(site.current, window, folder, agent);
    await running.ask('hello there', say('A line from the script.'));
    await terminal.waitFor('A line from the script.');
    expect(running.model.quotesOf('hello there')).not.toEqual([]);
  });
});
