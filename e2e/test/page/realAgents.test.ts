import { expect, it } from 'vitest';
import { describeMatrix } from '../../../test/describeMatrix.js';
import { exhaustive } from '../../../test/exhaustive.js';
import { useAgentGroup } from '../../src/agentGroup.js';
import { agents } from '../../src/agents/all.js';
import { useBrowser } from '../../src/browser.js';
import { linesOf, ReviewPage } from '../../src/reviewPage.js';

useBrowser();

const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);

/** The main workflow, from a CLI's prompt to the file that it writes, with a user in the page. */
describeMatrix(agents, agents.slice(0, 1), '$name and a user in the page', (agent) => {
  const group = useAgentGroup(agent);

  it('write the corrected proposal, and nothing once rejected', async () => {
    const { stage, running, session } = group.current;
    const path = await stage.put('a.txt', lines.join(''));
    const page = await ReviewPage.open(stage.tandem);
    await page.page.getByRole('button', { name: 'Agents, 1 connected' }).waitFor();

    const both = lines.with(1, 'changed two\n').with(17, 'changed eighteen\n');
    const between = (all: readonly string[]): string => all.slice(1, 18).join('');
    await running.propose(agent.replaceText(path, between(lines), between(both)));
    const corrected = await stage.tandem.nextReview({ agent: agent.kind, session, path });
    await running.waitForApproval();
    const text = await page.openReview('a.txt');
    await text.getByText('changed two').click();
    await page.page.keyboard.press('End');
    await page.page.keyboard.type(' and corrected 文 🦋');
    await page.page.keyboard.press('F7');
    await page.page.keyboard.press('F8');
    await text.getByText('line 18', { exact: true }).waitFor();
    await page.page.keyboard.press('ControlOrMeta+Enter');
    expect(await stage.tandem.outcomeOf(corrected)).toBe('accepted');
    await running.waitUntilDone();
    const written = lines.with(1, 'changed two and corrected 文 🦋\n').join('');
    expect(await stage.read('a.txt')).toBe(written);
    // Qwen Code quotes only the lines around an edit.
    const quoted = 'changed two and corrected 文 🦋\nline 3\n';
    expect(running.model.toolResults.at(-1)).toSatisfy((result: string) => agent.reportsEdit(result, quoted));

    await running.propose(agent.replaceText(path, 'line 3', 'line three'));
    const rejected = await stage.tandem.nextReview({ agent: agent.kind, session, path });
    await running.waitForApproval();
    await (await page.openReview('a.txt')).getByText('line three').waitFor();
    await page.reject('a.txt');
    expect(await stage.tandem.outcomeOf(rejected)).toBe('rejected');
    await running.waitUntilPromptIsBack();
    expect(await stage.read('a.txt')).toBe(written);
  });

  it('agree when it is decided in the terminal', exhaustive, async () => {
    const { stage, running, session } = group.current;
    const path = await stage.put('b.txt', 'one\ntwo\nthree\n');
    const page = await ReviewPage.open(stage.tandem);
    await running.propose(agent.replaceText(path, 'two', 'TWO'));
    const review = await stage.tandem.nextReview({ agent: agent.kind, session, path });
    await running.waitForApproval();
    const text = await page.openReview('b.txt');
    await text.getByText('three').click();
    await page.page.keyboard.press('End');
    await page.page.keyboard.type(' of mine');
    await page.waiting('b.txt').filter({ hasText: 'Edited' }).waitFor();
    await running.decideInTerminal('accept');
    expect(await stage.tandem.outcomeOf(review)).toBe('withdrawn');
    await page.waitForEnd('b.txt', /withdrew this.*Your text is kept below\./);
    expect(await linesOf(text)).toEqual(['one', 'TWO', 'three of mine', '']);
    await running.waitUntilDone();
    // Gemini CLI asks for the text when it closes the review, and writes that; the others write what they proposed.
    const ofAgent = agent.kind === 'gemini' ? 'three of mine' : 'three';
    expect(await stage.read('b.txt')).toBe(`one\nTWO\n${ofAgent}\n`);

    // The agent has written the file; the user can still save their own text to it.
    await page.review('b.txt').getByRole('button', { name: 'Save to the file' }).click();
    await page.page.getByRole('dialog').getByRole('button', { name: 'Save my text' }).click();
    await page.review('b.txt').getByText('Saved your text to b.txt.').waitFor();
    expect(await stage.read('b.txt')).toBe('one\nTWO\nthree of mine\n');
  });
});
