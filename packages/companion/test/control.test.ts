import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { texts } from '../../agents/test/support/rpc.js';
import { agentIds, nameOfAgent } from '../src/agents/agents.js';
import type { FoundCompanion } from '../src/control/index.js';
import { CompanionStage, makeWorkspace } from './support/companionStage.js';
import { leftIn, openJournal } from './support/crashedJournal.js';
import { holdDisk } from './support/heldDisk.js';
import { noteTexts } from './support/noteTexts.js';

let folder: string;
let journal: string;
let stage: CompanionStage;
let client: FoundCompanion['client'];

beforeEach(async () => {
  folder = makeWorkspace({ 'a.txt': 'one\ntwo\nthree\nfour\nfive\n', '.env': 'KEY=1\n' });
  journal = mkdtempSync(join(tmpdir(), 'journal-'));
  stage = await CompanionStage.create({ folders: [folder], journal: openJournal(journal) });
  client = (await stage.found()).client;
});
afterEach(async () => {
  await stage.companion.stop();
  for (const each of [folder, journal]) rmSync(each, { recursive: true, force: true });
});

/** A review of `a.txt`, proposed by Gemini CLI. */
async function propose(content = 'ONE\ntwo\nthree\nfour\nFIVE\n') {
  const agent = await stage.connect('gemini');
  await agent.openDiff(join(folder, 'a.txt'), content);
  return agent;
}

describe('a review that is decided through the control interface', () => {
  test('is listed in one line without its text, and shown with its whole text', async () => {
    await propose();
    const listed = await client.call('review.list', {});
    expect(listed).toMatchObject([
      { id: '1', agent: 'gemini', state: 'pending', hunks: 2, added: 2, removed: 2 },
    ]);
    expect(JSON.stringify(listed)).not.toContain('FIVE');
    const shown = await client.call('review.show', { id: '1' });
    expect(shown.original).toBe('one\ntwo\nthree\nfour\nfive\n');
    expect(shown.content).toBe('ONE\ntwo\nthree\nfour\nFIVE\n');
    expect(shown.hunkList.map(({ isKept }) => isKept)).toEqual([true, true]);
  });

  test("has the name of the agent's tab, shortened if it is too long [CLA-100]", async () => {
    const claude = await stage.connect('claude');
    const name = '✻ [Claude Code] a.txt (a1b2c3) ⧉';
    claude.beginOpenDiff(join(folder, 'a.txt'), 'x\n', name);
    await stage.event('review.opened');
    expect(await client.call('review.list', {})).toMatchObject([{ id: '1', title: name }]);
    expect(await client.call('review.show', { id: '1' })).toMatchObject({ title: name });
    const endless = `b\u001b[2J${'\u{1f600}'.repeat(1_000_000)}`;
    claude.beginOpenDiff(join(folder, 'b.txt'), 'x\n', endless);
    await stage.event('review.opened', ({ id }) => id === '2');
    const [, listed] = await client.call('review.list', {});
    const { title = '' } = listed ?? {};
    expect(endless.startsWith(title)).toBe(true);
    expect(title.length).toBeGreaterThan(100);
    expect(Buffer.byteLength(title)).toBeLessThanOrEqual(512);
    // The full name closes it, also after it has ended.
    for (const answer of ['OK', 'OK'])
      expect(texts(await claude.call('close_tab', { tab_name: endless }))).toEqual([answer]);
    expect(await client.call('review.list', {})).toMatchObject([{ id: '1' }]);
  });

  test('is accepted unchanged', async () => {
    const agent = await propose();
    await client.call('review.hunk', { id: '1', hunk: 1, isKept: false });
    expect(await client.call('review.accept', { id: '1' })).toMatchObject({
      state: 'accepted',
      isEdited: true,
    });
    expect((await agent.next('ide/diffAccepted')).params.content).toBe('ONE\ntwo\nthree\nfour\nfive\n');
  });

  test('is accepted with other content, and with the content of an earlier edit', async () => {
    const agent = await propose();
    await client.call('review.edit', { id: '1', content: 'edited\n' });
    await client.call('review.accept', { id: '1', content: 'other\n' });
    expect((await agent.next('ide/diffAccepted')).params.content).toBe('other\n');
    await agent.openDiff(join(folder, 'a.txt'), 'again\n');
    await client.call('review.edit', { id: '2', content: 'edited\n' });
    await client.call('review.accept', { id: '2' });
    expect((await agent.next('ide/diffAccepted')).params.content).toBe('edited\n');
  });

  test('is not accepted if its file changed on lines that it also changes or was deleted, unless it overwrites', async () => {
    const agent = await propose();
    const path = join(folder, 'a.txt');
    const changes = [
      [
        '1\ntwo\nthree\nfour\nfive\n',
        'Overwrite the changes to a.txt on disk?',
        'This file changed on disk, on lines that this proposal also changes. If you accept, those changes on disk are lost.',
      ],
      [
        Buffer.from([0xff, 0xfe]),
        'Overwrite the changes to a.txt on disk?',
        'This file changed on disk, on lines that this proposal also changes. If you accept, those changes on disk are lost.',
      ],
      [undefined, 'Create a.txt again?', 'This file was deleted. If you accept, it is created again.'],
    ] as const;
    for (const [held, words, note] of changes) {
      if (held === undefined) rmSync(path);
      else writeFileSync(path, held);
      for (const content of [undefined, 'ONE\n']) {
        const refusal = client.call('review.accept', { id: '1', ...(content && { content }) });
        await expect(refusal).rejects.toMatchObject({
          code: 'conflict',
          question: { message: words },
        });
      }
      const shown = await client.call('review.show', { id: '1' });
      expect(shown.state).toBe('pending');
      expect(noteTexts(shown)).toContain(note);
    }
    await client.call('review.accept', { id: '1', overwrites: true });
    expect((await agent.next('ide/diffAccepted')).params.content).toBe('ONE\ntwo\nthree\nfour\nFIVE\n');
  });

  test('merges a clean change of its file at once, and is accepted only after the user could see that', async () => {
    const agent = await propose();
    writeFileSync(join(folder, 'a.txt'), 'one\ntwo\n3\nfour\nfive\n');
    await expect(client.call('review.accept', { id: '1', content: 'mine\n' })).rejects.toThrow('Overwrite');
    await expect(client.call('review.accept', { id: '1' })).rejects.toThrow(
      'are now merged into the proposal',
    );
    const shown = await client.call('review.show', { id: '1' });
    expect([shown.original, shown.content]).toEqual([
      'one\ntwo\n3\nfour\nfive\n',
      'ONE\ntwo\n3\nfour\nFIVE\n',
    ]);
    expect(noteTexts(shown)).toEqual(['The file changed on disk. Its changes are merged into this text.']);
    await client.call('review.accept', { id: '1' });
    expect((await agent.next('ide/diffAccepted')).params.content).toBe(shown.content);
  });

  test.each([
    ['the new content of the file', 'ONE\ntwo\n3\nfour\nFIVE\n', 'one\ntwo\n3\nfour\nfive\n'],
    ['other line ends of the same lines', undefined, 'one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n'],
    ['the accepted text', undefined, 'ONE\ntwo\nthree\nfour\nFIVE\n'],
  ])('is accepted if its text already has %s', async (_what, content, held) => {
    const agent = await propose();
    writeFileSync(join(folder, 'a.txt'), held);
    if (content !== undefined) await client.call('review.edit', { id: '1', content });
    expect(noteTexts(await client.call('review.show', { id: '1' }))).toEqual([]);
    await client.call('review.accept', { id: '1' });
    const wanted = content ?? 'ONE\ntwo\nthree\nfour\nFIVE\n';
    expect((await agent.next('ide/diffAccepted')).params.content).toBe(wanted);
  });

  test('merges later changes of its file, and is then a review of the current file', async () => {
    const agent = await propose();
    const path = join(folder, 'a.txt');
    writeFileSync(path, 'one\ntwo\n3\nfour\nfive\n');
    const updated = await client.call('review.merge', { id: '1' });
    expect(updated).toMatchObject({ id: '1', state: 'pending', conflicts: 0 });
    expect(await client.call('review.show', { id: '1' })).toMatchObject({ added: 2, removed: 2 });
    const { original, content, hunkList } = await client.call('review.show', { id: '1' });
    expect(original).toBe('one\ntwo\n3\nfour\nfive\n');
    expect(content).toBe('ONE\ntwo\n3\nfour\nFIVE\n');
    expect(hunkList.map((hunk) => hunk.original.start)).toEqual([0, 4]);
    await client.call('review.accept', { id: '1' });
    expect((await agent.next('ide/diffAccepted')).params.content).toBe('ONE\ntwo\n3\nfour\nFIVE\n');
  });

  test('stays unchanged if both changed the same lines, unless conflict markers are requested', async () => {
    await propose();
    const path = join(folder, 'a.txt');
    const refusals = [
      [
        '1\ntwo\nthree\nfour\nfive\n',
        /same lines, in one place\. The review is unchanged\. .*update 1 --conflicts$/,
      ],
      [Buffer.from([0xff, 0xfe]), /is binary\. The review is unchanged\.$/],
    ] as const;
    for (const [held, words] of refusals.toReversed()) {
      writeFileSync(path, held);
      await expect(client.call('review.merge', { id: '1' })).rejects.toThrow(words);
      const { content } = await client.call('review.show', { id: '1' });
      expect(content).toBe('ONE\ntwo\nthree\nfour\nFIVE\n');
    }
    expect(await client.call('review.merge', { id: '1', marksConflicts: true })).toMatchObject({
      conflicts: 1,
    });
    const { content } = await client.call('review.show', { id: '1' });
    expect(content).toBe('<<<<<<< the proposal\nONE\n=======\n1\n>>>>>>> the file\ntwo\nthree\nfour\nFIVE\n');
    writeFileSync(path, '1\ntwo\nthree\nfour\nfive\n');
    await expect(client.call('review.accept', { id: '1' })).rejects.toThrow(
      'Accept a.txt with conflict markers?',
    );
    await client.call('review.edit', { id: '1', content: 'ONE\ntwo\nthree\nfour\nFIVE\n' });
    expect(await client.call('review.accept', { id: '1' })).toMatchObject({ state: 'accepted' });
  });

  test('is rejected', async () => {
    const agent = await propose();
    expect(await client.call('review.reject', { id: '1' })).toMatchObject({ state: 'rejected' });
    expect((await agent.next('ide/diffRejected')).params.filePath).toBe(join(folder, 'a.txt'));
  });

  test('is decided once: of two concurrent accepts, one is refused', async () => {
    await propose();
    const answers = await Promise.allSettled([
      client.call('review.accept', { id: '1' }),
      client.call('review.accept', { id: '1', content: 'other\n' }),
      client.call('review.reject', { id: '1' }),
    ]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason.code).toBe('already-decided');
    }
  });

  test('ends once when the agent closes it at the same moment', async () => {
    const claude = await stage.connect('claude');
    const path = join(folder, 'a.txt');
    for (let round = 0; round < 20; round++) {
      const call = claude.beginOpenDiff(path, `proposal ${round}\n`, `tab ${round}`);
      const { id } = await stage.event('review.opened', (event) => event.id === String(round + 1));
      const [accepted] = await Promise.allSettled([
        client.call('review.accept', { id }),
        claude.call('close_tab', { tab_name: `tab ${round}` }),
      ]);
      const answer = await claude.answer(call);
      // Whichever was first, the user's answer and the agent's are the same.
      if (accepted.status === 'fulfilled')
        expect(texts(answer)).toEqual(['FILE_SAVED', `proposal ${round}\n`]);
      else expect(answer.result.isError).toBe(true);
      const decided = stage.events.filter((event) => event.event === 'review.decided' && event.id === id);
      expect(decided).toHaveLength(1);
    }
  });

  test('is refused after its end with the outcome, and its text can still be read', async () => {
    await propose();
    await client.call('review.edit', { id: '1', content: 'mine\n' });
    await client.call('review.reject', { id: '1' });
    await expect(client.call('review.accept', { id: '1' })).rejects.toMatchObject({
      code: 'already-decided',
      message: 'Review 1 is already rejected.',
    });
    await expect(client.call('review.edit', { id: '1', content: 'x' })).rejects.toMatchObject({
      code: 'already-decided',
    });
    await expect(client.call('review.hunk', { id: '1', hunk: 0, isKept: false })).rejects.toMatchObject({
      code: 'already-decided',
    });
    expect(await client.call('review.show', { id: '1' })).toMatchObject({ content: 'mine\n' });
    expect(await client.call('review.list', {})).toEqual([]);
    expect(await client.call('review.list', { all: true })).toMatchObject([{ id: '1', state: 'rejected' }]);
  });

  test('is not found if it does not exist, and the error names the pending ones', async () => {
    await propose();
    await expect(client.call('review.show', { id: '7' })).rejects.toMatchObject({
      code: 'not-found',
      message: 'There is no review 7. Pending: 1.',
    });
  });

  test('rejects an empty text if the agent would write its own proposal instead, and an unknown hunk', async () => {
    await propose();
    await expect(client.call('review.accept', { id: '1', content: '' })).rejects.toMatchObject({
      code: 'refused',
    });
    await expect(client.call('review.hunk', { id: '1', hunk: 2, isKept: true })).rejects.toMatchObject({
      code: 'bad-params',
      message: 'Review 1 has no hunk 3. Valid numbers are 1 to 2.',
    });
    expect(await client.call('review.list', {})).toMatchObject([{ state: 'pending' }]);
  });

  test('describes in words the differences that no line shows', async () => {
    const gemini = await propose('\uFEFFone\r\ntwo\r\nthree\r\nfour\r\nfive');
    await gemini.openDiff('/elsewhere/new.txt', 'x\n');
    await gemini.openDiff(join(folder, 'empty.txt'), '');
    const notes = async (id: string) => noteTexts(await client.call('review.show', { id }));
    expect(await notes('1')).toEqual([
      'The byte order mark is added.',
      'Line endings change from LF to CRLF.',
      'The newline at the end of the file is removed.',
    ]);
    expect(await notes('2')).toEqual([
      'This file is outside the workspace folders: /elsewhere/new.txt.',
      'This is a new file.',
    ]);
    expect(await notes('3')).toEqual([
      expect.stringContaining('cannot receive an empty text'),
      'The new file is empty.',
      'This is a new file.',
    ]);
  });
});

describe('the active file', () => {
  test('is opened at the given position, and the answer states what is shared of it', async () => {
    const path = join(folder, 'a.txt');
    const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
    const agent = await stage.connect('gemini');
    expect(await client.call('focus', { path, range })).toEqual({
      isPaused: false,
      activeFile: { path, label: basename(path), selectedCharacters: 3 },
    });
    await agent.until(() => agent.received.includes('"selectedText":"two"'));
  });

  test('is hidden from all agents if the deny list names it, and the answer states why', async () => {
    const path = join(folder, '.env');
    const agent = await stage.connect('gemini');
    const answer = await client.call('focus', { path });
    expect(answer).toMatchObject({
      heldBack: { path, agents: agentIds.map(nameOfAgent), isFromAll: true },
    });
    expect(JSON.stringify(answer)).toContain('.env*');
    expect(answer).not.toHaveProperty('activeFile');
    await client.call('focus', { path: join(folder, 'a.txt') });
    await agent.until(() => agent.received.includes('a.txt'));
    expect(agent.received).not.toContain('.env');
  });

  test("is hidden from one agent by that agent's ignore file", async () => {
    const other = makeWorkspace({ 'a.txt': 'x\n', '.geminiignore': 'a.txt\n' });
    stage.editor.user.setFolders([folder, other]);
    expect(await client.call('focus', { path: join(other, 'a.txt') })).toMatchObject({
      activeFile: { path: join(other, 'a.txt') },
      heldBack: { agents: ['Gemini CLI'], isFromAll: false },
    });
  });

  test('may be opened at a line that only the unsaved text has', async () => {
    const path = join(folder, 'a.txt');
    const range = { start: { line: 900, character: 0 }, end: { line: 900, character: 0 } };
    await expect(client.call('focus', { path, range })).rejects.toMatchObject({ code: 'bad-params' });
    await client.call('focus', { path });
    stage.editor.user.type(path, 'typed\n'.repeat(1000));
    expect(await client.call('focus', { path, range })).toMatchObject({ activeFile: { path } });
  });

  test('is refused if it is missing or a folder', async () => {
    await expect(client.call('focus', { path: join(folder, 'none') })).rejects.toMatchObject({
      code: 'refused',
    });
    await expect(client.call('focus', { path: folder })).rejects.toMatchObject({ code: 'refused' });
    await expect(client.call('mention', { path: folder })).rejects.toMatchObject({ code: 'refused' });
  });

  test('is withdrawn from agents while sharing is paused', async () => {
    const agent = await stage.connect('qwen');
    await client.call('focus', { path: join(folder, 'a.txt') });
    await agent.until(() => agent.received.includes('a.txt'));
    agent.notifications.length = 0;
    expect(await client.call('share.pause', {})).toEqual({ isPaused: true });
    expect((await agent.next('ide/contextUpdate')).params.workspaceState.openFiles).toEqual([]);
    expect(await client.call('share.resume', {})).toMatchObject({ isPaused: false, activeFile: {} });
    expect((await agent.next('ide/contextUpdate')).params.workspaceState.openFiles).toHaveLength(1);
    expect(stage.events.filter(({ event }) => event.startsWith('sharing'))).toEqual([
      { event: 'sharing.paused' },
      { event: 'sharing.resumed' },
    ]);
  });

  test('is mentioned to Claude Code with the given lines', async () => {
    const claude = await stage.connect('claude');
    const mention = { path: join(folder, 'a.txt'), lines: { first: 1, last: 2 } };
    // The CLI loses messages that arrive right after it connects, so the mention is sent a moment later.
    await expect.poll(() => client.call('mention', mention), { timeout: 5_000 }).toEqual({ count: 1 });
    expect((await claude.next('at_mentioned')).params).toEqual({
      filePath: mention.path,
      lineStart: 1,
      lineEnd: 2,
    });
  });

  test('is mentioned to no session if none is connected, and is refused if it is hidden from agents', async () => {
    expect(await client.call('mention', { path: join(folder, 'a.txt') })).toEqual({ count: 0 });
    await expect(client.call('mention', { path: join(folder, '.env') })).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/^Tandem does not share .*: it matches the deny list/),
    });
  });
});

describe('stopping through the control interface', () => {
  test('calls the host after the answer', async () => {
    let ask = (): void => {};
    const asked = new Promise<void>((resolve) => {
      ask = resolve;
    });
    const other = await CompanionStage.create({ onStopRequested: () => ask() });
    expect(await (await other.found()).client.call('stop', {})).toBeNull();
    await asked;
    await other.companion.stop();
  });

  test('is refused if the host does not support it', async () => {
    await expect(client.call('stop', {})).rejects.toMatchObject({
      code: 'refused',
      message: 'This companion runs in Fake Editor. To stop it, close Fake Editor.',
    });
  });
});

describe('the journal', () => {
  test.each(['review.accept', 'review.reject'] as const)(
    'stores the decision before %s answers',
    async (method) => {
      await propose();
      await stage.companion.reviews.persisted();
      const order: string[] = [];
      const disk = holdDisk();
      try {
        const deciding = client.call(method, { id: '1' }).then(() => void order.push('confirmed'));
        await disk.reached;
        // All earlier answers have arrived.
        await client.call('share.resume', {});
        order.push('kept');
        disk.release();
        await deciding;
      } finally {
        disk.release();
      }
      expect(order).toEqual(['kept', 'confirmed']);
      expect((await leftIn(journal)).reviews).toEqual([]);
    },
  );

  test('drops a text that its agent withdrew and the user discards', async () => {
    const agent = await propose();
    await client.call('review.edit', { id: '1', content: 'typed\n' });
    await agent.closeDiff(join(folder, 'a.txt'));
    await stage.companion.journal.write();
    expect((await leftIn(journal)).interrupted).toMatchObject([{ content: 'typed\n' }]);
    await client.call('review.discard', { ids: ['1'], answer: {} });
    expect((await leftIn(journal)).interrupted).toEqual([]);
    await expect(client.call('review.discard', { ids: ['1'] })).rejects.toThrow(
      'There is no interrupted review 1.',
    );
  });

  test('keeps sharing paused for the next companion until the user resumes it', async () => {
    await client.call('share.pause', {});
    await stage.companion.journal.write();
    expect(await leftIn(journal)).toMatchObject({ isPaused: true });
    await stage.companion.stop();
    stage = await CompanionStage.create({ folders: [folder], journal: openJournal(journal) });
    expect(stage.companion.policy.isPaused).toBe(true);
    stage.companion.policy.resume();
    await stage.companion.journal.write();
    expect(await leftIn(journal)).not.toHaveProperty('isPaused');
  });

  test('marks a review as not kept in the list and in its details if there is no journal or it cannot be written', async () => {
    await propose();
    const listed = async () => JSON.stringify(await client.call('review.list', {}));
    const shown = async () => client.call('review.show', { id: '1' });
    expect(await listed()).not.toContain('notKept');
    expect(noteTexts(await shown())).toEqual([]);
    renameSync(journal, `${journal}-away`);
    writeFileSync(journal, 'a file in its place');
    await client.call('review.edit', { id: '1', content: 'typed\n' });
    expect(await stage.companion.journal.write()).toBe(false);
    expect(await listed()).toContain('"notKept":');
    expect(noteTexts(await shown())).toEqual([
      expect.stringMatching(/^Not saved: a crash would lose your edits \(.+\)\.$/),
    ]);
    rmSync(journal);
    renameSync(`${journal}-away`, journal);
    expect(await stage.companion.journal.write()).toBe(true);
    expect(await listed()).not.toContain('notKept');
  });
});
