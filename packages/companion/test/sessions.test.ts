import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@tandem/core';
import { describe, expect, test } from 'vitest';
import { endsWithin } from '../../../test/machineTime.js';
import { texts } from '../../agents/test/support/rpc.js';
import { agentIds } from '../src/agents/agents.js';
import { findCompanions } from '../src/control/index.js';
import { makeMachine, makeWorkspace, useStages } from './support/companionStage.js';

const start = useStages();

describe('the sessions of a companion', () => {
  test('are reported when they open and close, each with its client', async () => {
    const stage = await start();
    const client = await stage.connect('claude');
    const connected = await stage.event('session.connected');
    expect(connected).toMatchObject({ agent: 'claude', client: { name: 'claude-code', version: '2.1.332' } });
    expect(stage.companion.isNeeded).toBe(true);
    await client.close();
    expect(await stage.event('session.closed')).toEqual({ ...connected, event: 'session.closed' });
    expect(stage.companion.isNeeded).toBe(false);
  });

  test('are in the status while they are open', async () => {
    const stage = await start();
    await stage.connect('gemini');
    await stage.connect('gemini');
    const { agents } = await stage.companion.status();
    expect(agents.map(({ id }) => id)).toEqual(agentIds);
    const connected = agents.flatMap(({ id, sessions }) => sessions.map((session) => [id, session.id]));
    expect(connected.map(([id]) => id)).toEqual(['gemini', 'gemini']);
    expect(new Set(connected.map(([, session]) => session)).size).toBe(2);
  });
});

describe('three agents at once', () => {
  test('receive only the answer to their own proposal for the same file', async () => {
    const folder = makeWorkspace({ 'a.txt': 'one\n' });
    const path = join(folder, 'a.txt');
    const stage = await start({ folders: [folder] });
    const [gemini, qwen, claude] = await Promise.all([
      stage.connect('gemini'),
      stage.connect('qwen'),
      stage.connect('claude'),
    ]);
    await gemini.openDiff(path, 'gemini\n');
    await qwen.openDiff(path, 'qwen\n');
    const call = claude.beginOpenDiff(path, 'claude\n');
    await stage.event('review.opened', ({ agent }) => agent === 'claude');

    const { pending } = stage.companion.reviews;
    expect(pending.map(({ proposal }) => proposal.agent)).toEqual(['gemini', 'qwen', 'claude']);
    const [ofGemini, ofQwen, ofClaude] = pending;
    expect(ofQwen?.reject()).toBe(true);
    expect((await qwen.next('ide/diffRejected')).params).toEqual({ filePath: path });
    expect(ofClaude?.accept()).toBe(true);
    expect(texts(await claude.answer(call))).toEqual(['FILE_SAVED', 'claude\n']);
    expect(ofGemini?.accept('gemini, corrected\n')).toBe(true);
    expect((await gemini.next('ide/diffAccepted')).params).toEqual({
      filePath: path,
      content: 'gemini, corrected\n',
    });
    for (const other of [gemini, qwen]) {
      expect(other.notifications.filter(({ method }) => method?.startsWith('ide/diff'))).toEqual([]);
    }
    expect(stage.events.filter(({ event }) => event === 'review.decided').map((each) => each)).toEqual([
      { event: 'review.decided', id: ofQwen?.id, outcome: 'rejected' },
      { event: 'review.decided', id: ofClaude?.id, outcome: 'accepted' },
      { event: 'review.decided', id: ofGemini?.id, outcome: 'accepted' },
    ]);
  });

  test('find the file unchanged: the companion never writes it', async () => {
    const folder = makeWorkspace({ 'a.txt': 'one\n' });
    const path = join(folder, 'a.txt');
    const before = statSync(path);
    const stage = await start({ folders: [folder] });
    const gemini = await stage.connect('gemini');
    await gemini.openDiff(path, 'two\n');
    await gemini.openDiff(join(folder, 'new', 'b.txt'), 'new\n');
    for (const review of stage.companion.reviews.pending) review.accept();
    await gemini.next('ide/diffAccepted');
    await gemini.next('ide/diffAccepted');
    expect(readFileSync(path, 'utf8')).toBe('one\n');
    const after = statSync(path);
    expect([after.mtimeMs, after.ino]).toEqual([before.mtimeMs, before.ino]);
    expect(existsSync(join(folder, 'new'))).toBe(false);
  });
});

describe('an open session', () => {
  test('has the time of the last message from its agent, not of a message to it', async () => {
    let now = 1_000;
    const clock = { ...systemClock, now: () => now };
    const stage = await start({ clock });
    const heardAt = async () => {
      const { agents } = await stage.companion.status();
      return agents.flatMap(({ sessions }) => sessions.map(({ lastMessageAt }) => lastMessageAt));
    };
    const gemini = await stage.connect('gemini');
    expect(await heardAt()).toEqual([1_000]);
    now = 2_000;
    stage.companion.policy.pause();
    await gemini.next('ide/contextUpdate');
    expect(await heardAt()).toEqual([1_000]);
    await gemini.request('ping');
    expect(await heardAt()).toEqual([2_000]);
    const [session] = stage.companion.agents.sessions;
    expect(stage.companion.agents.lastMessageAt(session?.id ?? '')).toBe(2_000);
    gemini.hangUp();
  });
});

describe('a session that closes', () => {
  test("withdraws only its own reviews, and keeps the user's edits to them", async () => {
    const folder = makeWorkspace({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
    const stage = await start({ folders: [folder] });
    const [claude, gemini] = await Promise.all([stage.connect('claude'), stage.connect('gemini')]);
    claude.beginOpenDiff(join(folder, 'a.txt'), 'two\n');
    const { id } = await stage.event('review.opened');
    await gemini.openDiff(join(folder, 'b.txt'), 'two\n');
    stage.companion.reviews.get(id)?.edit('mine\n');
    claude.socket.terminate();
    expect(await stage.event('review.decided')).toEqual({
      event: 'review.decided',
      id,
      outcome: 'withdrawn',
    });
    expect(stage.companion.reviews.get(id)?.content).toBe('mine\n');
    expect(stage.companion.reviews.pending.map(({ proposal }) => proposal.agent)).toEqual(['gemini']);
  });
});

describe('stopping', () => {
  test('withdraws pending reviews and rejects none', async () => {
    const folder = makeWorkspace({ 'a.txt': 'one\n' });
    const path = join(folder, 'a.txt');
    const stage = await start({ folders: [folder] });
    const [gemini, claude] = await Promise.all([stage.connect('gemini'), stage.connect('claude')]);
    await gemini.openDiff(path, 'two\n');
    const call = claude.beginOpenDiff(path, 'three\n');
    await stage.event('review.opened', ({ agent }) => agent === 'claude');
    await stage.companion.stop();
    expect(stage.events.filter(({ event }) => event === 'review.decided')).toEqual([
      { event: 'review.decided', id: '2', outcome: 'withdrawn' },
      { event: 'review.decided', id: '1', outcome: 'withdrawn' },
    ]);
    expect(stage.events.filter(({ event }) => event === 'session.closed')).toHaveLength(2);
    expect((await claude.closed).code).toBe(1001);
    if (claude.hasAnswer(call)) expect((await claude.answer(call)).result.isError).toBe(true);
    expect(gemini.received).not.toContain('ide/diffRejected');
    expect(claude.received).not.toContain('DIFF_REJECTED');
  });

  test('does not wait for open streams', async () => {
    const stage = await start();
    await Promise.all([stage.connect('gemini'), stage.connect('qwen'), stage.connect('claude')]);
    const { client } = await stage.found();
    const opened = new Promise<void>((resolve) => void client.followEvents(() => {}, { onOpen: resolve }));
    await opened;
    expect(await endsWithin(1_500, stage.companion.stop())).toBe(true);
  });
});

describe('two companions', () => {
  test('are distinguished by their folders, and ending one does not affect the other', async () => {
    const machine = makeMachine();
    const [one, other] = [await start({ machine }), await start({ machine })];
    const folders = [one, other].map(({ editor }) => editor.workspace.folders());
    expect((await findCompanions(machine)).map(({ workspaceFolders }) => workspaceFolders)).toEqual(folders);
    expect(one.companion.port).not.toBe(other.companion.port);
    const client = await other.connect('gemini');
    await one.companion.stop();
    expect((await findCompanions(machine)).map(({ workspaceFolders }) => workspaceFolders)).toEqual([
      folders[1],
    ]);
    expect((await client.openDiff(join(folders[1]?.[0] ?? '', 'a.txt'), 'a\n')).result.content).toEqual([]);
    for (const { discovery } of other.companion.agents.connections()) {
      for (const file of discovery) expect(existsSync(file)).toBe(true);
    }
  });

  test('accept only their own token', async () => {
    const machine = makeMachine();
    const [one, other] = [await start({ machine }), await start({ machine })];
    const [ofOne, ofOther] = [one, other].map(({ companion }) =>
      companion.agents.connections().find(({ id }) => id === 'gemini'),
    );
    const response = await fetch(ofOne?.url ?? '', {
      method: 'POST',
      headers: { authorization: `Bearer ${ofOther?.token}` },
    });
    expect(response.status).toBe(401);
  });
});

test('names an agent whose client has only the name of a library', async () => {
  const stage = await start();
  await stage.connect('gemini');
  await stage.connect('qwen');
  const { agents } = await stage.companion.status();
  const clients = agents.flatMap(({ sessions }) => sessions.map(({ client }) => client));
  expect(clients).toEqual([
    { name: 'Gemini CLI', version: '0.61.0' },
    { name: 'Qwen Code', version: '' },
  ]);
});
