import { symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { EditorFixture } from '../support/editorFixture.js';

let fixture: EditorFixture;
let real: string;
beforeEach(async () => {
  fixture = await EditorFixture.start();
  real = fixture.write('real/a.txt', 'one\n');
  symlinkSync(fixture.path('real'), fixture.path('link'));
  symlinkSync(real, fixture.path('flink.txt'));
  symlinkSync(fixture.path('link'), fixture.path('twice'));
});
afterEach(() => fixture.dispose());

/** The paths of all messages with this method that the editor received. */
const received = (method: string): unknown[] =>
  fixture.peer.received.flatMap((message) =>
    message.method === method ? [z.object({ path: z.string() }).parse(message.params).path] : [],
  );

describe.each(['link/a.txt', 'flink.txt', 'twice/a.txt', 'link/../real/a.txt', 'real/a.txt'])(
  'a remote editor with real paths, for a file that an agent names %s,',
  (name) => {
    const named = (): string => `${fixture.root}/${name}`;

    it('receives the real path of the review', async () => {
      const review = await propose();
      expect(fixture.peer.view(review.id).review.path).toBe(real);
      expect(review.proposal.path).toBe(named());
    });

    it('learns that the agent has written it', async () => {
      const review = await propose();
      await fixture.call('review/accept', { id: review.id, version: 1 });
      writeFileSync(named(), 'two\n');
      await fixture.peer.until(() => received('file/written').includes(real));
      expect(new Set(received('file/written'))).toEqual(new Set([real]));
    });

    it('opens, saves, formats and closes it, and has its state', async () => {
      const { editor } = fixture.companion;
      await editor.documents.open(named());
      expect(fixture.peer.editor.context.snapshot().openFiles).toMatchObject([{ path: real }]);
      fixture.peer.editor.user.type(real, 'typed\n');
      await expect.poll(() => editor.documents.state(named())?.isDirty).toBe(true);
      expect(await editor.documents.save(named())).toBe(true);
      await editor.documents.format?.(named());
      expect(await editor.documents.close(named())).toBe(true);
      for (const method of ['open', 'save', 'format', 'close']) {
        expect(received(`document/${method}`)).toEqual([real]);
      }
    });

    it('gives its diagnostics, in the spelling of the agent', async () => {
      const { editor } = fixture.companion;
      const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
      await editor.documents.open(named());
      fixture.peer.editor.user.setDiagnostics(real, [{ message: 'broken', severity: 'error', range }]);
      const found = await editor.diagnostics?.get(named());
      expect(found).toMatchObject([{ path: named(), diagnostics: [{ message: 'broken' }] }]);
    });

    it('restores it by its real path, which the list of changes has', async () => {
      const review = await propose();
      await fixture.call('review/accept', { id: review.id, version: 1 });
      fixture.companion.reviews.noteAnswered(review);
      writeFileSync(named(), 'two\n');
      await expect.poll(() => fixture.call('changes/list')).toMatchObject([{ path: real }]);
      expect(await fixture.call('changes/restore', { path: real })).toMatchObject([
        { path: real, kind: 'restored' },
      ]);
    });

    function propose() {
      const proposal = { agent: 'claude', session: 's1', path: named(), content: 'two\n' };
      return fixture.companion.reviews.propose(proposal);
    }
  },
);

describe('a remote editor that sends the path of a link', () => {
  it('has its context under the real path', async () => {
    const path = fixture.path('link/a.txt');
    const openFiles = [{ path, isDirty: true }];
    await fixture.call('context/changed', { openFiles, activePath: path });
    const { context, documents } = fixture.companion.editor;
    expect(context.snapshot()).toMatchObject({ openFiles: [{ path: real }], activePath: real });
    expect(documents.state(real)?.isDirty).toBe(true);
  });

  it('restores and reports diagnostics under the real path', async () => {
    const reported: unknown[] = [];
    fixture.companion.editor.diagnostics?.onDidChange((paths) => reported.push(paths));
    await fixture.call('diagnostics/changed', { paths: [fixture.path('link/a.txt')] });
    expect(reported).toEqual([[real]]);
    const proposal = { agent: 'claude', session: 's1', path: real, content: 'two\n' };
    const review = await fixture.companion.reviews.propose(proposal);
    await fixture.call('review/accept', { id: review.id, version: 1 });
    fixture.companion.reviews.noteAnswered(review);
    writeFileSync(real, 'two\n');
    await expect.poll(() => fixture.call('changes/list')).toMatchObject([{ path: real }]);
    expect(await fixture.call('changes/restore', { path: fixture.path('flink.txt') })).toMatchObject([
      { path: real, kind: 'restored' },
    ]);
  });
});
