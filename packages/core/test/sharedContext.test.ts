import {
  type AgentIdentity,
  ContextFeed,
  type EditorContext,
  SharedContext,
  SharingPolicy,
  silentLogger,
} from '@tandem/core';
import { FakeClock, FakeEditor, FakeFiles } from '@tandem/testing';
import { describe, expect, it, vi } from 'vitest';
import { settle } from '../../../test/settle.js';

const gemini: AgentIdentity = { id: 'gemini', ignoreFiles: [{ name: '.geminiignore' }] };

/** A promise that a test resolves. */
function makeGate() {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), passed };
}

function setUp(
  options: {
    isOnDisk?: (path: string) => Promise<boolean>;
    maxFiles?: number;
    isFollowed?: () => boolean;
  } = {},
) {
  const clock = new FakeClock();
  const files = new FakeFiles();
  for (const name of ['a.ts', 'b.ts', 'c.ts', '.env', 'secret/x.ts'])
    files.write(`/workspace/${name}`, `${name}\n`);
  const editor = new FakeEditor({ clock, files });
  const feed = new ContextFeed({ editor, clock, logger: silentLogger });
  const policy = new SharingPolicy({
    files,
    folders: () => editor.workspace.folders(),
    logger: silentLogger,
  });
  if (options.isOnDisk !== undefined) files.isOnDisk = options.isOnDisk;
  const { maxFiles = 10, isFollowed = () => true } = options;
  const shared = new SharedContext({
    feed,
    policy,
    agent: gemini,
    maxFiles,
    encode: (context) => context,
    isFollowed,
    clock,
    logger: silentLogger,
  });
  const sent: EditorContext[] = [];
  shared.onDidChange(() => sent.push(shared.current));
  const sentPaths = () => sent.map(({ openFiles }) => openFiles.map(({ path }) => path));
  return { clock, files, editor, user: editor.user, feed, policy, shared, sent, sentPaths };
}

describe('the shared context', () => {
  it('reports the snapshot of the feed', async () => {
    const { user, feed, shared, sent } = setUp();
    user.focus('/workspace/a.ts');
    user.select('/workspace/a.ts', { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } });
    feed.flush();
    await settle();
    expect(sent).toEqual([feed.current]);
    expect(shared.current).toBe(sent[0]);
  });

  it('omits files that the policy hides, with no active file and no quoted text', async () => {
    const { files, user, feed, sent } = setUp();
    files.write('/workspace/.geminiignore', 'secret/\n');
    user.focus('/workspace/a.ts');
    user.focus('/workspace/secret/x.ts');
    user.focus('/workspace/.env');
    user.select('/workspace/.env', { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } });
    feed.flush();
    await settle();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.openFiles.map(({ path }) => path)).toEqual(['/workspace/a.ts']);
    expect(sent[0]?.activePath).toBeUndefined();
    expect(JSON.stringify(sent)).not.toContain('.env');
  });

  it('omits files that are not on disk, including the active one', async () => {
    const { files, user, feed, sent } = setUp();
    user.focus('/workspace/a.ts');
    user.focus('/workspace/b.ts');
    user.focus('/workspace/untitled', 'never saved');
    files.remove('/workspace/b.ts');
    feed.flush();
    await settle();
    expect(sent.map(({ openFiles, activePath }) => [openFiles.map(({ path }) => path), activePath])).toEqual([
      [['/workspace/a.ts'], undefined],
    ]);
  });

  it('reports at most maxFiles files, those last in focus, not counting hidden files', async () => {
    const { files, user, feed, sent } = setUp();
    for (let number = 0; number < 14; number++) {
      files.write(`/workspace/${number}.ts`, '');
      user.focus(`/workspace/${number}.ts`);
      if (number > 10) user.focus(`/workspace/unsaved ${number}`, '');
    }
    feed.flush();
    await settle();
    expect(sent[0]?.openFiles.map(({ path }) => path)).toEqual(
      Array.from({ length: 10 }, (_, at) => `/workspace/${13 - at}.ts`),
    );
  });

  it('does not check files beyond maxFiles', async () => {
    const checked: string[] = [];
    const { user, feed, sentPaths } = setUp({
      maxFiles: 1,
      isOnDisk: async (path) => {
        checked.push(path);
        return true;
      },
    });
    for (const name of ['a.ts', 'b.ts', 'c.ts']) user.focus(`/workspace/${name}`);
    feed.flush();
    await settle();
    expect(sentPaths()).toEqual([['/workspace/c.ts']]);
    expect(checked).toEqual(['/workspace/c.ts']);
  });

  it('does not read files while it has no followers, and is up to date after a refresh', async () => {
    let isFollowed = false;
    const { files, user, feed, shared, sentPaths } = setUp({ isFollowed: () => isFollowed });
    const reads = vi.spyOn(files, 'realPath');
    user.focus('/workspace/a.ts');
    feed.flush();
    await settle();
    expect(reads).not.toHaveBeenCalled();
    isFollowed = true;
    await shared.refresh();
    user.focus('/workspace/b.ts');
    feed.flush();
    await settle();
    expect(sentPaths()).toEqual([['/workspace/a.ts'], ['/workspace/b.ts', '/workspace/a.ts']]);
  });

  it('checks each file once per event, regardless of the number of agents', async () => {
    const { clock, files, user, feed, policy, shared } = setUp();
    const qwen: AgentIdentity = { id: 'qwen', ignoreFiles: [{ name: '.qwenignore' }] };
    const other = new SharedContext({
      feed,
      policy,
      agent: qwen,
      maxFiles: 10,
      encode: (context) => context,
      clock,
      logger: silentLogger,
    });
    for (const name of ['a.ts', 'b.ts']) user.focus(`/workspace/${name}`);
    const reads = [vi.spyOn(files, 'realPath'), vi.spyOn(files, 'isOnDisk'), vi.spyOn(files, 'readText')];
    feed.flush();
    await settle();
    for (const context of [shared, other]) expect(context.current.openFiles).toHaveLength(2);
    for (const spy of reads) expect(new Set(spy.mock.calls.flat()).size).toBe(spy.mock.calls.length);
    expect(reads[2]?.mock.calls.flat().sort()).toEqual([
      '/workspace/.geminiignore',
      '/workspace/.qwenignore',
    ]);
    other.dispose();
  });

  it('checks the active file at each event, and the others after half a second', async () => {
    const { clock, files, user, feed, sentPaths, shared } = setUp();
    const checked = vi.spyOn(files, 'isOnDisk');
    for (const name of ['b.ts', 'a.ts']) user.focus(`/workspace/${name}`);
    feed.flush();
    await settle();
    const moveTo = async (character: number) => {
      checked.mockClear();
      const start = { line: 0, character };
      user.select('/workspace/a.ts', { start, end: start });
      feed.flush();
      await settle();
      return checked.mock.calls.flat();
    };
    files.remove('/workspace/b.ts');
    expect(await moveTo(1)).toEqual(['/workspace/a.ts']);
    clock.advance(499);
    expect(await moveTo(2)).toEqual(['/workspace/a.ts']);
    expect(sentPaths().at(-1)).toEqual(['/workspace/a.ts', '/workspace/b.ts']);
    clock.advance(1);
    await settle();
    expect(sentPaths().at(-1)).toEqual(['/workspace/a.ts']);
    // A refresh checks all files again immediately.
    await moveTo(3);
    files.write('/workspace/.geminiignore', 'a.ts\n');
    await shared.refresh();
    expect(shared.current.openFiles).toEqual([]);
  });

  it('lists all open files that may be shared, regardless of maxFiles', async () => {
    const { files, user, feed, shared } = setUp({ maxFiles: 1 });
    const paths = Array.from({ length: 40 }, (_, at) => `/workspace/${at}.ts`);
    for (const path of paths) {
      files.write(path, '');
      user.focus(path);
    }
    user.focus('/workspace/.env');
    feed.flush();
    const all = await shared.all();
    expect(all.openFiles.map(({ path }) => path)).toEqual([...paths].reverse());
    expect(all.activePath).toBeUndefined();
  });

  it('lists no files that were being checked when sharing was paused', async () => {
    const gate = makeGate();
    const { user, feed, policy, shared } = setUp({
      isOnDisk: async () => {
        await gate.passed;
        return true;
      },
    });
    user.focus('/workspace/a.ts');
    feed.flush();
    const listing = shared.all();
    await settle();
    policy.pause();
    gate.open();
    expect((await listing).openFiles).toEqual([]);
  });

  it('fires no event when nothing changed', async () => {
    const { user, feed, sent } = setUp();
    const select = (character: number): void => {
      const start = { line: 0, character };
      user.select('/workspace/a.ts', { start, end: start });
    };
    user.focus('/workspace/a.ts');
    select(1);
    feed.flush();
    await settle();
    select(2);
    select(1);
    feed.flush();
    await settle();
    expect(sent).toHaveLength(1);
  });

  it('fires no event when only a file hidden from agents changed', async () => {
    const { user, feed, sent } = setUp();
    user.focus('/workspace/a.ts');
    user.focus('/workspace/.env');
    feed.flush();
    await settle();
    const before = sent.length;
    user.select('/workspace/.env', { start: { line: 0, character: 0 }, end: { line: 0, character: 2 } });
    feed.flush();
    await settle();
    expect(sent).toHaveLength(before);
  });

  it('clears the context immediately when sharing is paused, and restores it when sharing resumes', async () => {
    const { user, feed, policy, shared, sentPaths } = setUp();
    user.focus('/workspace/a.ts');
    feed.flush();
    await settle();
    policy.pause();
    expect(shared.current).toEqual({ openFiles: [], isTrusted: true });
    expect(sentPaths()).toEqual([['/workspace/a.ts'], []]);
    user.focus('/workspace/b.ts');
    feed.flush();
    await settle();
    expect(sentPaths()).toHaveLength(2);
    policy.resume();
    await settle();
    expect(sentPaths()).toEqual([['/workspace/a.ts'], [], ['/workspace/b.ts', '/workspace/a.ts']]);
  });

  it('reports no files that were being checked when sharing was paused', async () => {
    const gate = makeGate();
    const { user, feed, policy, shared, sent } = setUp({
      isOnDisk: async () => {
        await gate.passed;
        return true;
      },
    });
    user.focus('/workspace/a.ts');
    feed.flush();
    await settle();
    policy.pause();
    gate.open();
    await settle();
    expect(sent).toEqual([]);
    expect(shared.current.openFiles).toEqual([]);
  });

  it('withdraws files that a new deny list names immediately, and reports the rest again', async () => {
    const { user, feed, policy, shared, sentPaths } = setUp();
    user.focus('/workspace/a.ts');
    user.focus('/workspace/b.ts');
    feed.flush();
    await settle();
    policy.setDenyList(['b.ts']);
    expect(shared.current.openFiles).toEqual([]);
    await settle();
    expect(shared.current.openFiles.map(({ path }) => path)).toEqual(['/workspace/a.ts']);
    expect(sentPaths().at(-1)).toEqual(['/workspace/a.ts']);
  });

  it('reports its results while the editor changes faster than the disk answers', async () => {
    const gates = [makeGate(), makeGate(), makeGate()];
    let checked = 0;
    const { user, feed, sentPaths } = setUp({
      isOnDisk: async () => {
        await gates[checked++]?.passed;
        return true;
      },
    });
    user.focus('/workspace/a.ts');
    feed.flush();
    await settle();
    user.focus('/workspace/b.ts');
    feed.flush();
    gates[0]?.open();
    await settle();
    expect(sentPaths()).toEqual([['/workspace/a.ts']]);
    gates[1]?.open();
    gates[2]?.open();
    await settle();
    expect(sentPaths()).toEqual([['/workspace/a.ts'], ['/workspace/b.ts', '/workspace/a.ts']]);
  });

  it('loses no refresh that starts while another one ends, at any moment', async () => {
    for (let steps = 0; steps < 12; steps++) {
      const { files, user, feed, shared } = setUp();
      user.focus('/workspace/a.ts');
      feed.flush();
      await settle();
      void shared.refresh();
      for (let step = 0; step < steps; step++) await Promise.resolve();
      files.write('/workspace/.geminiignore', 'a.ts\n');
      await shared.refresh();
      expect(shared.current.openFiles, `after ${steps} steps`).toEqual([]);
    }
  });

  it('removes a deleted file after a refresh, without an event in the editor', async () => {
    const { files, user, feed, shared, sentPaths } = setUp();
    user.focus('/workspace/a.ts');
    feed.flush();
    await settle();
    files.remove('/workspace/a.ts');
    await shared.refresh();
    expect(sentPaths()).toEqual([['/workspace/a.ts'], []]);
  });

  it('hides files that cannot be checked, and reports the rest', async () => {
    const { files, user, feed, sentPaths } = setUp();
    files.link('/workspace/circle', '/workspace/circle');
    user.focus('/workspace/circle', '');
    user.focus('/workspace/a.ts');
    feed.flush();
    await settle();
    expect(sentPaths()).toEqual([['/workspace/a.ts']]);
  });

  it('reports nothing and does not change after dispose, even during a check', async () => {
    const { user, feed, policy, shared, sent } = setUp();
    user.focus('/workspace/a.ts');
    feed.flush();
    shared.dispose();
    shared.dispose();
    policy.setDenyList([]);
    await shared.refresh();
    await settle();
    expect(sent).toEqual([]);
    expect(shared.current.openFiles).toEqual([]);
  });
});
