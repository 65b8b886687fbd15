import { UnanswerableError } from '@tandem/reviews';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunningProtocol } from '../src/index.js';
import { CompanionClient } from './support/companionClient.js';
import { companions } from './support/companions.js';
import { jsonOf, texts } from './support/rpc.js';
import { Stage } from './support/stage.js';

const path = '/workspace/sp ace/ünï#1.ts';

describe.each(companions)('the diffs of $name', ({ protocol, manner }) => {
  let stage: Stage;
  let running: RunningProtocol;
  let client: CompanionClient;

  beforeEach(async () => {
    stage = await Stage.create({ files: { [path]: 'one\ntwo\n', '/workspace/b.ts': 'b\n' } });
    running = await stage.start(protocol);
    client = await CompanionClient.connect(running, manner);
  });

  afterEach(() => stage.close());

  /** A decision for another path. Any earlier notification would have arrived before it. */
  async function nothingWasSent(about: string): Promise<void> {
    await client.openDiff('/workspace/marker.ts', 'marker\n');
    stage.reviews.pending.find((review) => review.proposal.path === '/workspace/marker.ts')?.reject();
    await client.next('ide/diffRejected');
    expect(client.notifications.filter(({ params }) => params?.filePath === about)).toEqual([]);
  }

  it('offers openDiff and closeDiff [GEM-35 GEM-36 GEM-43 QWN-35 QWN-36 QWN-43 QWL-35 QWL-36 QWL-43]', async () => {
    const { result } = await client.request('tools/list');
    expect(result.tools).toMatchObject([
      {
        name: 'openDiff',
        inputSchema: { type: 'object', required: ['filePath', 'newContent'] },
      },
      { name: 'closeDiff', inputSchema: { type: 'object', required: ['filePath'] } },
    ]);
  });

  it('acknowledges openDiff with empty content while the review is open [GEM-38 GEM-39 QWN-38 QWN-39 QWL-38 QWL-39]', async () => {
    const answer = await client.openDiff(path, 'one\n2\n');
    expect(answer.result).toEqual({ content: [] });
    expect(stage.editor.user.reviewsInView()).toMatchObject([
      { state: 'pending', proposal: { path, content: 'one\n2\n', agent: protocol.identity.id } },
    ]);
    // The fastest of three, because the machine may be busy for a moment.
    const times: number[] = [];
    for (const name of ['c', 'd', 'e']) {
      const start = performance.now();
      await client.openDiff(`/workspace/${name}.ts`, 'x\n');
      times.push(performance.now() - start);
    }
    expect(Math.min(...times)).toBeLessThan(500);
    expect(stage.reviews.pending).toHaveLength(4);
  });

  it('shows a diff that can be edited, and sends the edited text [GEM-41 GEM-48 QWN-41 QWN-48 QWL-41 QWL-48]', async () => {
    await client.openDiff(path, 'one\n2\n');
    const review = await stage.editor.whenShown();
    stage.editor.user.edit(review, 'one\n2\nthree\n');
    stage.editor.user.accept(review);
    expect((await client.next('ide/diffAccepted')).params).toEqual({
      filePath: path,
      content: 'one\n2\nthree\n',
    });
  });

  it('sends an acceptance later, by notification [GEM-42 GEM-47 QWN-42 QWN-47 QWL-42 QWL-47]', async () => {
    const content = '\u{feff}a\r\nb\nc\rd\u{2028}\u{1f600}';
    await client.openDiff(path, content);
    expect(client.notifications.filter(({ method }) => method !== 'ide/contextUpdate')).toEqual([]);
    stage.editor.user.accept(await stage.editor.whenShown());
    expect((await client.next('ide/diffAccepted')).params).toEqual({ filePath: path, content });
    expect(stage.editor.user.reviewsInView()).toEqual([]);
  });

  it('sends a rejection with only the path [GEM-49 GEM-55 QWN-49 QWN-55 QWL-49 QWL-55]', async () => {
    await client.openDiff(path, 'one\n2\n');
    stage.editor.user.reject(await stage.editor.whenShown());
    expect((await client.next('ide/diffRejected')).params).toEqual({ filePath: path });
  });

  it("echoes the path in the CLI's spelling, not the real path [GEM-65 QWN-65]", async () => {
    stage.files.link('/workspace/link', '/workspace/sp ace');
    const spelled = '/workspace/./link/ünï#1.ts';
    await client.openDiff(spelled, 'x\n');
    stage.editor.user.accept(await stage.editor.whenShown());
    expect((await client.next('ide/diffAccepted')).params.filePath).toBe(spelled);
  });

  it('shows the file that a path through a missing folder means, and keeps the spelling of the CLI', async () => {
    const spelled = path.replace('/workspace/', '/workspace/missing/../');
    await client.openDiff(spelled, 'one\n2\n');
    const review = await stage.editor.whenShown();
    expect([review.proposal.path, review.original.kind]).toEqual([path, 'text']);
    stage.editor.user.accept(review);
    expect((await client.next('ide/diffAccepted')).params.filePath).toBe(spelled);
    await client.openDiff(spelled, 'one\n2\n');
    await stage.editor.whenShown((each) => each !== review);
    await client.call('closeDiff', { filePath: spelled });
    expect(stage.reviews.pending).toEqual([]);
  });

  it('opens a diff for a file that does not exist yet [GEM-35 QWN-35 QWL-35]', async () => {
    const answer = await client.openDiff('/workspace/new folder/new.ts', 'new\n');
    expect(answer.result).toEqual({ content: [] });
    expect((await stage.editor.whenShown()).original).toEqual({ kind: 'missing' });
  });

  it.each([
    ['a relative path', { filePath: 'src/a.ts', newContent: 'x' }, 'absolute'],
    ['a path of the other system', { filePath: 'C:\\a.ts', newContent: 'x' }, 'absolute'],
    ['an empty path', { filePath: '', newContent: 'x' }, 'absolute'],
    ['a folder', { filePath: '/workspace/sp ace', newContent: 'x' }, 'is a folder'],
    ['a number as the path', { filePath: 1, newContent: 'x' }, '"filePath" must be a string'],
    ['null as the content', { filePath: path, newContent: null }, '"newContent" must be a string'],
    ['no content', { filePath: path }, '"newContent" must be a string'],
    ['no arguments', undefined, '"filePath" must be a string'],
  ])('refuses openDiff with %s [GEM-37 GEM-40 QWN-37 QWN-40 QWL-37 QWL-40]', async (_case, args, words) => {
    const answer = await client.call('openDiff', args);
    expect(answer.result.isError).toBe(true);
    expect(texts(answer)).toEqual([expect.stringContaining(words)]);
    expect(stage.reviews.pending).toEqual([]);
  });

  it('answers with an error if the editor cannot show the diff [GEM-40 QWN-40 QWL-40]', async () => {
    stage.editor.beforeShow = () => Promise.reject(new Error('The window is closing.'));
    const answer = await client.openDiff(path, 'x');
    expect(answer.result).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('The window is closing.') }],
      isError: true,
    });
  });

  it('answers closeDiff with the text of the view [GEM-45 GEM-63 QWN-45 QWN-63 QWL-45]', async () => {
    await client.openDiff(path, 'one\n2\n');
    stage.editor.user.edit(await stage.editor.whenShown(), 'one\n2\nedited\n');
    const answer = await client.closeDiff(path);
    expect(answer.result.isError).toBeUndefined();
    expect(jsonOf(answer)).toEqual({ content: 'one\n2\nedited\n' });
    expect(stage.editor.user.reviewsInView()).toEqual([]);
    expect(stage.reviews.ended).toMatchObject([{ outcome: { kind: 'withdrawn', reason: 'agent' } }]);
  });

  it('accepts closeDiff without suppressNotification, as at exit, and with unknown arguments [GEM-68 QWN-68]', async () => {
    await client.call('openDiff', { filePath: path, newContent: 'x\n', fromTheFuture: true });
    expect(jsonOf(await client.call('closeDiff', { filePath: path }))).toEqual({ content: 'x\n' });
  });

  it('sends no notification for closeDiff [GEM-64 QWN-64]', async () => {
    await client.openDiff(path, 'x\n');
    await client.closeDiff(path);
    await nothingWasSent(path);
  });

  it.each([
    ['nothing is open', { filePath: path }, `No diff is open for "${path}"`],
    ['the path is no text', { filePath: ['a'] }, '"filePath" must be a string'],
    ['there are no arguments', undefined, '"filePath" must be a string'],
  ])('refuses closeDiff when %s [GEM-44 GEM-46 QWN-44 QWN-46 QWL-44 QWL-46]', async (_case, args, words) => {
    const answer = await client.call('closeDiff', args);
    expect(answer.result.isError).toBe(true);
    expect(texts(answer)).toEqual([expect.stringContaining(words)]);
  });

  it('answers closeDiff after a decision with the decided text, and after a close with the same text [GEM-45 QWN-45 QWL-45]', async () => {
    await client.openDiff(path, 'x\n');
    const review = await stage.editor.whenShown();
    stage.editor.user.edit(review, 'mine\n');
    stage.editor.user.accept(review);
    expect(jsonOf(await client.closeDiff(path))).toEqual({ content: 'mine\n' });
    await client.openDiff('/workspace/b.ts', 'bb\n');
    expect(jsonOf(await client.closeDiff('/workspace/b.ts'))).toEqual({ content: 'bb\n' });
    expect(jsonOf(await client.closeDiff('/workspace/b.ts'))).toEqual({ content: 'bb\n' });
  });

  it('answers an openDiff that its closeDiff overtakes as opened, and the closeDiff with the new text [GEM-83 QWN-83]', async () => {
    await client.openDiff(path, 'older\n');
    stage.editor.user.accept(await stage.editor.whenShown());
    const read = hold(stage.files, 'read');
    const opening = client.openDiff(path, 'newer\n');
    await read.begun;
    expect(jsonOf(await client.closeDiff(path))).toEqual({ content: 'newer\n' });
    read.release();
    expect((await opening).result).toEqual({ content: [] });
    expect(stage.reviews.pending).toEqual([]);
  });

  it('answers closeDiff with the edited text even before the view is shown [GEM-83 QWN-83]', async () => {
    let show = () => {};
    stage.editor.beforeShow = () => new Promise((resolve) => (show = resolve));
    const opening = client.openDiff(path, 'x\n');
    const review = await new Promise<{ edit(text: string): void; accept(): boolean }>((resolve) =>
      stage.reviews.onDidOpen(resolve),
    );
    review.edit('y\n');
    review.accept();
    expect(jsonOf(await client.closeDiff(path))).toEqual({ content: 'y\n' });
    show();
    expect((await opening).result).toEqual({ content: [] });
  });

  it('does not answer closeDiff with an older diff after a failed openDiff [GEM-46 QWN-46 QWL-46]', async () => {
    await client.openDiff(path, 'older\n');
    stage.editor.user.accept(await stage.editor.whenShown());
    stage.editor.beforeShow = () => Promise.reject(new Error('no room'));
    expect((await client.openDiff(path, 'newer\n')).result.isError).toBe(true);
    expect((await client.closeDiff(path)).result.isError).toBe(true);
  });

  it('replaces the diff of a path with the next proposal for it [GEM-84 QWN-84]', async () => {
    await client.openDiff(path, 'first\n');
    const first = await stage.editor.whenShown();
    await client.openDiff(path, 'second\n');
    expect(first.outcome).toEqual({ kind: 'withdrawn', reason: 'replaced' });
    const second = await stage.editor.whenShown((review) => review.state === 'pending');
    stage.editor.user.accept(second);
    expect((await client.next('ide/diffAccepted')).params).toEqual({ filePath: path, content: 'second\n' });
    await nothingWasSent(path);
  });

  it('keeps several diffs of one session apart [GEM-84 QWN-84]', async () => {
    await client.openDiff(path, 'x\n');
    await client.openDiff('/workspace/b.ts', 'bb\n');
    const [first, second] = stage.editor.user.reviewsInView();
    if (first === undefined || second === undefined) throw new Error('two reviews were expected');
    stage.editor.user.reject(second);
    expect((await client.next('ide/diffRejected')).params).toEqual({ filePath: '/workspace/b.ts' });
    stage.editor.user.accept(first);
    expect((await client.next('ide/diffAccepted')).params).toEqual({ filePath: path, content: 'x\n' });
  });

  it('does not accept an empty text, because the CLI would write the proposal instead [GEM-66 QWN-66]', async () => {
    await client.openDiff(path, 'x\n');
    const review = await stage.editor.whenShown();
    stage.editor.user.edit(review, '');
    expect(() => review.accept()).toThrow(UnanswerableError);
    expect(review.state).toBe('pending');
    stage.editor.user.edit(review, 'y\n');
    stage.editor.user.accept(review);
    expect((await client.next('ide/diffAccepted')).params.content).toBe('y\n');
  });

  it('accepts a proposal that is itself empty [GEM-66 QWN-66]', async () => {
    await client.openDiff(path, '');
    stage.editor.user.accept(await stage.editor.whenShown());
    expect((await client.next('ide/diffAccepted')).params).toEqual({ filePath: path, content: '' });
  });

  it('sends a rejection if a view fails after the acknowledgement [GEM-85 QWN-85]', async () => {
    await client.openDiff(path, 'x\n');
    (await stage.editor.whenShown()).withdraw('not-shown');
    expect((await client.next('ide/diffRejected')).params).toEqual({ filePath: path });
  });

  it('withdraws an openDiff that the CLI cancels before the answer [GEM-86 QWN-86]', async () => {
    let show = () => {};
    stage.editor.beforeShow = () => new Promise((resolve) => (show = resolve));
    const opened = new Promise<void>((resolve) => stage.reviews.onDidOpen(() => resolve()));
    const ended = new Promise<unknown>((resolve) =>
      stage.reviews.onDidDecide((review) => resolve(review.outcome)),
    );
    const gaveUp = new AbortController();
    // The second message of the session's third POST: ids count from 0 with initialize and tools/list.
    const opening = client
      .call('openDiff', { filePath: path, newContent: 'x\n' }, gaveUp.signal)
      .catch(() => {});
    await opened;
    await client.notify('notifications/cancelled', { requestId: 2, reason: 'timeout' });
    show();
    expect(await ended).toEqual({ kind: 'withdrawn', reason: 'agent' });
    gaveUp.abort();
    await opening;
  });

  it('accepts a proposal of 11 MB [GEM-70 QWN-70]', async () => {
    const content = `${'x'.repeat(1023)}\n`.repeat(11 * 1024);
    expect((await client.openDiff(path, content)).result).toEqual({ content: [] });
    stage.editor.user.accept(await stage.editor.whenShown());
    expect((await client.next('ide/diffAccepted')).params.content === content).toBe(true);
  });
});

/** Holds back the next call of a file operation until it is released. */
function hold(files: Stage['files'], operation: 'read'): { readonly begun: Promise<void>; release(): void } {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const real = files[operation].bind(files);
  const begun = new Promise<void>((resolve) => {
    files[operation] = async (path) => {
      files[operation] = real;
      resolve();
      await released;
      return real(path);
    };
  });
  return { begun, release };
}
