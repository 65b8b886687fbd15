import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { useAgentGroup } from '../src/agentGroup.js';
import { pi } from '../src/agents/pi.js';
import { ScriptedModel } from '../src/model/scriptedModel.js';
import { atOnce, call, say } from '../src/model/turn.js';
import { Stage } from '../src/stage.js';
import { spawnTandem } from '../src/tandem.js';
import { installOnPath, throughTandem } from '../src/throughTandem.js';

const LINES = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`);
const TEXT = `\uFEFF${LINES.join('\r\n')}\r\n`;

/** A call with several edits. */
const edits = (path: string, ...texts: readonly (readonly [before: string, after: string])[]) =>
  call('edit', { path, edits: texts.map(([oldText, newText]) => ({ oldText, newText })) });

describe('pi, started by tandem run', exhaustive, () => {
  const group = useAgentGroup(pi, {
    before: ({ sandbox }) => installOnPath(pi, sandbox),
    start: () => throughTandem(pi),
  });

  it('writes all edits of a call with the bytes that pi writes', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('bytes.txt', TEXT);
    await running.propose([edits(path, ['line 2\n', ''], ['line 11', 'LINE 11\nmore'])]);
    await stage.tandem.accept(await stage.tandem.nextReview({ path }));
    await running.waitUntilDone();
    expect(await stage.read('bytes.txt')).toBe(
      TEXT.replace('line 2\r\n', '').replace('line 11', 'LINE 11\r\nmore'),
    );
  });

  it('writes a corrected text with the bytes of the file', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('corrected.txt', TEXT);
    await running.propose([edits(path, ['line 2', 'LINE 2'])]);
    const corrected = TEXT.replace('line 2', 'LINE 2, 文 🦋');
    await stage.tandem.accept(await stage.tandem.nextReview({ path }), corrected);
    await running.waitUntilDone();
    expect(await stage.read('corrected.txt')).toBe(corrected);
    expect(running.model.toolResults.at(-1)).toContain('The user corrected this change');
  });

  it('writes only the hunks that are kept', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('hunks.txt', TEXT);
    await running.propose([edits(path, ['line 2\n', 'LINE 2\n'], ['line 11', 'LINE 11'])]);
    const review = await stage.tandem.nextReview({ path });
    await stage.tandem.run('review', 'drop', review, '1');
    await stage.tandem.accept(review);
    await running.waitUntilDone();
    expect(await stage.read('hunks.txt')).toBe(TEXT.replace('line 11', 'LINE 11'));
  });

  it('empties a file', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('empty.txt', 'one\n');
    await running.propose([edits(path, ['one', 'ONE'])]);
    await stage.tandem.accept(await stage.tandem.nextReview({ path }), '');
    await running.waitUntilDone();
    expect(await stage.read('empty.txt')).toBe('');
  });

  it('is asked about two calls of one message in turn, and both are written', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('twice.txt', TEXT);
    await running.propose([
      atOnce([edits(path, ['line 2\n', 'LINE 2\n']), edits(path, ['line 3', 'LINE 3'])]),
    ]);
    await stage.tandem.accept(await stage.tandem.nextReview({ path }));
    expect(await stage.read('twice.txt')).toBe(TEXT);
    const corrected = TEXT.replace('line 2', 'LINE 2').replace('line 3', 'LINE 3, corrected');
    await stage.tandem.accept(await stage.tandem.nextReview({ path }), corrected);
    await running.waitUntilDone();
    expect(await stage.read('twice.txt')).toBe(corrected);
  });

  it('learns why an edit cannot be shown, and goes on', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('similar.txt', 'one \ntwo\n');
    await running.propose([edits(path, ['one\n', 'ONE\n'])]);
    await running.waitUntilDone();
    expect(running.model.toolResults.at(-1)).toContain('quote the text exactly');
    expect(await stage.read('similar.txt')).toBe('one \ntwo\n');
  });

  it('receives feedback on a decided review with the next prompt', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('later.txt', TEXT);
    await running.propose([edits(path, ['line 2\n', 'LINE 2\n'])]);
    const review = await stage.tandem.nextReview({ path });
    await stage.tandem.run('review', 'comment', review, '2', '-m', 'Small letters next time.');
    await stage.tandem.accept(review);
    await running.waitUntilDone();
    const { json } = await stage.tandem.run('review', 'feedback', review, '--json');
    expect(json).toMatchObject({ delivery: 'prompt' });
    await running.waitUntilIdle();
    await running.ask('go on', say('I do.'));
    await running.terminal.waitFor('I do.');
    expect(running.model.conversation.at(-1)?.raw).toContain('Small letters next time.');
  });

  it('ends the review at Escape, and what was typed can still be applied', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('typed.txt', TEXT);
    await running.propose([edits(path, ['line 2\n', 'LINE 2\n'], ['line 11', 'LINE 11'])]);
    const review = await stage.tandem.nextReview({ path });
    await stage.tandem.run('review', 'drop', review, '1');
    await running.terminal.press('escape');
    expect(await stage.tandem.outcomeOf(review)).toBe('withdrawn');
    await running.waitUntilIdle();
    expect(await stage.read('typed.txt')).toBe(TEXT);
    await stage.tandem.run('review', 'apply', review);
    expect(await stage.read('typed.txt')).toBe(TEXT.replace('line 11', 'LINE 11'));
  });

  it('continues a review of a companion that was killed', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('killed.txt', TEXT);
    await running.propose([edits(path, ['line 2\n', 'LINE 2\n'])]);
    await stage.tandem.nextReview({ path });
    await stage.restart('kill');
    await stage.tandem.waitForEvent('session.connected', { agent: 'pi' });
    expect(await stage.read('killed.txt')).toBe(TEXT);
    await stage.tandem.run('review', 'accept');
    await running.waitUntilDone();
    expect(await stage.read('killed.txt')).toBe(TEXT.replace('line 2', 'LINE 2'));
  });

  it('has the settings that it had', async () => {
    const { sandbox } = group.current.stage;
    const file = `${sandbox.home}/.pi/agent/settings.json`;
    expect(await readFile(file, 'utf8')).not.toMatch(/extension|tandem/);
  });
});

it('pi with -p waits for the user, too', exhaustive, async () => {
  const stage = await Stage.open();
  const model = await ScriptedModel.start(pi.dialect);
  onTestFinished(() => model.close());
  const site = { sandbox: stage.sandbox, cwd: stage.workspace, modelUrl: model.url, isIdeModeOn: true };
  await pi.prepare(site);
  await installOnPath(pi, stage.sandbox);
  const path = await stage.put('a.txt', TEXT);
  model.script(edits(path, ['line 2\n', 'LINE 2\n']), say('It is done.'));
  const child = spawnTandem(
    stage.sandbox,
    stage.workspace,
    ['run', 'pi', '-p', 'edit it'],
    pi.environment(site),
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end();
  let stdout = '';
  child.stdout.on('data', (text: Buffer) => {
    stdout += text.toString();
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const review = await stage.tandem.nextReview({ agent: 'pi', path });
  expect(await stage.read('a.txt')).toBe(TEXT);
  await stage.tandem.accept(review);
  expect(await ended).toBe(0);
  expect(stdout).toContain('It is done.');
  expect(await stage.read('a.txt')).toBe(TEXT.replace('line 2', 'LINE 2'));
});
