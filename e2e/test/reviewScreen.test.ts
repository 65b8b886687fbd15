import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { gemini } from '../src/agents/gemini.js';
import type { CliTerminal } from '../src/cliTerminal.js';
import { listen } from '../src/listeningAgents.js';
import { openReviewScreen } from '../src/reviewScreen.js';
import { screenPicture } from '../src/screenPicture.js';
import { Stage } from '../src/stage.js';

const before = Array.from({ length: 30 }, (_, at) => `const value${at} = ${at};\n`).join('');
const proposed = before.replace('value4 = 4', 'value4 = "four"').replace('value20', 'twenty');

/** A companion with two proposals of an agent without a model. */
async function twoProposals() {
  const stage = await Stage.open();
  const agent = await listen(stage.tandem, 'gemini');
  const first = await stage.put('src/first.ts', before);
  await agent.openDiff(first, proposed);
  await agent.openDiff(await stage.put('second.txt', 'old\r\n'), 'new \u001b[31mred\u001b[0m\u202e\n');
  return { stage, agent, first };
}

/** With `TANDEM_SCREENS`, the folder for pictures of the screens. */
async function takePicture(name: string, terminal: CliTerminal): Promise<void> {
  const folder = process.env.TANDEM_SCREENS;
  if (folder !== undefined) await writeFile(join(folder, `${name}.svg`), screenPicture(terminal));
}

it('reviews what a real agent proposes: drops a hunk, accepts, and shows the next proposal', async () => {
  const stage = await Stage.open();
  const { running } = await stage.connect(gemini);
  const screen = await openReviewScreen(stage);
  expect(screen.screen()).toContain('Nothing is pending.');
  const path = await stage.put('a.txt', 'one\ntwo\n');
  await running.propose(gemini.replaceText(path, 'two', 'TWO'));
  await screen.waitFor(/\+TWO/);
  await screen.type(' ');
  await screen.waitFor('1 dropped');
  await screen.type('u');
  await screen.waitFor((shown) => !shown.includes('dropped'));
  await running.waitForApproval();
  await screen.type('a');
  await screen.waitFor('Accepted.');
  await running.waitUntilDone();
  expect(await stage.read('a.txt')).toBe('one\nTWO\n');
  await screen.type('q');
  expect(await screen.exited).toBe(0);
});

it('decides a session of 14 proposals of a real agent by keyboard alone', exhaustive, async () => {
  const stage = await Stage.open();
  const { running } = await stage.connect(gemini);
  const screen = await openReviewScreen(stage, { size: { cols: 80, rows: 24 } });
  for (let at = 1; at <= 14; at += 1) {
    const path = await stage.put(`file${at}.txt`, `one\ntwo ${at}\n`);
    await running.propose(gemini.replaceText(path, `two ${at}`, `TWO ${at}`));
    await screen.waitFor(`+TWO ${at}`);
    await running.waitForApproval();
    // After a rejection, this agent waits for other words of its user.
    const isAccepted = at < 14;
    await screen.type(isAccepted ? 'a' : 'r');
    await screen.waitFor('Nothing is pending.');
    await (isAccepted ? running.waitUntilDone() : running.waitUntilPromptIsBack());
    expect(await stage.read(`file${at}.txt`)).toBe(`one\n${isAccepted ? 'TWO' : 'two'} ${at}\n`);
  }
});

describe('the screen', () => {
  it.each([
    ['80x24', { cols: 80, rows: 24 }],
    ['200x50', { cols: 200, rows: 50 }],
  ])('is as it was at %s', async (name, size) => {
    const { stage } = await twoProposals();
    const screen = await openReviewScreen(stage, { size });
    await screen.waitFor('change 1 of 2');
    await screen.waitUntilQuiet('the colours of the syntax come later');
    expect(screen.screen()).toMatchSnapshot(`review ${name}`);
    await takePicture(`review-${name}`, screen);
    for (const [keys, what, wait] of [
      ['?', 'keys', 'Keys   j and k'],
      ['qA', 'question', 'Accept 2 proposals'],
      ['\u001b', 'back', (shown: string) => !shown.includes('Accept 2')],
      [']', 'hostile', 'new ␛[31mred␛[0m⟨202E⟩'],
      ['c', 'comment', 'Comment on line 1'],
    ] as const) {
      await screen.type(keys);
      await screen.waitFor(wait);
      // A frame can arrive in parts.
      await screen.waitUntilQuiet('all of the frame is there');
      if (what !== 'back') expect(screen.screen()).toMatchSnapshot(`${what} ${name}`);
      await takePicture(`${what}-${name}`, screen);
    }
  });

  it('shows at once what another view does, and continues after the companion was killed', async () => {
    const { stage } = await twoProposals();
    const [one, other] = [await openReviewScreen(stage), await openReviewScreen(stage)];
    await one.waitFor('change 1 of 2');
    await one.type('n ');
    await other.waitFor('1 dropped');
    await stage.tandem.run('review', 'comment', '1', '3', '-m', 'From elsewhere');
    await one.waitFor('» From elsewhere');
    await other.type('cMy words');
    await other.waitFor('My words');
    await stage.restart('kill');
    await one.waitFor('(not connec');
    expect(other.screen()).toContain('My words');
  });

  it('edits the text in the editor of the user, and takes that back', async () => {
    const { stage } = await twoProposals();
    const EDITOR = await stage.sandbox.write('bin/edit', '#!/bin/sh\necho "// by me" >> "$1"\n', 0o755);
    const screen = await openReviewScreen(stage, { env: { EDITOR } });
    await screen.waitFor('change 1 of 2');
    await screen.type('e');
    await screen.waitFor('// by me');
    await screen.type('u');
    await screen.waitFor((shown) => !shown.includes('// by me'));
  });

  it('takes over what a diff tool leaves', async () => {
    const { stage } = await twoProposals();
    const TANDEM_DIFF = await stage.sandbox.write('bin/compare', '#!/bin/sh\ncp "$1" "$2"\n', 0o755);
    const screen = await openReviewScreen(stage, { env: { TANDEM_DIFF } });
    await screen.waitFor('change 1 of 2');
    await screen.type('d');
    await screen.waitFor('No line differs.');
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('leaves the terminal as it was after %s', async (signal) => {
    const { stage } = await twoProposals();
    const screen = await openReviewScreen(stage);
    expect(screen.buffer.type).toBe('alternate');
    screen.signal(signal);
    expect(await screen.exited).toBeGreaterThan(0);
    expect(screen.buffer.type).toBe('normal');
  });

  it('follows the size of the terminal', async () => {
    const { stage } = await twoProposals();
    const screen = await openReviewScreen(stage, { size: { cols: 80, rows: 24 } });
    await screen.waitFor('change 1 of 2');
    screen.resize({ cols: 200, rows: 50 });
    await screen.waitFor(/ 5 -const value4 = 4; +│ +5 \+const value4 = "four";/);
  });

  it('asks in lines for screen readers', async () => {
    const { stage } = await twoProposals();
    const screen = await openReviewScreen(stage, { args: ['--plain'] });
    await screen.submit('1');
    await screen.waitFor('dropped: the file keeps its lines');
    await screen.submit('r');
    await screen.waitFor('Review 1 of 1.');
    expect(screen.buffer.type).toBe('normal');
    await screen.submit('q');
    expect(await screen.exited).toBe(0);
  });

  it('begins once something is pending, and ends when nothing is any more', async () => {
    const stage = await Stage.open();
    const agent = await listen(stage.tandem, 'gemini');
    const opening = openReviewScreen(stage, { args: ['--wait', '--popup'] });
    await agent.openDiff(await stage.put('a.txt', 'old\n'), 'new\n');
    const screen = await opening;
    await screen.type('r');
    expect(await screen.exited).toBe(0);
  });
});
