import type { Review } from '@tandem/reviews';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agents, type RunningProtocol } from '../src/index.js';
import { ClaudeClient } from './support/claudeClient.js';
import { texts } from './support/rpc.js';
import { Stage } from './support/stage.js';

const path = '/workspace/sp ace/é#1.py';
const tab = '✻ [Claude Code] é#1.py (a1b2c3) ⧉';

describe('the diffs of Claude Code', () => {
  let stage: Stage;
  let running: RunningProtocol;
  let client: ClaudeClient;

  beforeEach(async () => {
    stage = await Stage.create({ files: { [path]: 'one\ntwo\nthree\n', '/workspace/b.py': 'b\n' } });
    running = await stage.start(agents.claude);
    client = await ClaudeClient.connect(running);
  });

  afterEach(() => stage.close());

  /** Proposes a change and waits until it is in view. The call stays open. */
  async function propose(contents: string, by = client): Promise<{ call: number; review: Review }> {
    const known = new Set(stage.editor.user.reviewsInView());
    const call = by.beginOpenDiff(path, contents, tab);
    const review = await stage.editor.whenShown(
      (each) => !known.has(each) && each.proposal.content === contents,
    );
    return { call, review };
  }

  it('blocks until the decision, and returns the accepted text [CLA-36 CLA-38 CLA-39 CLA-70]', async () => {
    const { call, review } = await propose('one\n2\nthree\n');
    expect(review.proposal).toMatchObject({ path, title: tab, agent: 'claude' });
    await client.request('ping');
    expect(client.hasAnswer(call)).toBe(false);
    stage.editor.user.accept(review);
    const answer = await client.answer(call);
    expect(answer.result).toEqual({
      content: [
        { type: 'text', text: 'FILE_SAVED' },
        { type: 'text', text: 'one\n2\nthree\n' },
      ],
    });
    expect(stage.editor.user.reviewsInView()).toEqual([]);
  });

  it("returns the user's edited text byte for byte, and does not write the file [CLA-38 CLA-70 CLA-71]", async () => {
    const { call, review } = await propose('\u{feff}one\n2\nthree');
    stage.editor.user.edit(review, '\u{feff}one\n2\nthree, edited \u{1f600}');
    stage.editor.user.accept(review);
    expect(texts(await client.answer(call))).toEqual([
      'FILE_SAVED',
      '\u{feff}one\n2\nthree, edited \u{1f600}',
    ]);
    expect(await stage.files.readText(path)).toBe('one\ntwo\nthree\n');
  });

  it('answers a rejection with only DIFF_REJECTED, never with TAB_CLOSED [CLA-36 CLA-40 CLA-72]', async () => {
    const { call, review } = await propose('x\n');
    stage.editor.user.reject(review);
    expect((await client.answer(call)).result).toEqual({
      content: [{ type: 'text', text: 'DIFF_REJECTED' }],
    });
  });

  it.each([
    ['is closed by its tab', () => client.call('close_tab', { tab_name: tab })],
    ['is closed with all others', () => client.call('closeAllDiffTabs', {})],
    ['is replaced', async () => void (await propose('other\n'))],
    ['fails in the editor', async (review: Review) => void review.withdraw('not-shown')],
    ['is accepted', async (review: Review) => void review.accept()],
  ])(
    'never answers TAB_CLOSED, nor what begins a decision that was not taken, when it %s [CLA-72]',
    async (_case, end) => {
      const { call, review } = await propose('x\n');
      await end(review);
      const [first, ...rest] = texts(await client.answer(call));
      if (review.outcome?.kind === 'accepted') expect([first, ...rest]).toEqual(['FILE_SAVED', 'x\n']);
      else expect([first, ...rest]).toEqual([expect.stringContaining('ended without a decision')]);
      expect(client.received).not.toContain('TAB_CLOSED');
    },
  );

  it("accepts the document's arguments, without new_file_path [CLA-37]", async () => {
    const args = { old_file_path: '/workspace/new.py', new_file_contents: 'new\n', tab_name: 'new.py' };
    const call = client.beginCall('openDiff', args);
    const review = await stage.editor.whenShown();
    expect(review.proposal.path).toBe('/workspace/new.py');
    expect(review.original).toEqual({ kind: 'missing' });
    stage.editor.user.accept(review);
    expect(texts(await client.answer(call))).toEqual(['FILE_SAVED', 'new\n']);
  });

  it.each(['/workspace/missing/..', '/workspace/.', '/workspace/'])(
    'shows the file itself for a path below %s',
    async (folder) => {
      const spelled = path.replace('/workspace', folder);
      const args = {
        old_file_path: spelled,
        new_file_path: spelled,
        new_file_contents: 'x\n',
        tab_name: tab,
      };
      const call = client.beginCall('openDiff', args);
      const review = await stage.editor.whenShown();
      expect([review.proposal.path, review.original.kind]).toEqual([path, 'text']);
      stage.editor.user.accept(review);
      expect(texts(await client.answer(call))).toEqual(['FILE_SAVED', 'x\n']);
    },
  );

  it('answers in LF for a file with CRLF, also when hunks are dropped [CLA-77]', async () => {
    const ten = Array.from({ length: 10 }, (_line, index) => `line ${index}`);
    stage.files.write(path, ten.join('\r\n'));
    const changed = ten.with(1, 'first change').with(8, 'second change').join('\n');
    const { call, review } = await propose(changed);
    stage.editor.user.dropHunk(review, 0);
    stage.editor.user.accept(review);
    expect(texts(await client.answer(call))).toEqual(['FILE_SAVED', ten.with(8, 'second change').join('\n')]);
  });

  it.each([
    [
      'a relative path',
      { old_file_path: 'a.py', new_file_contents: 'x', tab_name: 't' },
      'absolute old_file_path',
    ],
    [
      'a relative new path',
      { old_file_path: path, new_file_path: 'a.py', new_file_contents: 'x', tab_name: 't' },
      'absolute new_file_path',
    ],
    ['a folder', { old_file_path: '/workspace', new_file_contents: 'x', tab_name: 't' }, 'is a folder'],
    [
      'a number as the path',
      { old_file_path: 1, new_file_contents: 'x', tab_name: 't' },
      '"old_file_path" must be',
    ],
    [
      'null as contents',
      { old_file_path: path, new_file_contents: null, tab_name: 't' },
      '"new_file_contents" must be',
    ],
    ['no tab name', { old_file_path: path, new_file_contents: 'x' }, '"tab_name" must be'],
    ['no arguments', undefined, '"old_file_path" must be'],
  ])('refuses %s with an error result [CLA-37 CLA-55]', async (_case, args, words) => {
    const answer = await client.call('openDiff', args);
    expect(answer.result.isError).toBe(true);
    expect(texts(answer)).toEqual([expect.stringContaining(words)]);
    expect(stage.reviews.pending).toEqual([]);
  });

  it('answers with an error, for a decision in the terminal, if the editor cannot show the diff [CLA-55 CLA-73]', async () => {
    stage.editor.beforeShow = () => Promise.reject(new Error('no room'));
    const answer = await client.answer(client.beginOpenDiff(path, 'x\n'));
    expect(answer.result).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('no room') }],
      isError: true,
    });
  });

  it('closes the diff by its tab name, also twice [CLA-44 CLA-74]', async () => {
    const { call, review } = await propose('x\n');
    stage.editor.user.edit(review, 'typed\n');
    expect(texts(await client.call('close_tab', { tab_name: tab }))).toEqual(['OK']);
    expect(texts(await client.call('close_tab', { tab_name: tab }))).toEqual(['OK']);
    expect(review.outcome).toEqual({ kind: 'withdrawn', reason: 'agent' });
    expect((await client.answer(call)).result.isError).toBe(true);
    expect(stage.editor.user.reviewsInView()).toEqual([]);
    expect(stage.reviews.ended.at(-1)?.content).toBe('typed\n');
  });

  it('accepts close_tab after a decision [CLA-74]', async () => {
    const { call, review } = await propose('x\n');
    stage.editor.user.accept(review);
    await client.answer(call);
    expect(texts(await client.call('close_tab', { tab_name: tab }))).toEqual(['OK']);
    expect(review.outcome?.kind).toBe('accepted');
  });

  /** Holds back the next reading of a file until it is released. */
  function holdReading(): { readonly begun: Promise<void>; release(): void } {
    let release = () => {};
    const read = stage.files.read.bind(stage.files);
    const begun = new Promise<void>((resolve) => {
      stage.files.read = async (each) => {
        stage.files.read = read;
        resolve();
        await new Promise<void>((released) => (release = released));
        return read(each);
      };
    });
    return { begun, release: () => release() };
  }

  it('does not close the newer diff of a path by the tab name of an older one [CLA-74 CLA-86]', async () => {
    const reading = holdReading();
    const older = client.beginOpenDiff(path, 'older\n', 'older tab');
    await reading.begun;
    const newer = await propose('newer\n');
    await client.call('close_tab', { tab_name: 'older tab' });
    expect(newer.review.state).toBe('pending');
    reading.release();
    expect((await client.answer(older)).result.isError).toBe(true);
    stage.editor.user.accept(newer.review);
    expect(texts(await client.answer(newer.call))).toEqual(['FILE_SAVED', 'newer\n']);
  });

  it('closes a diff that is not shown yet [CLA-74]', async () => {
    const reading = holdReading();
    const call = client.beginOpenDiff(path, 'x\n', tab);
    await reading.begun;
    expect(texts(await client.call('close_tab', { tab_name: tab }))).toEqual(['OK']);
    reading.release();
    expect((await client.answer(call)).result.isError).toBe(true);
    expect(stage.reviews.pending).toEqual([]);
    expect(stage.editor.user.reviewsInView()).toEqual([]);
  });

  it('closes all diffs of this session and no other [CLA-75]', async () => {
    const other = await ClaudeClient.connect(running);
    const ours = [await propose('x\n'), { call: client.beginOpenDiff('/workspace/b.py', 'y\n', 'b') }];
    await stage.editor.whenShown((review) => review.proposal.path === '/workspace/b.py');
    const theirs = await propose('z\n', other);
    expect(texts(await client.call('closeAllDiffTabs', {}))).toEqual(['CLOSED_2_DIFF_TABS']);
    for (const { call } of ours) expect((await client.answer(call)).result.isError).toBe(true);
    expect(theirs.review.state).toBe('pending');
    expect(texts(await client.call('closeAllDiffTabs'))).toEqual(['CLOSED_0_DIFF_TABS']);
    stage.editor.user.accept(theirs.review);
    expect(texts(await other.answer(theirs.call))).toEqual(['FILE_SAVED', 'z\n']);
  });

  it('gives each of two sessions its own answer for the same path [CLA-85]', async () => {
    const other = await ClaudeClient.connect(running);
    const mine = await propose('mine\n');
    const theirs = await propose('theirs\n', other);
    stage.editor.user.reject(theirs.review);
    expect(texts(await other.answer(theirs.call))).toEqual(['DIFF_REJECTED']);
    expect(client.hasAnswer(mine.call)).toBe(false);
    stage.editor.user.accept(mine.review);
    expect(texts(await client.answer(mine.call))).toEqual(['FILE_SAVED', 'mine\n']);
  });

  it('ends the first call if the same session proposes for the same path again [CLA-86]', async () => {
    const first = await propose('first\n');
    const second = await propose('second\n');
    expect(first.review.outcome).toEqual({ kind: 'withdrawn', reason: 'replaced' });
    expect((await client.answer(first.call)).result.isError).toBe(true);
    expect(second.review.state).toBe('pending');
    stage.editor.user.accept(second.review);
    expect(texts(await client.answer(second.call))).toEqual(['FILE_SAVED', 'second\n']);
  });

  it('withdraws the diffs of a session whose socket closes, and keeps the edits [CLA-76]', async () => {
    const { review } = await propose('x\n');
    stage.editor.user.edit(review, 'typed\n');
    const ended = new Promise<unknown>((resolve) => review.onDidDecide(resolve));
    client.socket.terminate();
    expect(await ended).toEqual({ kind: 'withdrawn', reason: 'disconnected' });
    const next = await ClaudeClient.connect(running);
    expect((await propose('x\n', next)).review.content).toBe('typed\n');
  });

  it('withdraws a diff whose call is cancelled [CLA-87]', async () => {
    const { call, review } = await propose('x\n');
    const ended = new Promise<unknown>((resolve) => review.onDidDecide(resolve));
    client.notify('notifications/cancelled', { requestId: call });
    expect(await ended).toEqual({ kind: 'withdrawn', reason: 'agent' });
  });

  it('withdraws its diffs when the companion stops [CLA-59]', async () => {
    const { review } = await propose('x\n');
    running.stop();
    expect(review.outcome).toEqual({ kind: 'withdrawn', reason: 'stopped' });
  });

  it('accepts a text that the user emptied [CLA-38]', async () => {
    const { call, review } = await propose('x\n');
    stage.editor.user.edit(review, '');
    stage.editor.user.accept(review);
    expect(texts(await client.answer(call))).toEqual(['FILE_SAVED', '']);
  });
});
