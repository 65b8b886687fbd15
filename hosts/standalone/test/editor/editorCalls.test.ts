import { rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import type { SavedDocument } from '@tandem/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shownReview } from '../../../remote/src/protocol.js';
import { EditorFixture } from '../support/editorFixture.js';

const original = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
const proposed = 'ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n';

let fixture: EditorFixture;
beforeEach(async () => {
  fixture = await EditorFixture.start();
});
afterEach(() => fixture.dispose());

/** Resolves when the editor has a review with this text. */
async function hasText(id: string, text: string): Promise<void> {
  await fixture.peer.until(() => fixture.peer.views.get(id)?.review.content === text);
}

describe('a review in a remote editor', () => {
  it('is shown with all that a view needs [EDT-1]', async () => {
    const { id } = await fixture.propose('a.txt', original, proposed);
    const { review } = fixture.peer.view(id);
    expect(review).toMatchObject({
      id,
      agent: 'claude',
      agentName: 'Claude Code',
      path: fixture.path('a.txt'),
      label: 'a.txt',
      version: 1,
      original: { kind: 'text', text: original },
      content: proposed,
      file: 'unchanged',
      isNewFile: false,
      concerns: [],
      comments: [],
      actions: [{ id: 'accept' }, { id: 'reject' }],
    });
    expect(review.hunks).toEqual([
      { original: { start: 0, count: 1 }, proposed: { start: 0, count: 1 }, isKept: true },
      { original: { start: 6, count: 1 }, proposed: { start: 6, count: 1 }, isKept: true },
    ]);
  });

  it('drops and keeps changes [EDT-2]', async () => {
    const review = await fixture.propose('a.txt', original, proposed);
    await fixture.call('review/hunk', { id: review.id, hunk: 1, isKept: false });
    await hasText(review.id, 'ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n');
    expect(fixture.peer.view(review.id).review.hunks.map(({ isKept }) => isKept)).toEqual([true, false]);
    await fixture.call('review/hunk', { id: review.id, hunk: 1, isKept: true });
    await hasText(review.id, proposed);
    const missing = { id: review.id, hunk: 9, isKept: false };
    await expect(fixture.call('review/hunk', missing)).rejects.toMatchObject({ code: 'bad-params' });
  });

  it('accepts the text of the user, and sends no change back for it [EDT-3]', async () => {
    const review = await fixture.propose('a.txt', 'a\r\nb\r\n', 'A\r\nb\r\n');
    await fixture.peer.type(review.id, 'A\nmine');
    await fixture.call('review/accept', { id: review.id, version: 1 });
    expect(review.outcome).toEqual({ kind: 'accepted', content: 'A\r\nmine\r\n', isEdited: true });
    await fixture.peer.until(() => fixture.peer.views.size === 0);
    expect(fixture.peer.received.map(({ method }) => method)).not.toContain('review/changed');
    await expect(fixture.call('review/accept', { id: review.id })).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it('merges edits of both sides at the same time, and loses nothing that was typed [EDT-4]', async () => {
    const review = await fixture.propose('a.txt', original, proposed);
    // The terminal drops a change while the user types.
    review.dropHunk(0);
    await fixture.call('review/edit', { id: review.id, version: 1, content: `${proposed}mine\n` });
    await hasText(review.id, 'one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\nmine\n');
    // An edit that crossed that message is based on what the editor sent before.
    await fixture.call('review/edit', { id: review.id, version: 1, content: `${proposed}mine too\n` });
    await hasText(review.id, 'one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\nmine too\n');
    expect(fixture.peer.view(review.id).review.version).toBeGreaterThan(1);
  });

  it('can be looked at when it is interrupted, then applied or discarded [EDT-25]', async () => {
    const review = await fixture.propose('a.txt', '\ufeffa\r\nb\r\n', '\ufeffA\r\nb\r\n');
    const comment = { id: review.id, text: 'Why?', lines: { first: 0, last: 0 } };
    await fixture.call('review/comment', comment);
    await fixture.peer.type(review.id, 'A\nmine\n');
    review.withdraw('agent');
    const [{ id } = { id: '' }] = fixture.companion.interrupted.all;
    const read = async () =>
      shownReview.parse(((await fixture.call('review/read', { id })) as { review: unknown }).review);
    expect(await read()).toMatchObject({
      id,
      agentName: 'Claude Code',
      path: fixture.path('a.txt'),
      original: { kind: 'text', text: 'a\nb\n' },
      content: 'A\nmine\n',
      file: 'unchanged',
      comments: [{ text: 'Why?' }],
      warnings: [expect.stringContaining('Apply or discard it')],
    });
    fixture.write('a.txt', 'other\r\n');
    expect(await read()).toMatchObject({
      file: 'conflict',
      warnings: [expect.any(String), 'The file has changed on lines that this review also changes.'],
    });
    await expect(fixture.call('review/apply', { id })).rejects.toMatchObject({
      code: 'conflict',
    });
    const discard = { id, action: 'discard' };
    await expect(fixture.call('review/run', discard)).rejects.toMatchObject({ code: 'question' });
    await fixture.call('review/run', { ...discard, answer: {} });
    await expect(fixture.call('review/read', { id })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('lets the text of the user win on the same lines [EDT-4]', async () => {
    const review = await fixture.propose('a.txt', original, proposed);
    review.edit(proposed.replace('ONE', 'terminal'));
    await fixture.call('review/edit', {
      id: review.id,
      version: 1,
      content: proposed.replace('ONE', 'editor'),
    });
    await hasText(review.id, proposed.replace('ONE', 'editor'));
  });

  it('keeps what the user typed when it is withdrawn, also what arrives after that [EDT-4]', async () => {
    const edited = await fixture.propose('a.txt', original, proposed);
    await fixture.peer.type(edited.id, `${proposed}mine\n`);
    edited.withdraw('agent');
    const late = await fixture.propose('b.txt', 'a\r\nb\r\n', 'A\r\nb\r\n');
    late.withdraw('agent');
    await fixture.call('review/edit', { id: late.id, version: 1, content: 'A\nlate\n' });
    expect(fixture.companion.interrupted.all.map(({ content }) => content).sort()).toEqual([
      'A\r\nlate\r\n',
      `${proposed}mine\n`,
    ]);
    await fixture.call('review/edit', { id: late.id, version: 1, content: 'A\nlater\n' });
    expect(fixture.companion.interrupted.all.map(({ content }) => content)).toContain('A\r\nlater\r\n');
  });

  it('refuses to accept a text that the user has not seen, unless that overwrites [EDT-5]', async () => {
    const review = await fixture.propose('a.txt', original, proposed);
    review.dropHunk(0);
    const accept = { id: review.id, version: 1, content: `${proposed}mine\n` };
    await expect(fixture.call('review/accept', accept)).rejects.toMatchObject({ code: 'changed' });
    expect(review.content).toBe('one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\nmine\n');
    await fixture.call('review/accept', { ...accept, overwrites: true });
    expect(review.state).toBe('accepted');
  });

  it('follows its file: merges, reports a conflict, marks it, and refuses to undo it [EDT-6]', async () => {
    const review = await fixture.propose('a.txt', original, proposed);
    writeFileSync(fixture.path('a.txt'), original.replace('four', '4'));
    await hasText(review.id, proposed.replace('four', '4'));
    expect(fixture.peer.view(review.id).review.file).toBe('merged');
    writeFileSync(fixture.path('a.txt'), original.replace('four', '4').replace('one', 'uno'));
    await fixture.peer.until(() => fixture.peer.view(review.id).review.file === 'conflict');
    const { version } = fixture.peer.view(review.id).review;
    const accept = { id: review.id, version };
    await expect(fixture.call('review/accept', accept)).rejects.toMatchObject({ code: 'conflict' });
    await fixture.call('review/merge', { id: review.id, marksConflicts: true });
    await fixture.peer.until(() => fixture.peer.view(review.id).review.content.includes('<<<<<<<'));
    await expect(
      fixture.call('review/accept', { id: review.id, version: fixture.peer.view(review.id).review.version }),
    ).rejects.toThrow('conflict markers');
  });

  it('asks before it creates a deleted file again [EDT-6]', async () => {
    const review = await fixture.propose('a.txt', original, proposed);
    rmSync(fixture.path('a.txt'));
    await expect(fixture.call('review/accept', { id: review.id })).rejects.toMatchObject({
      code: 'conflict',
    });
    await fixture.call('review/accept', { id: review.id, overwrites: true });
    expect(review.state).toBe('accepted');
  });

  it('stays pending with both versions if the user answers so, and says it [EDT-6]', async () => {
    const review = await fixture.propose('a.txt', original, proposed);
    writeFileSync(fixture.path('a.txt'), original.replace('one', 'uno'));
    const accepted = await fixture.call('review/accept', { id: review.id, answer: { merges: true } });
    expect(accepted).toMatchObject({ state: 'pending', note: expect.stringContaining('Both versions') });
    expect(review.content).toContain('<<<<<<<');
  });

  it('can have the merge of its file undone [EDT-6]', async () => {
    const review = await fixture.propose('a.txt', original, proposed);
    const canUndo = (): boolean =>
      fixture.peer.view(review.id).review.actions.some(({ id }) => id === 'undoMerge');
    expect(canUndo()).toBe(false);
    writeFileSync(fixture.path('a.txt'), original.replace('four', '4'));
    await fixture.peer.until(canUndo);
    const undo = { id: review.id, action: 'undoMerge' };
    expect(await fixture.call('review/run', undo)).toMatchObject({
      note: expect.stringContaining('The merge is undone.'),
    });
    await hasText(review.id, proposed);
    await fixture.peer.until(() => !canUndo());
    await expect(fixture.call('review/run', undo)).rejects.toMatchObject({
      code: 'refused',
      message: `Review ${review.id} has no action "undoMerge" now. It has: accept, reject.`,
    });
    review.reject();
    await expect(fixture.call('review/run', undo)).rejects.toMatchObject({ code: 'already-decided' });
  });

  it.each([
    [
      'is rejected when its view is closed',
      {},
      { note: 'Closing the view rejected the proposal by Claude Code for a.txt.' },
    ],
    ['stays pending when its view is closed, if the user wants that', { whenClosed: 'keep' }, {}],
  ])('%s [EDT-7]', async (_title, settings, answer) => {
    await fixture.dispose();
    fixture = await EditorFixture.start({ settings: { agents: ['claude'], ...settings } });
    const review = await fixture.propose('a.txt', original, proposed);
    expect(await fixture.call('review/close', { id: review.id })).toEqual(answer);
    expect(review.state).toBe('note' in answer ? 'rejected' : 'pending');
  });

  it.each<[string, string, (id: string) => Promise<unknown>]>([
    ['always, if the user wants that', 'You closed', async () => fixture.call('review/list')],
    ['if the user edited it', 'You edited', (id) => fixture.peer.type(id, 'mine\n')],
    [
      'if the user commented',
      'You commented on',
      (id) => fixture.call('review/comment', { id, text: 'Why?' }),
    ],
  ])('asks when its view is closed: %s [EDT-7]', async (_title, words, touch) => {
    await fixture.dispose();
    const whenClosed = words === 'You closed' ? 'ask' : 'reject';
    fixture = await EditorFixture.start({ settings: { agents: ['claude'], whenClosed } });
    const review = await fixture.propose('a.txt', original, proposed);
    await touch(review.id);
    await expect(fixture.call('review/close', { id: review.id })).rejects.toMatchObject({
      code: 'question',
      message: `${words} the proposal by Claude Code for a.txt. Decide it now?\nIf you keep it pending, it stays in the list of reviews.`,
    });
    expect(review.state).toBe('pending');
    fixture.peer.views.clear();
    await fixture.call('review/show', { id: review.id });
    expect(fixture.peer.view(review.id).review.id).toBe(review.id);
  });

  it('stays pending when several views are closed at once [EDT-7]', async () => {
    const review = await fixture.propose('a.txt', original, proposed);
    expect(await fixture.call('review/close', { id: review.id, isSeveral: true })).toEqual({
      note: 'Closing several views rejects nothing: the proposal by Claude Code for a.txt is still pending.',
    });
    expect(await fixture.call('review/list')).toMatchObject({
      reviews: [{ id: review.id }],
      interrupted: [],
    });
  });

  it('is withdrawn if the editor cannot show it, or not within the limit [EDT-8]', async () => {
    let fail = (_error: Error): void => {};
    fixture.peer.instead.set('review/show', () => new Promise((_resolve, reject) => (fail = reject)));
    const path = fixture.write('a.txt', original);
    const propose = () =>
      fixture.companion.reviews.propose({ agent: 'claude', session: 's1', path, content: proposed });
    const shows = () => fixture.peer.received.filter(({ method }) => method === 'review/show').length;
    const late = propose();
    late.catch(() => {});
    await fixture.peer.until(() => shows() === 1);
    const [review] = fixture.companion.reviews.pending;
    fixture.clock.advance(20_000);
    await expect(late).rejects.toThrow('not shown within 20 seconds');
    expect(review?.outcome).toEqual({ kind: 'withdrawn', reason: 'not-shown' });
    // An editor that shows it later closes it.
    await fixture.peer.until(() => fixture.peer.received.some(({ method }) => method === 'review/close'));
    const failed = propose();
    failed.catch(() => {});
    await fixture.peer.until(() => shows() === 2);
    fail(new Error('The window is too small.'));
    await expect(failed).rejects.toThrow('The window is too small.');
  });

  it('stays pending if the editor ends while it is busy: the next one offers it [EDT-8]', async () => {
    fixture.peer.instead.set('review/show', () => new Promise(() => {}));
    const path = fixture.write('a.txt', original);
    const proposal = { agent: 'claude', session: 's1', path, content: proposed };
    const opened = fixture.companion.reviews.propose(proposal);
    await fixture.peer.until(() => fixture.peer.received.some(({ method }) => method === 'review/show'));
    const [review] = fixture.companion.reviews.pending;
    review?.edit(`${proposed}mine\n`);
    await Promise.all([opened, fixture.endEditor()]);
    expect(review?.outcome).toEqual({ kind: 'withdrawn', reason: 'stopped' });
    const next = await EditorFixture.start({}, fixture.root);
    expect(next.companion.interrupted.all).toMatchObject([{ path, content: `${proposed}mine\n` }]);
    await next.dispose();
  });

  it('takes comments, and gives them to the editor for the agent [EDT-9]', async () => {
    const review = await fixture.propose('a.txt', original, proposed);
    const comment = { id: review.id, text: 'Why?', lines: { first: 0, last: 0 } };
    expect(await fixture.call('review/comment', comment)).toMatchObject({ text: 'Why?', quote: 'ONE' });
    await fixture.peer.until(() => fixture.peer.view(review.id).review.comments.length === 1);
    const feedback = await fixture.call('review/feedback', { id: review.id });
    expect(feedback).toMatchObject({ delivery: 'clipboard', text: expect.stringContaining('Why?') });
  });
});

describe('a remote editor', () => {
  it('is notified when an agent or Tandem writes a file [EDT-10]', async () => {
    const review = await fixture.propose('a.txt', original, proposed);
    await fixture.call('review/accept', { id: review.id });
    writeFileSync(fixture.path('a.txt'), proposed);
    const written = () => fixture.peer.received.filter(({ method }) => method === 'file/written');
    await fixture.peer.until(() => written().length > 0);
    expect(written()[0]?.params).toEqual({ path: fixture.path('a.txt') });
    // What Tandem itself writes is reported, too.
    const [{ id } = { id: '' }] = fixture.companion.history.entries.map(({ decided }) => decided);
    const before = written().length;
    expect(await fixture.call('changes/restore', { ids: [id] })).toMatchObject([{ kind: 'restored' }]);
    await fixture.peer.until(() => written().length > before);
  });

  it('receives the status and the sessions when they change [EDT-11]', async () => {
    await fixture.propose('a.txt', original, proposed);
    const last = (method: string) => fixture.peer.received.findLast((each) => each.method === method)?.params;
    await fixture.peer.until(() => JSON.stringify(last('status/changed') ?? '').includes('"pending":1'));
    await fixture.peer.until(() => JSON.stringify(last('session/changed') ?? '').includes('"pending":["1"]'));
    expect(await fixture.call('share/pause')).toMatchObject({ isPaused: true });
    await fixture.peer.until(() => JSON.stringify(last('status/changed')).includes('"isPaused":true'));
    expect(await fixture.call('share/resume')).toMatchObject({ isPaused: false });
  });

  it('learns which parameter is wrong, and that a method does not exist [EDT-12]', async () => {
    await expect(fixture.call('context/changed', { openFiles: [{ path: 'relative.txt' }] })).rejects.toThrow(
      'context/changed: openFiles.0.path: must be an absolute path',
    );
    await expect(fixture.call('nothing')).rejects.toThrow('nothing');
    await expect(fixture.call('initialize')).rejects.toThrow('initialized already');
  });

  it('keeps at most 1,000 open files of a snapshot, the active one first [EDT-13]', async () => {
    const openFiles = Array.from({ length: 1500 }, (_, at) => ({ path: fixture.path(`${at}.txt`) }));
    await fixture.call('context/changed', { openFiles, activePath: fixture.path('7.txt') });
    const { openFiles: kept } = fixture.companion.editor.context.snapshot();
    expect(kept).toHaveLength(1000);
    expect(kept[0]?.path).toBe(fixture.path('7.txt'));
  });

  it('is the newest that agents find while the user works in it [EDT-14]', async () => {
    const [claude] = (await fixture.companion.status()).agents;
    const file = claude?.discovery[0]?.file ?? '';
    const path = fixture.write('a.txt', original);
    utimesSync(file, 1, 1);
    await fixture.call('context/changed', { openFiles: [{ path }], activePath: path });
    fixture.companion.feed.flush();
    await expect.poll(() => Date.now() - statSync(file).mtimeMs).toBeLessThan(60_000);
  });

  it('is asked for nothing that it has not announced [EDT-29]', async () => {
    // A plugin for an earlier Tandem announces that it inserts text into terminals.
    const plain = await EditorFixture.start({ capabilities: { terminals: true } });
    const { diagnostics, documents } = plain.companion.editor;
    expect([diagnostics, documents.format]).toEqual([undefined, undefined]);
    const { id } = await plain.propose('a.txt', original, proposed);
    await plain.call('review/comment', { id, text: 'Why?' });
    expect(await plain.call('review/feedback', { id })).toMatchObject({ delivery: 'clipboard' });
    const asked = new Set(plain.peer.received.map(({ method }) => method));
    expect([...asked].filter((method) => /^(terminal|diagnostics)\//.test(method))).toEqual([]);
    await plain.dispose();
    const able = await EditorFixture.start({ capabilities: { diagnostics: true, format: true } });
    const { editor } = able.companion;
    expect(editor.documents.format).toBeDefined();
    expect(await editor.diagnostics?.get()).toEqual([]);
    await able.dispose();
  });

  it('reports what its user saves, by real paths and with or without the text [EDT-32]', async () => {
    const saved: SavedDocument[] = [];
    fixture.companion.editor.documents.onDidSave?.((each) => saved.push(each));
    const path = fixture.write('a.txt', 'a\r\n');
    symlinkSync(path, fixture.path('link.txt'));
    await fixture.call('document/saved', { path: fixture.path('link.txt'), text: '\uFEFFa\r\nb\rc' });
    await fixture.call('document/saved', { path });
    expect(saved).toEqual([
      { path, text: 'a\nb\nc' },
      { path, text: undefined },
    ]);
    await expect(fixture.call('document/saved', { path: 'a.txt' })).rejects.toMatchObject({
      code: 'bad-params',
    });
  });

  it('receives new variables for its terminals with other folders [EDT-15]', async () => {
    symlinkSync(fixture.root, fixture.path('link'));
    const workspaceFolders = [fixture.root, fixture.path('link'), '/'];
    const params = { workspaceFolders, isTrusted: true };
    const answer = await fixture.call('workspace/changed', params);
    expect(answer).toMatchObject({ environment: { CLAUDE_CODE_SSE_PORT: expect.anything() } });
    expect(fixture.companion.editor.workspace.folders()).toEqual([fixture.root, '/']);
  });
});
