import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@tandem/core/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { jsonOf } from '../../agents/test/support/rpc.js';
import { describeReview } from '../src/reviewSummary.js';
import { writeUserFile } from '../src/userFile/writeUserFile.js';
import { makeMachine, makeWorkspace, type StageOptions, useStages } from './support/companionStage.js';
import { openJournal } from './support/crashedJournal.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const start = useStages();

const before = 'one\ntwo\nthree\n';
const proposed = 'ONE\ntwo\nthree\n';
const corrected = 'ONE\ntwo\nthree of mine\n';
const tab = '[Copilot CLI] - a.txt (c0ffee)';

/** A proposal by an agent that writes its own text, which the user has corrected and accepted. */
async function correct() {
  const folder = makeWorkspace({ 'a.txt': before });
  const journal = mkdtempSync(join(tmpdir(), 'journal-'));
  folders.push(folder, journal);
  const clock = new FakeClock();
  const machine = makeMachine();
  const options = (): StageOptions => ({
    folders: [folder],
    journal: openJournal(journal),
    clock,
    machine,
    writeFile: writeUserFile,
  });
  const stage = await start(options());
  const client = await stage.connect('copilot');
  const path = join(folder, 'a.txt');
  const answer = client.openDiff(path, proposed, tab);
  const review = await stage.editor.whenShown();
  review.edit(corrected);
  const { notes } = describeReview(review);
  review.accept();
  expect(jsonOf(await answer).result).toBe('SAVED');
  /** Lets time pass until the companion offers the corrections. */
  const pass = (): Promise<void> =>
    expect
      .poll(() => {
        clock.advance(15_000);
        return stage.companion.interrupted.all.length;
      })
      .toBe(1);
  return { stage, client, path, notes, pass, options };
}

describe('corrections to a proposal whose agent writes its own text', () => {
  test('are announced before the acceptance, and offered after the agent has written its text [COP-20]', async () => {
    const { stage, path, notes, pass } = await correct();
    expect(notes.join()).toContain('writes its own proposal');
    const { interrupted, interruptedFiles } = stage.companion;
    expect(interrupted.all).toEqual([]);
    writeFileSync(path, proposed);
    await pass();
    expect(interrupted.all).toMatchObject([
      { path, content: corrected, original: { kind: 'text', text: proposed } },
    ]);
    await interruptedFiles.apply(interrupted.all[0]?.id ?? '');
    expect(readFileSync(path, 'utf8')).toBe(corrected);
    expect(interrupted.all).toEqual([]);
  });

  test('are offered with the whole proposal if the agent does not write it [COP-20]', async () => {
    const { stage, path, pass } = await correct();
    await pass();
    const { interrupted } = stage.companion;
    expect(interrupted.all).toMatchObject([{ path, content: corrected, original: { text: before } }]);
    // The agent was slow.
    writeFileSync(path, proposed);
    await stage.companion.sweep();
    expect(interrupted.all).toMatchObject([{ content: corrected, original: { text: proposed } }]);
  });

  test('survive the next proposal for the file, and the end of the agent [COP-20]', async () => {
    const { stage, client, path } = await correct();
    const answer = client.openDiff(path, 'next\n', 'another tab');
    const next = await stage.editor.whenShown(({ proposal }) => proposal.content === 'next\n');
    next.reject();
    await answer;
    const closed = stage.event('session.closed');
    stage.companion.agents.protocols.find(({ identity }) => identity.id === 'copilot')?.stop();
    await closed;
    await expect.poll(() => stage.companion.interrupted.all).toMatchObject([{ content: corrected }]);
  });

  test.each([
    ['before', before],
    ['after', proposed],
  ])('survive a kill %s the agent has written its text [COP-20]', async (_when, text) => {
    const { stage, path, options } = await correct();
    await stage.companion.journal.write();
    const left = stage.companion.save();
    await stage.companion.stop();
    writeFileSync(path, text);
    const { journal: _journal, ...rest } = options();
    const next = await start({ ...rest, before: { ...left, endedInOrder: false } });
    expect(next.companion.interrupted.all).toMatchObject([{ content: corrected, original: { text } }]);
  });
});

test('a folder in which an agent is started is announced while it is in use [COP-15]', async () => {
  const folder = makeWorkspace({ 'sub/a.txt': before });
  folders.push(folder);
  const stage = await start({ folders: [folder] });
  const announced = (): string[] =>
    stage
      .discoveryFiles()
      .filter((file) => file.includes('.copilot'))
      .flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).workspaceFolders)
      .sort();
  const sub = join(folder, 'sub');
  const { client } = await stage.found();
  const stay = new AbortController();
  await new Promise<void>((onOpen) => {
    void client.followEvents(() => {}, { folder: sub, signal: stay.signal, onOpen });
  });
  const also = stage.companion.startFolders.add(sub);
  await expect.poll(announced).toEqual([folder, sub]);
  stay.abort();
  for (const outside of [folder, '/elsewhere', `${folder}2`]) stage.companion.startFolders.add(outside);
  expect(announced()).toEqual([folder, sub]);
  also.dispose();
  await expect.poll(announced).toEqual([folder]);
});
