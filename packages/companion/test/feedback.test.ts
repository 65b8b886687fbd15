import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Machine } from '@tandem/agents';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ClaudeClient } from '../../agents/test/support/claudeClient.js';
import {
  type CompanionStage,
  filesBelow,
  makeMachine,
  makeWorkspace,
  useStages,
} from './support/companionStage.js';

let folder: string;
let path: string;
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const start = useStages();
beforeEach(() => {
  folder = makeWorkspace({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  path = join(folder, 'a.txt');
});

/** A diff that Claude Code has opened, on which the user has commented. */
async function propose(stage: CompanionStage, client: ClaudeClient, file = path, title = `tab ${file}`) {
  client.beginOpenDiff(file, 'ONE\n', title);
  const { id } = await stage.event('review.opened', (event) => event.path === file);
  stage.companion.reviews.get(id)?.addComment({ text: 'Why?', lines: { first: 0, last: 0 } });
  const { client: control } = await stage.found();
  return { id, title, send: (rejects: boolean) => control.call('review.feedback', { id, rejects }) };
}

async function begin(machine: Machine = makeMachine()) {
  const stage = await start({ folders: [folder], machine });
  const client = await stage.connect('claude');
  const feedbackFiles = () => filesBelow(join(machine.home, '.local/state/tandem/feedback'));
  return { stage, client, feedbackFiles };
}

describe('feedback to Claude Code', () => {
  test('is a reference to a private file in the prompt of that session, once it has closed the tab', async () => {
    const { stage, client, feedbackFiles } = await begin();
    const other = await stage.connect('claude');
    const { send, title } = await propose(stage, client);
    const sent = send(true);
    await stage.event('review.decided');
    expect(feedbackFiles()).toEqual([]);
    await client.call('close_tab', { tab_name: title });
    const { params } = await client.next('at_mentioned');
    const { text, delivery, note } = await sent;
    expect([delivery, note]).toEqual([
      'prompt',
      expect.stringContaining('prompt of Claude Code, as a reference to a file'),
    ]);
    expect(readFileSync(params.filePath, 'utf8')).toBe(`${text}\n`);
    expect(text).toBe('Review of a.txt, line 1: rejected.\n\n> ONE\nWhy?');
    expect(statSync(params.filePath).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(params.filePath)).mode & 0o777).toBe(0o700);
    expect(Object.keys(params)).toEqual(['filePath']);
    expect(other.received).not.toContain('at_mentioned');
    expect(stage.log.join()).not.toContain('Why?');
    const closed = stage.event('session.closed');
    await client.close();
    await closed;
    await expect.poll(feedbackFiles).toEqual([]);
  });

  test('is removed from the disk when the companion stops', async () => {
    const { stage, client, feedbackFiles } = await begin();
    const { send, title } = await propose(stage, client);
    const sent = send(true);
    await stage.event('review.decided');
    await client.call('close_tab', { tab_name: title });
    await sent;
    expect(feedbackFiles()).toHaveLength(1);
    await stage.companion.stop();
    expect(existsSync(feedbackFiles()[0] ?? '')).toBe(false);
  });

  test('stays out of the prompt while it asks about another change', async () => {
    const { stage, client, feedbackFiles } = await begin();
    const { send, title } = await propose(stage, client);
    await propose(stage, client, join(folder, 'b.txt'));
    const sent = send(true);
    await stage.event('review.decided');
    await client.call('close_tab', { tab_name: title });
    expect(await sent).toMatchObject({
      delivery: 'clipboard',
      note: expect.stringContaining('waits for your decision'),
    });
    expect([feedbackFiles(), client.received.includes('at_mentioned')]).toEqual([[], false]);
  });

  test('stays out of the prompt while the change itself is pending, and once the agent has disconnected', async () => {
    const { stage, client } = await begin();
    const { send, id } = await propose(stage, client);
    expect(await send(false)).toMatchObject({ delivery: 'clipboard' });
    expect(stage.companion.reviews.get(id)?.state).toBe('pending');
    const closed = stage.event('session.closed');
    await client.close();
    await closed;
    expect(await send(false)).toMatchObject({
      delivery: 'clipboard',
      note: expect.stringContaining('disconnected'),
    });
    expect(client.received).not.toContain('at_mentioned');
  });

  test('stays out of the prompt if it may ask something by now', async () => {
    const { stage, client, feedbackFiles } = await begin();
    const { send, id } = await propose(stage, client);
    stage.companion.reviews.get(id)?.reject();
    expect(await send(false)).toMatchObject({
      delivery: 'clipboard',
      note: expect.stringContaining('may ask something'),
    });
    expect([feedbackFiles(), client.received.includes('at_mentioned')]).toEqual([[], false]);
  });

  test('stays out of the prompt if the path of its file would break there', async () => {
    const machine = makeMachine();
    const home = join(machine.home, 'with space');
    mkdirSync(home);
    const { stage, client } = await begin({ ...machine, home });
    const { send, title } = await propose(stage, client);
    const sent = send(true);
    await stage.event('review.decided');
    await client.call('close_tab', { tab_name: title });
    expect(await sent).toMatchObject({
      delivery: 'clipboard',
      note: expect.stringContaining('special characters'),
    });
  });
});

describe('feedback to Gemini CLI', () => {
  test('stays out of a prompt whose terminal is not certain', async () => {
    const { stage } = await begin();
    const client = await stage.connect('gemini');
    await client.openDiff(path, 'ONE\n');
    const { client: control } = await stage.found();
    await control.call('review.comment', { id: '1', text: 'Why?' });
    const { delivery, note } = await control.call('review.feedback', { id: '1', rejects: true });
    expect([delivery, note]).toEqual([
      'clipboard',
      expect.stringContaining('Paste the feedback into Gemini CLI yourself'),
    ]);
  });
});
