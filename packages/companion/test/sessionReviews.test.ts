import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundCompanion } from '@tandem/companion/control';
import { RpcError } from '@tandem/rpc';
import { describe, expect, test } from 'vitest';
import type { ClaudeClient } from '../../agents/test/support/claudeClient.js';
import type { CompanionStage } from './support/companionStage.js';
import { useSuccessiveCompanions } from './support/successiveCompanions.js';

const createSite = useSuccessiveCompanions();

/** A companion in a workspace of three files, with two sessions of Gemini CLI. */
async function startTwo() {
  const { begin, folder } = createSite({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
  const stage = await begin();
  const [one, two] = [await stage.connect('gemini'), await stage.connect('gemini')];
  const { client } = await stage.found();
  const path = (name: string): string => join(folder, name);
  return { stage, begin, one, two, client, path };
}

/** The question before all of a session, or of all sessions, are accepted. */
async function askAbout(client: FoundCompanion['client'], session?: string): Promise<RpcError> {
  const asking = client.call('session.decide', { session, decision: 'accept' });
  return asking.then(
    () => Promise.reject(new Error('nothing was asked')),
    (error: unknown) => (error instanceof RpcError ? error : Promise.reject(error)),
  );
}

describe('the sessions that proposed changes', () => {
  test('are listed with their pending and decided reviews, in the order of their first one', async () => {
    const { stage, begin, one, two, client, path } = await startTwo();
    expect(await client.call('session.list', {})).toEqual([]);
    let changes = 0;
    stage.companion.sessions.onDidChange(() => changes++);
    await one.openDiff(path('a.txt'), 'A\n');
    await two.openDiff(path('b.txt'), 'B\n');
    await one.openDiff(path('c.txt'), 'C\n');
    expect(changes).toBe(3);
    await client.call('review.accept', { id: '1' });
    writeFileSync(path('a.txt'), 'A\n');
    const [first, second] = await client.call('session.list', {});
    expect(first).toMatchObject({
      agent: 'gemini',
      agentName: 'Gemini CLI',
      firstPath: path('a.txt'),
      isConnected: true,
      pending: ['3'],
      decided: 1,
      files: 1,
    });
    expect(second).toMatchObject({ agentName: 'Gemini CLI 2', pending: ['2'], decided: 0, files: 0 });
    await client.call('review.reject', { id: '2' });
    await stage.companion.stop();
    const sessions = (await begin()).companion.sessions.list();
    expect(sessions.map(({ id, decided }) => [id, decided])).toEqual([
      [first?.id, 1],
      [second?.id, 1],
    ]);
  });

  test('continue when an agent that has no lasting session reconnects, also after a restart', async () => {
    const { stage, begin, path } = await startTwo();
    const decide = async (companion: CompanionStage, agent: ClaudeClient, name: string): Promise<void> => {
      const call = agent.beginOpenDiff(path(name), 'new\n', name);
      const { id } = await companion.event('review.opened', (review) => review.path === path(name));
      companion.companion.reviews.get(id)?.reject();
      await agent.answer(call);
    };
    const before = await stage.connect('claude');
    await decide(stage, before, 'a.txt');
    await before.close();
    await stage.event('session.closed', ({ agent }) => agent === 'claude');
    const again = await stage.connect('claude');
    await decide(stage, again, 'b.txt');
    // Another process that is connected at the same time keeps its own reviews.
    const other = await stage.connect('claude');
    await decide(stage, other, 'c.txt');
    expect(stage.companion.sessions.list().map(({ decided }) => decided)).toEqual([2, 1]);
    await stage.companion.stop();
    const next = await begin();
    await decide(next, await next.connect('claude'), 'd.txt');
    const sessions = next.companion.sessions.list();
    expect(sessions.map(({ decided, isConnected }) => [decided, isConnected])).toEqual([
      [2, false],
      [2, true],
    ]);
  });

  test('have the title that the agent reports for its conversation', async () => {
    const { stage, client, path } = await startTwo();
    const copilot = await stage.connect('copilot');
    await copilot.call('update_session_name', { name: 'Fix the login' });
    const answer = copilot.openDiff(path('a.txt'), 'A\n', 'a.txt');
    await stage.event('review.opened');
    expect(await client.call('session.list', {})).toMatchObject([
      { agentName: 'Copilot CLI', title: 'Fix the login', firstPath: path('a.txt') },
    ]);
    await client.call('review.reject', { id: '1' });
    await answer;
  });

  test('have their pending reviews accepted together, except where the user has to look', async () => {
    const { stage, one, two, client, path } = await startTwo();
    await one.openDiff(path('a.txt'), 'A\n');
    await one.openDiff(path('b.txt'), 'B\n');
    await one.openDiff(path('c.txt'), 'C\n');
    await two.openDiff(path('a.txt'), 'other\n');
    await client.call('review.edit', { id: '1', content: 'mine\n' });
    writeFileSync(path('b.txt'), 'changed\n');
    const [session] = (await client.call('session.list', {})).map(({ id }) => id);
    if (session === undefined) throw new Error('There is no session.');
    const { question } = await askAbout(client, session.slice(0, 8));
    expect(question?.detail).toMatch(
      /^Files: a\.txt, c\.txt\.\nWith your edits: a\.txt\.\nStays pending: b\.txt /,
    );
    const { answer: { seen = [] } = {} } = question?.choices[0] ?? {};
    expect(stage.companion.reviews.pending).toHaveLength(4);
    // Edited after the question.
    await client.call('review.edit', { id: '3', content: 'later\n' });
    const answer = { seen };
    expect(await client.call('session.decide', { session, decision: 'accept', answer })).toEqual({
      decided: [{ id: '1', path: path('a.txt') }],
      pending: [
        { id: '2', path: path('b.txt'), obstacle: 'conflict' },
        { id: '3', path: path('c.txt'), obstacle: 'changed' },
      ],
      note: expect.stringMatching(/^Accepted 1 proposal\. Stays pending: b\.txt /),
    });
    const { params } = await one.next('ide/diffAccepted');
    expect(params).toMatchObject({ filePath: path('a.txt'), content: 'mine\n' });
    expect(stage.companion.reviews.pending.map(({ id }) => id)).toEqual(['2', '3', '4']);
    expect(readFileSync(path('a.txt'), 'utf8')).toBe('a\n');
  });

  test('are not accepted together where the editor has unsaved changes, also behind a link', async () => {
    const { stage, one, client, path } = await startTwo();
    symlinkSync(path('a.txt'), path('link.txt'));
    await one.openDiff(path('a.txt'), 'A\n');
    await one.openDiff(path('link.txt'), 'linked\n');
    await one.openDiff(path('b.txt'), 'B\n');
    await stage.editor.documents.open(path('a.txt'));
    stage.editor.user.type(path('a.txt'), 'typed');
    const [session = ''] = (await client.call('session.list', {})).map(({ id }) => id);
    const { question } = await askAbout(client, session);
    expect(question?.detail).toBe(
      'File: b.txt.\nStay pending: a.txt, link.txt (its file has unsaved changes).',
    );
  });

  test('have their pending reviews rejected together, edited ones only if that is confirmed', async () => {
    const { one, client, path } = await startTwo();
    await one.openDiff(path('a.txt'), 'A\n');
    await one.openDiff(path('b.txt'), 'B\n');
    await client.call('review.edit', { id: '1', content: 'mine\n' });
    const [session] = (await client.call('session.list', {})).map(({ id }) => id);
    if (session === undefined) throw new Error('There is no session.');
    const reject = (answer: { rejectsEdited?: boolean }) =>
      client.call('session.decide', { session, decision: 'reject', answer });
    expect(await reject({})).toMatchObject({
      decided: [{ id: '2', path: path('b.txt') }],
      pending: [{ id: '1', path: path('a.txt'), obstacle: 'edited' }],
    });
    expect(await reject({ rejectsEdited: true })).toMatchObject({
      decided: [{ id: '1', path: path('a.txt') }],
      pending: [],
    });
  });

  test('are decided for all sessions after one question if no session is named', async () => {
    const { stage, one, two, client, path } = await startTwo();
    await one.openDiff(path('a.txt'), 'A\n');
    await two.openDiff(path('b.txt'), 'B\n');
    const { question } = await askAbout(client);
    expect(question).toMatchObject({ message: 'Accept 2 proposals?', detail: 'Files: a.txt, b.txt.' });
    const answer = question?.choices[0]?.answer;
    const { decided, pending } = await client.call('session.decide', { decision: 'accept', answer });
    expect([decided.map(({ id }) => id), pending]).toEqual([['1', '2'], []]);
    expect(stage.companion.reviews.pending).toEqual([]);
  });

  test('are named by the beginning of an id, if it fits exactly one', async () => {
    const { one, two, client, path } = await startTwo();
    await one.openDiff(path('a.txt'), 'A\n');
    await two.openDiff(path('b.txt'), 'B\n');
    const reject = (session: string) => client.call('session.decide', { session, decision: 'reject' });
    await expect(reject('nothing')).rejects.toMatchObject({
      code: 'not-found',
      message: 'No session nothing has proposed a change.',
    });
    const ids = (await client.call('session.list', {})).map(({ id }) => id);
    expect(await Promise.all(ids.map(async (id) => (await reject(id)).decided.length))).toEqual([1, 1]);
  });
});
