import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeMatrix } from '../../test/describeMatrix.js';
import { exhaustive } from '../../test/exhaustive.js';
import type { Agent, ContextAgent } from './agents/agent.js';
import { claude } from './agents/claude.js';
import { codex } from './agents/codex.js';
import { copilot } from './agents/copilot.js';
import { gemini } from './agents/gemini.js';
import { kilo, opencode } from './agents/opencode.js';
import { qwen } from './agents/qwen.js';
import { say } from './model/turn.js';
import type { RunningAgent } from './runningAgent.js';
import type { Sandbox } from './sandbox.js';

/** A user at an editor, as the tests of all editors need one. Each method resolves when the editor shows its effect. */
export interface EditorUser {
  readonly sandbox: Sandbox;
  /** The folder that the editor serves. */
  readonly folder: string;
  /** Starts an agent that finds this editor. The caller disposes it. */
  startAgent<Kind extends ContextAgent>(agent: Kind): Promise<RunningAgent<Kind>>;
  /** Shows a file in one of several windows, with the cursor in its third line. */
  openFile(path: string): Promise<void>;
  /** What a review that arrives must not change. */
  situation(): Promise<unknown>;
  waitForReviews(count: number): Promise<void>;
  /** The file of the pending review. */
  reviewedFile(): Promise<string>;
  /** Shows the pending review and moves there. */
  openReview(): Promise<void>;
  /** Types at the end of the word `TWO` in the review. */
  typeBehindTwo(text: string): Promise<void>;
  /** Undoes the first change of the review, which replaces line 2. */
  dropHunk(): Promise<void>;
  accept(): Promise<void>;
  /** Accepts with the key that saves a file. */
  save(): Promise<void>;
  reject(): Promise<void>;
  /** Writes the interrupted review of a file to it. */
  applyInterrupted(path: string): Promise<void>;
  /** Selects the second word of line 2 of the file that is shown, and goes to the agent. */
  selectWord(): Promise<void>;
  /** Comes back from the agent. Nothing is selected. */
  comeBack(): Promise<void>;
  /** Mentions line 2 of the file that is shown. */
  mention(): Promise<void>;
  waitFor(what: string | RegExp | ((screen: string) => boolean)): Promise<void>;
}

const TEXT = 'one\ntwo\nthree\n';

/**
 * What a review does in every editor, with each agent that proposes changes; the tests of an agent share it. `more` adds tests
 * of one editor. Only those with the agent `always` run in every run.
 */
export function testReviews(
  editor: () => EditorUser,
  always: Agent,
  more: (agent: Agent, running: () => RunningAgent) => void = () => {},
): void {
  describeMatrix([gemini, qwen, claude], [always], 'with $name', (agent) => {
    let running: RunningAgent;

    beforeAll(async () => {
      running = await editor().startAgent(agent);
    }, 90_000);

    afterAll(() => running?.dispose());

    const put = (name: string, text = TEXT): Promise<string> =>
      editor().sandbox.write(`${editor().folder}/${name}-${agent.kind}.txt`, text);

    async function propose(path: string, edit: Parameters<RunningAgent['propose']>[0]): Promise<void> {
      await running.waitUntilIdle();
      await running.propose(edit);
      await editor().waitForReviews(1);
      expect(await editor().reviewedFile()).toBe(path);
    }

    /** Proposes `TWO` for `two`. */
    const proposeTwo = (path: string): Promise<void> => propose(path, agent.replaceText(path, 'two', 'TWO'));

    it('announces a change without moving anything, and reloads the file once it is accepted', async () => {
      const path = await put('reloaded');
      await editor().openFile(path);
      const before = await editor().situation();
      await proposeTwo(path);
      expect(await editor().situation()).toEqual(before);
      await editor().openReview();
      await editor().accept();
      await running.waitUntilDone();
      await editor().waitFor((screen) => !/^two/m.test(screen) && /^TWO/m.test(screen));
      expect(await readFile(path, 'utf8')).toBe('one\nTWO\nthree\n');
      expect(await editor().situation()).toEqual(before);
    });

    it('writes the corrected text, with the bytes that a text editor could lose', async () => {
      const path = await put('corrected', '\uFEFFone\r\ntwo\r\nthree');
      await proposeTwo(path);
      await editor().openReview();
      await editor().typeBehindTwo(', corrected 文 🦋');
      await editor().save();
      await running.waitUntilDone();
      expect(await readFile(path, 'utf8')).toBe('\uFEFFone\r\nTWO, corrected 文 🦋\r\nthree');
    });

    it('writes only the hunks that are kept', async () => {
      const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);
      const path = await put('long', lines.join(''));
      const both = lines.with(1, 'changed\n').with(17, 'changed\n');
      await propose(path, agent.overwriteFile(path, both.join('')));
      await editor().openReview();
      await editor().dropHunk();
      await editor().accept();
      await running.waitUntilDone();
      expect(await readFile(path, 'utf8')).toBe(lines.with(17, 'changed\n').join(''));
    });

    it('writes a new file with letters of any script in its path', async () => {
      const path = `${editor().folder}/größe-${agent.kind}/文件.txt`;
      await propose(path, agent.createFile(path, 'new\n'));
      await editor().openReview();
      await editor().waitFor('new file');
      await editor().accept();
      await running.waitUntilDone();
      expect(await readFile(path, 'utf8')).toBe('new\n');
    });

    it('writes nothing once rejected', async () => {
      const path = await put('rejected');
      await proposeTwo(path);
      await editor().openReview();
      await editor().reject();
      await editor().waitForReviews(0);
      await running.waitUntilPromptIsBack();
      expect(await readFile(path, 'utf8')).toBe(TEXT);
    });

    it('closes the view when the change is accepted in the agent', async () => {
      const path = await put('there');
      const before = await editor().situation();
      await proposeTwo(path);
      await editor().openReview();
      await running.decideInTerminal('accept');
      await editor().waitForReviews(0);
      await running.waitUntilDone();
      expect(await readFile(path, 'utf8')).toBe('one\nTWO\nthree\n');
      expect(await editor().situation()).toEqual(before);
    });

    more(agent, () => running);

    it('closes the view when the agent is killed, and still offers what was typed', async () => {
      const path = await put('gone');
      await proposeTwo(path);
      await editor().openReview();
      await editor().typeBehindTwo(' typed');
      await running.dispose();
      await editor().waitForReviews(0);
      expect(await readFile(path, 'utf8')).toBe(TEXT);
      await editor().applyInterrupted(path);
      expect(await readFile(path, 'utf8')).toBe('one\nTWO typed\nthree\n');
    });
  });
}

/** Selects a word and asks an agent, whose model receives that word and nothing around it. */
export async function askAboutSelection(
  user: EditorUser,
  running: RunningAgent<ContextAgent>,
): Promise<void> {
  const name = `seen-${running.agent.kind}.txt`;
  const text = 'first line\nsecond marker-7f3a line\nthree\n';
  await user.openFile(await user.sandbox.write(`${user.folder}/${name}`, text));
  await user.selectWord();
  await running.waitForActiveFile(name);
  await running.ask('describe what is selected', say('A marker, selected.'));
  await running.terminal.waitFor('A marker, selected.');
  expect(running.model.quotesOf('marker-7f3a')).not.toEqual([]);
  expect(running.model.quotesOf('second marker-7f3a')).toEqual([]);
  expect(running.model.quotesOf('marker-7f3a line')).toEqual([]);
  await user.comeBack();
}

/** Mentions the second line of the file that is shown, and asks about it. */
export async function askAboutMention(
  user: EditorUser,
  running: RunningAgent<ContextAgent>,
  reference: RegExp,
): Promise<void> {
  await user.mention();
  await running.terminal.waitFor(reference);
  await running.ask('is mentioned', say('It is.'));
  await running.terminal.waitFor('It is.');
}

/** What the agents do in every editor that cannot have a correction, or that propose no changes. */
export function testOtherAgents(editor: () => EditorUser): void {
  let running: RunningAgent<ContextAgent> | undefined;

  afterEach(() => running?.dispose());

  it('runs Copilot CLI, whose corrected text is offered to the user', exhaustive, async () => {
    const started = await editor().startAgent(copilot);
    running = started;
    await askAboutSelection(editor(), started);
    await askAboutMention(editor(), started, /@seen-copilot\.txt:2/);
    const path = await editor().sandbox.write(
      `${editor().folder}/corrected-copilot.txt`,
      '\uFEFFone\r\ntwo\r\nthree',
    );
    await started.waitUntilIdle();
    await started.propose(copilot.replaceText(path, 'two', 'TWO'));
    await editor().waitForReviews(1);
    await editor().openReview();
    await editor().typeBehindTwo(', mine');
    await editor().save();
    await started.waitUntilDone();
    expect(await readFile(path, 'utf8')).toBe('\uFEFFone\r\nTWO\r\nthree');
    await editor().applyInterrupted(path);
    expect(await readFile(path, 'utf8')).toBe('\uFEFFone\r\nTWO, mine\r\nthree');
  });

  it.for([codex, opencode, kilo])('gives $name the selection', exhaustive, async (agent) => {
    running = await editor().startAgent(agent);
    await askAboutSelection(editor(), running);
  });
}
