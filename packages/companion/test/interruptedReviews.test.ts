import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { ClaudeClient } from '../../agents/test/support/claudeClient.js';
import type { CompanionClient } from '../../agents/test/support/companionClient.js';
import { type CompanionStage, makeWorkspace, type StageOptions } from './support/companionStage.js';
import { useSuccessiveCompanions } from './support/successiveCompanions.js';

const createSite = useSuccessiveCompanions();

const five = 'one\ntwo\nthree\nfour\nfive\n';

/** A workspace with one file, and its first companion. */
async function startFirst(options: StageOptions = {}) {
  const site = createSite({ 'a.txt': five }, options);
  const first = await site.begin();
  /** Ends the running companion and starts its successor. */
  const follow = async (running: CompanionStage): Promise<CompanionStage> => {
    await running.companion.stop();
    return site.begin();
  };
  return { ...site, first, follow };
}

/** Claude Code's blocked call does not survive the end of a companion: its review is interrupted. */
async function proposeAndType(
  stage: CompanionStage,
  path: string,
  typed: string,
  proposed = 'ONE\n',
): Promise<void> {
  const client = await stage.connect('claude');
  const opened = stage.event('review.opened', (event) => event.path === path);
  client.beginOpenDiff(path, proposed);
  stage.companion.reviews.get((await opened).id)?.edit(typed);
}

const typed = 'one\ntwo\nTHREE\nfour\nfive\n';

type ProposingAgent = 'claude' | 'gemini' | 'qwen';

describe('a review that the end of a companion interrupted', () => {
  test('is offered with the edits, and is removed once it is written into its file on request', async () => {
    const { first, follow, path } = await startFirst();
    await proposeAndType(first, path, typed);
    const second = await follow(first);
    expect(second.companion.interrupted.all).toMatchObject([
      { id: '1', agent: 'claude', path, proposed: 'ONE\n', content: typed, isNew: true },
    ]);
    expect(readFileSync(path, 'utf8')).toBe(five);
    expect(await second.companion.interruptedFiles.apply('1')).toMatchObject({ conflicts: 0 });
    expect(readFileSync(path, 'utf8')).toBe(typed);
    expect((await follow(second)).companion.interrupted.all).toEqual([]);
  });

  test('survives any number of restarts until the user decides', async () => {
    const { first, follow, path } = await startFirst();
    await proposeAndType(first, path, typed);
    const third = await follow(await follow(first));
    expect(third.companion.interrupted.all).toMatchObject([{ content: typed, isNew: false }]);
    const { client } = await third.found();
    await client.call('review.discard', { ids: ['1'], answer: {} });
    expect((await follow(third)).companion.interrupted.all).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe(five);
  });

  test('includes what was typed after its agent withdrew it', async () => {
    const { first, follow, path } = await startFirst();
    const { interrupted, reviews } = first.companion;
    const client = await first.connect('claude');
    for (const edited of [undefined, 'one\ntwo\nTHR']) {
      const opened = first.event('review.opened', ({ id }) => reviews.get(id)?.state === 'pending');
      client.beginOpenDiff(path, 'ONE\n');
      const review = reviews.get((await opened).id);
      if (review === undefined) throw new Error('no review');
      if (edited !== undefined) review.edit(edited);
      review.withdraw('agent');
      interrupted.keepTyped(review, 'one\ntwo\nTHRE');
      interrupted.keepTyped(review, typed);
      expect(interrupted.all).toMatchObject([{ content: typed, proposed: 'ONE\n' }]);
      if (edited === undefined) interrupted.remove(interrupted.all[0]?.id ?? '');
    }
    expect((await follow(first)).companion.interrupted.all).toMatchObject([{ content: typed }]);
  });

  test('is merged with later changes of its file', async () => {
    const { first, follow, path } = await startFirst();
    await proposeAndType(first, path, typed);
    writeFileSync(path, `${five}six\n`);
    const second = await follow(first);
    await second.companion.interruptedFiles.apply('1');
    expect(readFileSync(path, 'utf8')).toBe(`${typed}six\n`);
  });

  test.each([
    ['CRLF', 'one\r\ntwo\r\nthree\r\n', 'one\r\nTWO\r\nmine\r\n'],
    ['a byte order mark', '\uFEFFone\ntwo\nthree\n', '\uFEFFone\nTWO\nmine\n'],
    ['both', '\uFEFFone\r\ntwo\r\nthree\r\n', '\uFEFFone\r\nTWO\r\nmine\r\n'],
    ['mixed line ends', 'one\r\ntwo\nthree\r\n', 'one\r\nTWO\nmine\r\n'],
    ['CR', 'one\rtwo\rthree\r', 'one\rTWO\rmine\r'],
  ])('is written with the line ends and byte order mark of its file: %s', async (_form, file, written) => {
    const { first, follow, path } = await startFirst();
    writeFileSync(path, file);
    await proposeAndType(first, path, 'one\nTWO\nmine\n', 'one\nTWO\nthree\n');
    const second = await follow(first);
    expect(await second.companion.interruptedFiles.apply('1')).toMatchObject({ conflicts: 0 });
    expect(readFileSync(path, 'utf8')).toBe(written);
  });

  test.each([
    ['GB18030', 'gbk', '# 这是一个测试文件，用于检查编码。\r\nx = 1\r\n'],
    ['UTF-16LE', 'utf16le', '\uFEFFone\r\nx = 1\r\n'],
    ['ISO-8859-1', 'latin1', '# Grüße, über größere Straßen\nx = 1\n'],
  ])('is written in the encoding of its file: %s', async (encoding, from, text) => {
    const { first, follow, path } = await startFirst();
    const bytes = iconv.encode(text, from, { addBOM: false });
    writeFileSync(path, bytes);
    const sent = text.replaceAll('\r', '').replace('\uFEFF', '');
    await proposeAndType(first, path, sent.replace('x = 1', 'x = 3'), sent.replace('x = 1', 'x = 2'));
    const second = await follow(first);
    const { companion } = second;
    const { client } = await second.found();
    const { notes } = await client.call('review.show', { id: '1' });
    expect(notes).toMatchObject([{ text: `The file is encoded in ${encoding}, and keeps this encoding.` }]);
    await companion.interruptedFiles.apply('1');
    expect(readFileSync(path)).toEqual(iconv.encode(text.replace('x = 1', 'x = 3'), from, { addBOM: false }));
  });

  test('is not written if the encoding of its file lacks a character', async () => {
    const { first, follow, path } = await startFirst();
    const bytes = Buffer.from('# Grüße, über größere Straßen\nx = 1\n', 'latin1');
    writeFileSync(path, bytes);
    await proposeAndType(first, path, '# Grüße 🦋\n', '# Grüße\n');
    const { companion } = await follow(first);
    await expect(companion.interruptedFiles.apply('1')).rejects.toThrow('ISO-8859-1, has no “🦋”');
    expect(readFileSync(path)).toEqual(bytes);
    expect(companion.interrupted.all).toHaveLength(1);
  });

  test('keeps the line ends and byte order mark of its file also where it is merged or marks conflicts', async () => {
    const { first, follow, path } = await startFirst();
    writeFileSync(path, '\uFEFFone\r\ntwo\r\nthree\r\n');
    await proposeAndType(first, path, 'one\nTWO\nthree\n', 'one\n2\nthree\n');
    writeFileSync(path, '\uFEFFone\r\nthey\r\nthree\r\nfour\r\n');
    const { companion } = await follow(first);
    await companion.interruptedFiles.apply('1', { confirmed: ['conflict', 'deleted'] });
    expect(readFileSync(path, 'utf8')).toBe(
      '\uFEFFone\r\n<<<<<<< your text\r\nTWO\r\n=======\r\nthey\r\n>>>>>>> the file\r\nthree\r\nfour\r\n',
    );
  });

  test('is removed once its agent has written it with the line ends of the file', async () => {
    const { first, follow, path } = await startFirst();
    writeFileSync(path, 'one\ntwo\r\nthree\n');
    await proposeAndType(first, path, 'one\nTWO\nmine\n', 'one\nTWO\nthree\n');
    writeFileSync(path, 'one\r\nTWO\r\nmine\r\n');
    expect((await follow(first)).companion.interrupted.all).toEqual([]);
  });

  test('reports conflicts, and writes both versions with markers only on request', async () => {
    const { first, follow, path } = await startFirst();
    await proposeAndType(first, path, typed);
    const changed = five.replace('three', '3');
    writeFileSync(path, changed);
    const second = await follow(first);
    const { client } = await second.found();
    await expect(client.call('review.apply', { id: '1' })).rejects.toThrow(
      'on lines that this review also changes, in one place',
    );
    expect(readFileSync(path, 'utf8')).toBe(changed);
    expect(await client.call('review.apply', { id: '1', marksConflicts: true })).toEqual({
      conflicts: 1,
      restoration: 'r1',
      note: 'Written to a.txt. One conflict is marked with <<<<<<<. Resolve it in your editor.',
    });
    expect(readFileSync(path, 'utf8')).toBe(
      'one\ntwo\n<<<<<<< your text\nTHREE\n=======\n3\n>>>>>>> the file\nfour\nfive\n',
    );
    expect(second.companion.interrupted.all).toEqual([]);
  });

  test('creates a deleted file again only on request', async () => {
    const { first, follow, path } = await startFirst();
    await proposeAndType(first, path, typed);
    rmSync(path);
    const { companion } = await follow(first);
    expect(await companion.interruptedFiles.apply('1')).toMatchObject({
      kind: 'question',
      question: { message: 'Create a.txt again?', concerns: [{ kind: 'deleted' }] },
    });
    expect(existsSync(path)).toBe(false);
    await companion.interruptedFiles.apply('1', { confirmed: ['conflict', 'deleted'] });
    expect(readFileSync(path, 'utf8')).toBe(typed);
  });

  test('is not written over unsaved changes, outside the workspace, or into a file that is not text', async () => {
    const { first, follow, path } = await startFirst();
    const elsewhere = makeWorkspace({ 'b.txt': 'b\n' });
    await proposeAndType(first, path, typed);
    await proposeAndType(first, join(elsewhere, 'b.txt'), 'typed as well\n');
    const { companion, editor } = await follow(first);
    const [inside, outside] = companion.interrupted.all.map(({ id }) => id);
    await expect(companion.interruptedFiles.apply(outside ?? '')).rejects.toThrow('outside the workspace');
    await editor.documents.open(path);
    editor.user.type(path, 'unsaved');
    await expect(companion.interruptedFiles.apply(inside ?? '')).rejects.toThrow('unsaved changes');
    expect(companion.interrupted.all).toHaveLength(2);
  });

  test('reports that its file no longer holds text', async () => {
    const { first, follow, path } = await startFirst();
    await proposeAndType(first, path, typed);
    writeFileSync(path, Buffer.from([0xff, 0xfe, 0]));
    const { companion } = await follow(first);
    await expect(companion.interruptedFiles.apply('1')).rejects.toThrow('is not a text file');
  });

  test('continues with an agent that repeats the proposal, with its number, and not with one that makes another', async () => {
    const { first, follow, path } = await startFirst();
    await proposeAndType(first, path, typed);
    const second = await follow(first);
    const client = await second.connect('claude');
    client.beginOpenDiff(path, 'another\n');
    await second.event('review.opened', ({ id }) => id === '2');
    expect(second.companion.reviews.get('2')?.content).toBe('another\n');
    expect(second.companion.interrupted.all).toHaveLength(1);
    client.beginOpenDiff(path, 'ONE\n', 'another tab');
    await second.event('review.opened', ({ id }) => id === '1');
    expect(second.companion.reviews.get('1')?.content).toBe(typed);
    expect(second.companion.interrupted.all).toEqual([]);
    // The agent disconnects once more.
    const decided = second.event('review.decided', ({ id }) => id === '1');
    await client.close();
    await decided;
    expect(second.companion.interrupted.all).toMatchObject([{ content: typed }]);
  });

  test('is removed when its file already contains the text', async () => {
    const { first, follow, path } = await startFirst();
    await proposeAndType(first, path, typed);
    writeFileSync(path, typed);
    expect((await follow(first)).companion.interrupted.all).toEqual([]);
  });

  test('is offered after a crash if unedited, and left to its agent after a normal end', async () => {
    const { first, begin, follow, path } = await startFirst();
    await proposeAndType(first, path, 'ONE\n');
    const crashed = first.companion.save();
    const second = await follow(first);
    expect(second.companion.interrupted.all).toEqual([]);
    await second.companion.stop();
    const third = await begin({ before: crashed });
    expect(third.companion.interrupted.all).toMatchObject([{ path, content: 'ONE\n' }]);
  });

  test('is listed and shown by the control interface, and cannot be decided like a pending one', async () => {
    const { first, follow, path } = await startFirst();
    await proposeAndType(first, path, typed, five.replace('two', 'TWO'));
    const { client } = await (await follow(first)).found();
    expect(await client.call('review.list', {})).toMatchObject([
      { id: '1', state: 'interrupted', isEdited: true },
    ]);
    expect(await client.call('status', {})).toMatchObject({ reviews: [], interrupted: [{ id: '1' }] });
    expect(await client.call('review.show', { id: '1' })).toMatchObject({
      state: 'interrupted',
      content: typed,
      original: five,
      end: { text: expect.stringContaining('your answer was never sent') },
    });
    for (const method of ['review.accept', 'review.reject'] as const) {
      await expect(client.call(method, { id: '1' })).rejects.toThrow('review discard 1');
    }
    await expect(client.call('review.discard', { ids: ['2'] })).rejects.toThrow('Interrupted: 1.');
  });
});

test('an accepted deletion that its agent did not carry out can be applied and undone', async () => {
  const { first, path } = await startFirst();
  const { companion } = first;
  const proposal = { path, content: '', agent: 'codex', session: 's', isDeletion: true };
  const review = await companion.reviews.propose(proposal);
  expect(companion.present.summary(review).notes).toMatchObject([{ kind: 'removed', isWarning: true }]);
  review.accept();
  await companion.ended.endSession('s');
  expect(companion.interrupted.all).toMatchObject([{ path, isDeletion: true, isAccepted: true }]);
  expect(await companion.interruptedFiles.apply('1')).toMatchObject({ isRemoved: true, restoration: 'r1' });
  expect(existsSync(path)).toBe(false);
  expect(companion.interrupted.all).toEqual([]);
  await companion.changes.restore({ ids: ['r1'] });
  expect(readFileSync(path, 'utf8')).toBe(five);
});

describe('a text that was accepted', () => {
  test('is kept if the session ends before the agent receives the answer and the text is not in the file', async () => {
    const { first, path } = await startFirst();
    const client = await first.connect('gemini');
    await client.openDiff(path, 'ONE\n');
    client.hangUp();
    first.companion.reviews.pending[0]?.accept(typed);
    const kept = new Promise<void>((resolve) => first.companion.interrupted.onDidChange(resolve));
    await client.end();
    await kept;
    expect(first.companion.interrupted.all).toMatchObject([{ path, content: typed }]);
  });

  test('is not kept if the agent has written it', async () => {
    const { first, begin, path } = await startFirst();
    const client = await first.connect('gemini');
    await client.openDiff(path, 'ONE\n');
    first.companion.reviews.pending[0]?.accept(typed);
    const crashed = first.companion.save();
    expect(crashed.interrupted).toHaveLength(1);
    // The agent also formatted the file.
    writeFileSync(path, typed.toLowerCase().replace('one', 'eins'));
    await client.end();
    await first.companion.stop();
    expect((await begin({ before: crashed })).companion.interrupted.all).toEqual([]);
  });
});

describe('a decision that a crash kept from its agent', () => {
  /** Decides, and crashes before the answer is sent. */
  async function decideAndCrash(agent: ProposingAgent, decision: 'accept' | 'reject', text = typed) {
    const { first, begin, path } = await startFirst();
    const client = agent === 'claude' ? await first.connect(agent) : await first.connect(agent);
    const opened = first.event('review.opened');
    if (client instanceof ClaudeClient) client.beginOpenDiff(path, 'ONE\n');
    else await client.openDiff(path, 'ONE\n');
    const review = first.companion.reviews.get((await opened).id);
    if (decision === 'accept') review?.accept(text);
    else review?.reject();
    const crashed = first.companion.save();
    await first.companion.stop();
    /** Reconnects the agents: over HTTP in their session. */
    const next = (): Promise<CompanionStage> => begin({ before: crashed });
    return { next, begin, client, path };
  }

  const decisionsSentTo = (client: CompanionClient | ClaudeClient): (string | undefined)[] =>
    client instanceof ClaudeClient
      ? []
      : client.notifications
          .filter(({ method }) => method?.startsWith('ide/diff'))
          .map(({ method }) => method);

  test.each([
    ['gemini', 'accept', 'ide/diffAccepted'],
    ['qwen', 'accept', 'ide/diffAccepted'],
    ['gemini', 'reject', 'ide/diffRejected'],
    ['qwen', 'reject', 'ide/diffRejected'],
  ] as const)('is sent to %s once, in its session: %s', async (agent, decision, method) => {
    const { next, begin, client } = await decideAndCrash(agent, decision);
    if (client instanceof ClaudeClient) return expect.unreachable();
    const second = await next();
    expect(second.companion.reviews.pending).toEqual([]);
    await client.openStream();
    await client.until(() => decisionsSentTo(client).length > 0);
    expect(decisionsSentTo(client)).toEqual([method]);
    const [review] = second.companion.reviews.ended;
    await expect.poll(() => review?.isAnswered).toBe(true);

    const crashed = second.companion.save();
    await second.companion.stop();
    const third = await begin({ before: crashed });
    await client.openStream();
    await client.request('tools/list');
    expect(decisionsSentTo(client)).toEqual([method]);
    expect(third.companion.reviews.pending).toEqual([]);
    // A decision that the agent received and did not write is offered to the user.
    expect(third.companion.interrupted.all).toHaveLength(decision === 'accept' ? 1 : 0);
  });

  test.each([
    ['accept', ['FILE_SAVED', typed]],
    ['accept', ['FILE_SAVED', five]], // It looks as if it was written.
    ['reject', ['DIFF_REJECTED']],
  ] as const)('is the answer when Claude Code repeats the proposal: %s', async (decision, answer) => {
    const { next, path } = await decideAndCrash('claude', decision, answer[1]);
    const second = await next();
    const client = await second.connect('claude');
    const result = await client.answer(client.beginOpenDiff(path, 'ONE\n'));
    expect(result.result.content.map(({ text }: { text: string }) => text)).toEqual(answer);
    expect(second.companion.interrupted.all).toEqual([]);
    expect(second.companion.reviews.ended.map(({ id }) => id)).toEqual(['1']);
    // It was answered, so the user decides the next one.
    const opened = second.event('review.opened', ({ id }) => id === '2');
    client.beginOpenDiff(path, 'ONE\n');
    expect(second.companion.reviews.get((await opened).id)?.state).toBe('pending');
  });

  test('needs a new decision if the file has changed since', async () => {
    const { next, path } = await decideAndCrash('claude', 'reject');
    writeFileSync(path, 'changed\n');
    const second = await next();
    const client = await second.connect('claude');
    client.beginOpenDiff(path, 'ONE\n');
    const { id } = await second.event('review.opened');
    expect(second.companion.reviews.get(id)?.state).toBe('pending');
  });

  test.each([
    ['gemini', 'decided it in its terminal'],
    ['qwen', 'decided it in its terminal'],
    ['gemini', 'proposed something else'],
    ['qwen', 'proposed something else'],
  ] as const)('is not sent to %s if the agent %s meanwhile', async (agent, what) => {
    const { first, begin, path } = await startFirst();
    const client = await first.connect(agent);
    await client.openDiff(path, 'ONE\n');
    // No client receives the decision.
    client.hangUp();
    const [review] = first.companion.reviews.pending;
    review?.accept(typed);
    if (what === 'decided it in its terminal') await client.closeDiff(path);
    await client.openDiff(path, 'TWO\n');
    const crashed = first.companion.save();
    await first.companion.stop();
    const second = await begin({ before: crashed });
    await client.openStream();
    await client.request('tools/list');
    expect(decisionsSentTo(client)).toEqual([]);
    await second.event('review.opened');
    expect(second.companion.reviews.pending.map(({ content }) => content)).toEqual(['TWO\n']);
  });

  test('is offered to the user if the agent does not return', async () => {
    const { next, client } = await decideAndCrash('gemini', 'accept');
    if (client instanceof ClaudeClient) return expect.unreachable();
    const second = await next();
    expect(second.companion.interrupted.all).toEqual([]);
    await client.end();
    await expect.poll(() => second.companion.interrupted.all).toMatchObject([{ content: typed }]);
  });
});

test('another companion of the same folders does not take over the journal of a live one', async () => {
  const { first, begin, path, journal } = await startFirst();
  await proposeAndType(first, path, typed);
  const second = await begin();
  expect(second.companion.port).not.toBe(first.companion.port);
  expect(second.companion.interrupted.all).toEqual([]);
  expect(readdirSync(journal)).toHaveLength(2);
});
