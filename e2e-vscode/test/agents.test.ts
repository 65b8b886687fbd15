import { relative } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Agent } from '../../e2e/src/agents/agent.js';
import { contextAgents } from '../../e2e/src/agents/all.js';
import { claude } from '../../e2e/src/agents/claude.js';
import { codex, lastPrompt } from '../../e2e/src/agents/codex.js';
import { copilot } from '../../e2e/src/agents/copilot.js';
import { gemini } from '../../e2e/src/agents/gemini.js';
import { qwen } from '../../e2e/src/agents/qwen.js';
import { call, say } from '../../e2e/src/model/turn.js';
import { RunningAgent } from '../../e2e/src/runningAgent.js';
import { describeMatrix } from '../../test/describeMatrix.js';
import { exhaustive } from '../../test/exhaustive.js';
import { connectClaude } from '../src/mcpAgent.js';
import { connectInTerminal, startInTerminal } from '../src/terminalAgent.js';
import { type Desk, useSite } from '../src/vscodeSite.js';

const agents: readonly Agent[] = [gemini, qwen, claude];
const site = useSite();

/** Two changes, far enough apart to be two hunks. */
const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\r\n`);
const both = before.with(1, 'first change\r\n').with(17, 'second change\r\n');

/** The real CLIs in a terminal of the editor. Only that terminal leads them to the companion. */
describeMatrix(agents, [claude], '$name in a terminal', (agent) => {
  it('sees the selection, writes what the user accepts in the editor or in its terminal, and gets feedback', async () => {
    const desk = await site.current.share({
      'a.txt': before.join(''),
      'b.txt': 'one\ntwo\n',
      'seen.txt': 'first\nsecond marker-7f3a line\n',
    });
    const { window } = desk;
    await desk.openFile('seen.txt');
    await window.select(2, 8, 'marker-7f3a'.length);
    const selected = async () => (await desk.companion.status()).sharing.activeFile?.selectedCharacters;
    await expect.poll(selected).toBe('marker-7f3a'.length);
    const { running, terminal, session } = await connectInTerminal(desk, agent);
    await running.waitForActiveFile('seen.txt');
    await running.ask('describe what is open', say('A marker.'));
    await terminal.waitFor('A marker.');
    expect(running.model.quotesOf(desk.path('seen.txt'))).not.toEqual([]);
    expect(running.model.quotesOf('marker-7f3a')).not.toEqual([]);
    expect(running.model.quotesOf('second marker-7f3a')).toEqual([]);
    await running.waitUntilPromptIsBack();

    await running.propose(agent.overwriteFile(desk.path('a.txt'), both.join('')));
    const accepted = await desk.companion.nextReview({ session, path: desk.path('a.txt') });
    await window.diff.waitForLine('first change');
    // The user continues in the same tab.
    expect(await terminal.hasFocus()).toBe(true);
    await window.diff.dropHunk('first change');
    await window.diff.appendToLine('second change', ', corrected 文 🦋');
    await window.diff.accept.click();
    expect(await desk.companion.outcomeOf(accepted)).toBe('accepted');
    await terminal.show();
    await running.waitUntilDone();
    const written = before.with(17, 'second change, corrected 文 🦋\r\n').join('');
    expect(await desk.read('a.txt')).toBe(written);
    await running.waitUntilPromptIsBack();

    const path = desk.path('b.txt');
    await running.propose(agent.replaceText(path, 'one', 'ONE'));
    const withdrawn = await desk.companion.nextReview({ session, path });
    await window.diff.waitForLine('ONE');
    await terminal.show();
    await running.decideInTerminal('accept');
    expect(await desk.companion.outcomeOf(withdrawn)).toBe('withdrawn');
    await window.diff.root.waitFor({ state: 'detached' });
    await running.waitUntilDone();
    expect(await desk.read('b.txt')).toBe('ONE\ntwo\n');
    await running.waitUntilPromptIsBack();

    // A rejection ends the turn: the model receives no further request.
    await running.ask('please edit', ...agent.replaceText(path, 'two', 'TWO'));
    const rejected = await desk.companion.nextReview({ session, path });
    await window.diff.waitForLine('TWO');
    await window.diff.reject.click();
    expect(await desk.companion.outcomeOf(rejected)).toBe('rejected');
    await terminal.show();
    await running.waitUntilPromptIsBack();
    expect(await desk.read('b.txt')).toBe('ONE\ntwo\n');

    // Feedback is in the prompt of Claude Code, unsubmitted, also while another terminal is the active one. Others get none.
    const other = await window.openTerminal();
    await terminal.show();
    await running.propose(agent.replaceText(path, 'two', 'TWO'));
    const id = await desk.companion.nextReview({ session, path });
    await running.waitForApproval();
    await other.show();
    const lines = { first: 1, last: 1 };
    await desk.companion.call('review.comment', { id, text: 'Keep /the word\nand $HOME too', lines });
    const requests = running.model.conversation.length;
    const { delivery, text } = await desk.companion.call('review.feedback', { id, rejects: true });
    const name = path.split('/').slice(-2).join('/');
    expect(text).toBe(`Review of ${name}, line 2: rejected.\n\n│ TWO\nKeep /the word\nand $HOME too`);
    expect(delivery).toBe(agent === claude ? 'prompt' : 'clipboard');
    await terminal.show();
    if (agent === claude) await terminal.waitFor(/@\S*feedback-1\.md/);
    else await running.waitUntilPromptIsBack();
    await terminal.waitUntilQuiet('nothing may be submitted');
    expect(terminal.screen()).not.toContain('Review of');
    expect(running.model.conversation).toHaveLength(requests);
    await other.show();
    expect(other.screen()).not.toContain('Review of');
    expect(await desk.read('b.txt')).toBe('ONE\ntwo\n');
    if (agent !== claude) return;
    running.model.clearScript();
    running.model.script(say('It is kept.'));
    await terminal.show();
    await terminal.press('enter');
    await terminal.waitFor('It is kept.');
    const received = running.model.conversation.at(-1)?.raw ?? '';
    for (const line of text.split('\n')) expect(received).toContain(JSON.stringify(line).slice(1, -1));
  });
});

describe('Copilot CLI in a terminal', () => {
  it(
    'connects in a subfolder, and the corrections that it does not write are offered',
    exhaustive,
    async () => {
      const desk = await site.current.share({ 'sub/a.txt': 'one\ntwo\n', 'seen.txt': 'marker-7f3a\n' });
      const { window } = desk;
      const path = desk.path('sub/a.txt');
      await desk.openFile('seen.txt');
      await window.select(1, 1, 'marker-7f3a'.length);
      const { running, terminal, session } = await connectInTerminal(desk, copilot, 'sub');
      await running.waitForActiveFile('seen.txt');
      await running.propose(copilot.replaceText(path, 'two', 'TWO'));
      const review = await desk.companion.nextReview({ session, path });
      await window.diff.waitForLine('TWO');
      await window.diff.appendToLine('TWO', ' of mine');
      await window.diff.accept.click();
      expect(await desk.companion.outcomeOf(review)).toBe('accepted');
      await window.notification('ignores your edits to a.txt').waitFor();
      await terminal.show();
      await running.waitUntilDone();
      expect(running.model.quotesOf('marker-7f3a')).not.toEqual([]);
      expect(await desk.read('sub/a.txt')).toBe('one\nTWO\n');
      await window.showReviews();
      await window.treeRow('a.txt').filter({ hasText: 'edited' }).click();
      await window.diff.waitForLine('TWO of mine');
      await window.page.getByRole('button', { name: 'Apply Interrupted Review' }).first().click();
      await expect.poll(() => desk.read('sub/a.txt')).toBe('one\nTWO of mine\n');
    },
  );
});

describe('opencode and Kilo CLI', () => {
  it(
    'connect from the terminals of a window beside Claude Code, and see the selection with its lines',
    exhaustive,
    async () => {
      const desk = await site.current.share({ 'seen.txt': 'first\nsecond marker-7f3a line\n' });
      const { window } = desk;
      await desk.openFile('seen.txt');
      await window.select(2, 8, 'marker-7f3a'.length);
      await connectClaude(desk.companion);
      for (const agent of contextAgents) {
        const { running, terminal } = await connectInTerminal(desk, agent);
        await running.waitForActiveFile('seen.txt#2');
        await running.ask('describe what is open', say('A marker.'));
        await terminal.waitFor('A marker.');
        expect(running.model.quotesOf('selected #2 from')).not.toEqual([]);
        expect(running.model.quotesOf('marker-7f3a')).not.toEqual([]);
        expect(running.model.quotesOf('second marker-7f3a')).toEqual([]);
      }
      expect(await desk.companion.endpoint('opencode')).not.toHaveProperty('token');
    },
  );
});

describe('two windows on one folder', () => {
  it("show an agent's diffs in the window of its terminal", { ...exhaustive, timeout: 240_000 }, async () => {
    const first = await site.current.share({ 'first.txt': 'one\n', 'second.txt': 'one\n' });
    const second = await first.another();
    const working = [];
    for (const [desk, name] of [
      [first, 'first.txt'],
      [second, 'second.txt'],
    ] as const) {
      await desk.window.bringToFront();
      working.push({ desk, name, ...(await connectInTerminal(desk, gemini)) });
    }
    for (const { desk, name, running, session } of working) {
      await desk.window.bringToFront();
      await running.propose(gemini.replaceText(desk.path(name), 'one', 'two'));
      const review = await desk.companion.nextReview({ session, path: desk.path(name) });
      await desk.window.diff.waitForLine('two');
      for (const other of [first, second]) {
        if (other !== desk) expect(await other.window.tab(name).count()).toBe(0);
      }
      await desk.window.diff.accept.click();
      expect(await desk.companion.outcomeOf(review)).toBe('accepted');
      await running.waitUntilDone();
      expect(await desk.read(name)).toBe('two\n');
    }
  });
});

/** Outside the editor, with what the command "Copy Connect Command" gives: these agents outlive the window. */
describe('agents of both protocols in terminals elsewhere', () => {
  it('continue by themselves after the window is reloaded, and after its extension host is killed', {
    ...exhaustive,
    timeout: 240_000,
  }, async () => {
    const outside = [gemini, claude];
    const files = outside.map(({ kind }) => [`${kind}.txt`, 'one\n']);
    let desk = await site.current.share(Object.fromEntries(files));
    const start = async (agent: Agent) => {
      const { env } = await desk.companion.endpoint(agent.kind);
      const running = await RunningAgent.start(agent, site.current.sandbox, desk.folder, { env });
      onTestFinished(() => running.dispose());
      const { session } = await desk.companion.waitForEvent('session.connected', { agent: agent.kind });
      return { agent, running, session };
    };
    const isBack = async ({ kind }: Agent) =>
      (await desk.companion.status()).agents.some(({ id, sessions }) => id === kind && sessions.length > 0);
    const working = await Promise.all(outside.map(start));
    const endings: [(desk: Desk) => Promise<void> | void, string, string][] = [
      [({ window }) => window.reload(), 'one', 'two'],
      // VS Code starts a new extension host by itself.
      [(desk) => desk.killExtensionHost(), 'two', 'three'],
    ];
    for (const [end, before, after] of endings) {
      const { pid } = desk.companion;
      for (const { session } of working)
        await expect.poll(() => site.current.server.kept(pid)).toContain(session);
      await end(desk);
      desk = await desk.reconnect();
      const { window, companion } = desk;
      for (const each of working) {
        const { agent, running } = each;
        const name = `${agent.kind}.txt`;
        await expect.poll(() => isBack(agent), { message: agent.name }).toBe(true);
        await running.propose(agent.replaceText(desk.path(name), before, after));
        const { id, session } = await companion.waitForEvent('review.opened', { path: desk.path(name) });
        each.session = session;
        await window.tab(`${name} (change`).click();
        await window.diff.waitForLine(after);
        await window.diff.accept.click();
        expect(await companion.outcomeOf(id), agent.name).toBe('accepted');
        await running.waitUntilDone();
        expect(await desk.read(name)).toBe(`${after}\n`);
        await window.tab(`${name} (change`).waitFor({ state: 'detached' });
        await running.waitUntilPromptIsBack();
      }
    }
  });
});

describe('Codex CLI in a terminal', () => {
  it('receives the selection and the tabs with a prompt, after /ide', exhaustive, async () => {
    const desk = await site.current.share({ 'seen.txt': 'first\nsecond marker-7f3a line\n' });
    await desk.openFile('seen.txt');
    await desk.window.select(2, 8, 'marker-7f3a'.length);
    const { running, terminal } = await startInTerminal(desk, codex);
    await terminal.submit('/ide');
    await terminal.waitFor('IDE context is on');
    await desk.companion.waitForEvent('session.connected', { agent: 'codex' });
    await running.ask('describe what is open', say('A marker.'));
    await terminal.waitFor('A marker.');
    const prompt = lastPrompt(running.model);
    // The terminal starts in the workspace, of which the desk is a folder.
    const name = relative(desk.workspace, desk.path('seen.txt'));
    expect(prompt).toContain(`- ${name}: line 2, column 8 to line 2, column 19\n`);
    expect(prompt).toContain('## Active selection of the file:\nmarker-7f3a\n');
    expect(prompt).toContain(`## Open tabs:\n- seen.txt: ${name}\n`);
  });
});

describe('Claude Code', () => {
  it("gets the language server's errors after its edit", exhaustive, async () => {
    const desk = await site.current.share({
      'tsconfig.json': '{"compilerOptions":{"strict":true},"include":["*.ts"]}\n',
      'a.ts': 'export const count: number = 1;\nexport const flag: boolean = 0;\n',
    });
    const path = desk.path('a.ts');
    await desk.openFile('a.ts');
    // Starting the language server takes longer than Claude Code waits for its report.
    await desk.window.activeGroup.locator('.squiggly-error').first().waitFor();
    const { running, terminal, session } = await connectInTerminal(desk, claude);
    const edit = claude.replaceText(path, '= 1;', "= 'one';");
    // It asks for new diagnostics after each call, for as long as a busy server may need to check the file again.
    const reads = Array.from({ length: 5 }, () => call('Read', { file_path: path }));
    await running.propose([...edit, ...reads]);
    const review = await desk.companion.nextReview({ session, path });
    await desk.window.diff.waitForLine("'one'");
    await desk.window.diff.accept.click();
    expect(await desk.companion.outcomeOf(review)).toBe('accepted');
    await terminal.show();
    await running.waitUntilDone();
    expect(running.model.quotesOf("Type 'string' is not assignable to type 'number'")).not.toEqual([]);
  });
});
