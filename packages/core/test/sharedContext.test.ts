import {
  type AgentIdentity,
  ContextFeed,
  type EditorContext,
  SharedContext,
  SharingPolicy,
  silentLogger,
} from '@tandem/core';
import { FakeClock, FakeEditor, FakeFiles } from '@tandem/core/testing';
import { describe, expect, it, vi } from 'vitest';
import { settle } from './settle.js';

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
    isFollowed,
    clock,
    logger: silentLogger,
  });
  const told: EditorContext[] = [];
  shared.onDidChange((context) => told.push(context));
  const pathsTold = () => told.map(({ openFiles }) => openFiles.map(({ path }) => path));
  return { clock, files, editor, person: editor.person, feed, policy, shared, told, pathsTold };
}

describe('the shared context', () => {
  it('tells what the feed tells', async () => {
    const { person, feed, shared, told } = setUp();
    person.focus('/workspace/a.ts');
    person.select('/workspace/a.ts', { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } });
    feed.flush();
    await settle();
    expect(told).toEqual([feed.current]);
    expect(shared.current).toBe(told[0]);
  });

  it('leaves out what the policy holds back, and then nothing is active and nothing quoted', async () => {
    const { files, person, feed, told } = setUp();
    files.write('/workspace/.geminiignore', 'secret/\n');
    person.focus('/workspace/a.ts');
    person.focus('/workspace/secret/x.ts');
    person.focus('/workspace/.env');
    person.select('/workspace/.env', { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } });
    feed.flush();
    await settle();
    expect(told).toHaveLength(1);
    expect(told[0]?.openFiles.map(({ path }) => path)).toEqual(['/workspace/a.ts']);
    expect(told[0]?.activePath).toBeUndefined();
    expect(JSON.stringify(told)).not.toContain('.env');
  });

  it('leaves out files that are not on disk, the active one included', async () => {
    const { files, person, feed, told } = setUp();
    person.focus('/workspace/a.ts');
    person.focus('/workspace/b.ts');
    person.focus('/workspace/untitled', 'never saved');
    files.remove('/workspace/b.ts');
    feed.flush();
    await settle();
    expect(told.map(({ openFiles, activePath }) => [openFiles.map(({ path }) => path), activePath])).toEqual([
      [['/workspace/a.ts'], undefined],
    ]);
  });

  it('reports at most as many files as its agent takes, those last in focus, not counting those held back', async () => {
    const { files, person, feed, told } = setUp();
    for (let number = 0; number < 14; number++) {
      files.write(`/workspace/${number}.ts`, '');
      person.focus(`/workspace/${number}.ts`);
      if (number > 10) person.focus(`/workspace/unsaved ${number}`, '');
    }
    feed.flush();
    await settle();
    expect(told[0]?.openFiles.map(({ path }) => path)).toEqual(
      Array.from({ length: 10 }, (_, at) => `/workspace/${13 - at}.ts`),
    );
  });

  it('judges no file that cannot be among those that its agent takes', async () => {
    const asked: string[] = [];
    const { person, feed, pathsTold } = setUp({
      maxFiles: 1,
      isOnDisk: async (path) => {
        asked.push(path);
        return true;
      },
    });
    for (const name of ['a.ts', 'b.ts', 'c.ts']) person.focus(`/workspace/${name}`);
    feed.flush();
    await settle();
    expect(pathsTold()).toEqual([['/workspace/c.ts']]);
    expect(asked).toEqual(['/workspace/c.ts']);
  });

  it('asks nothing of files while nobody follows it, and is up to date when it is refreshed', async () => {
    let isFollowed = false;
    const { files, person, feed, shared, pathsTold } = setUp({ isFollowed: () => isFollowed });
    const looked = vi.spyOn(files, 'realPath');
    person.focus('/workspace/a.ts');
    feed.flush();
    await settle();
    expect(looked).not.toHaveBeenCalled();
    isFollowed = true;
    await shared.refresh();
    person.focus('/workspace/b.ts');
    feed.flush();
    await settle();
    expect(pathsTold()).toEqual([['/workspace/a.ts'], ['/workspace/b.ts', '/workspace/a.ts']]);
  });

  it('looks each file up once for each event, however many agents see it', async () => {
    const { clock, files, person, feed, policy, shared } = setUp();
    const qwen: AgentIdentity = { id: 'qwen', ignoreFiles: [{ name: '.qwenignore' }] };
    const other = new SharedContext({ feed, policy, agent: qwen, maxFiles: 10, clock, logger: silentLogger });
    for (const name of ['a.ts', 'b.ts']) person.focus(`/workspace/${name}`);
    const looked = [vi.spyOn(files, 'realPath'), vi.spyOn(files, 'isOnDisk'), vi.spyOn(files, 'readText')];
    feed.flush();
    await settle();
    for (const context of [shared, other]) expect(context.current.openFiles).toHaveLength(2);
    for (const spy of looked) expect(new Set(spy.mock.calls.flat()).size).toBe(spy.mock.calls.length);
    expect(looked[2]?.mock.calls.flat().sort()).toEqual([
      '/workspace/.geminiignore',
      '/workspace/.qwenignore',
    ]);
    other.dispose();
  });

  it('looks again at the active file at each event, and at the others after half a second', async () => {
    const { clock, files, person, feed, pathsTold, shared } = setUp();
    const asked = vi.spyOn(files, 'isOnDisk');
    for (const name of ['b.ts', 'a.ts']) person.focus(`/workspace/${name}`);
    feed.flush();
    await settle();
    const moveTo = async (character: number) => {
      asked.mockClear();
      const start = { line: 0, character };
      person.select('/workspace/a.ts', { start, end: start });
      feed.flush();
      await settle();
      return asked.mock.calls.flat();
    };
    files.remove('/workspace/b.ts');
    expect(await moveTo(1)).toEqual(['/workspace/a.ts']);
    clock.advance(499);
    expect(await moveTo(2)).toEqual(['/workspace/a.ts']);
    expect(pathsTold().at(-1)).toEqual(['/workspace/a.ts', '/workspace/b.ts']);
    clock.advance(1);
    await settle();
    expect(pathsTold().at(-1)).toEqual(['/workspace/a.ts']);
    // Whoever asks for a refresh gets a new look at once.
    await moveTo(3);
    files.write('/workspace/.geminiignore', 'a.ts\n');
    await shared.refresh();
    expect(shared.current.openFiles).toEqual([]);
  });

  it('lists all open files that may be shared, however few its agent takes by itself', async () => {
    const { files, person, feed, shared } = setUp({ maxFiles: 1 });
    const paths = Array.from({ length: 40 }, (_, at) => `/workspace/${at}.ts`);
    for (const path of paths) {
      files.write(path, '');
      person.focus(path);
    }
    person.focus('/workspace/.env');
    feed.flush();
    const all = await shared.all();
    expect(all.openFiles.map(({ path }) => path)).toEqual([...paths].reverse());
    expect(all.activePath).toBeUndefined();
  });

  it('lists nothing that was being judged when sharing was paused', async () => {
    const gate = makeGate();
    const { person, feed, policy, shared } = setUp({
      isOnDisk: async () => {
        await gate.passed;
        return true;
      },
    });
    person.focus('/workspace/a.ts');
    feed.flush();
    const listing = shared.all();
    await settle();
    policy.pause();
    gate.open();
    expect((await listing).openFiles).toEqual([]);
  });

  it('tells nothing when only something held back changed', async () => {
    const { person, feed, told } = setUp();
    person.focus('/workspace/a.ts');
    person.focus('/workspace/.env');
    feed.flush();
    await settle();
    const before = told.length;
    person.select('/workspace/.env', { start: { line: 0, character: 0 }, end: { line: 0, character: 2 } });
    feed.flush();
    await settle();
    expect(told).toHaveLength(before);
  });

  it('clears what agents hold in the moment sharing is paused, and gives it back when it is resumed', async () => {
    const { person, feed, policy, shared, pathsTold } = setUp();
    person.focus('/workspace/a.ts');
    feed.flush();
    await settle();
    policy.pause();
    expect(shared.current).toEqual({ openFiles: [], isTrusted: true });
    expect(pathsTold()).toEqual([['/workspace/a.ts'], []]);
    person.focus('/workspace/b.ts');
    feed.flush();
    await settle();
    expect(pathsTold()).toHaveLength(2);
    policy.resume();
    await settle();
    expect(pathsTold()).toEqual([['/workspace/a.ts'], [], ['/workspace/b.ts', '/workspace/a.ts']]);
  });

  it('tells nothing that was being judged when sharing was paused', async () => {
    const gate = makeGate();
    const { person, feed, policy, shared, told } = setUp({
      isOnDisk: async () => {
        await gate.passed;
        return true;
      },
    });
    person.focus('/workspace/a.ts');
    feed.flush();
    await settle();
    policy.pause();
    gate.open();
    await settle();
    expect(told).toEqual([]);
    expect(shared.current.openFiles).toEqual([]);
  });

  it('takes back at once what a new deny list names, and tells the rest again', async () => {
    const { person, feed, policy, shared, pathsTold } = setUp();
    person.focus('/workspace/a.ts');
    person.focus('/workspace/b.ts');
    feed.flush();
    await settle();
    policy.setDenyList(['b.ts']);
    expect(shared.current.openFiles).toEqual([]);
    await settle();
    expect(shared.current.openFiles.map(({ path }) => path)).toEqual(['/workspace/a.ts']);
    expect(pathsTold().at(-1)).toEqual(['/workspace/a.ts']);
  });

  it('tells what it has while the editor goes on changing faster than the disk answers', async () => {
    const gates = [makeGate(), makeGate(), makeGate()];
    let asked = 0;
    const { person, feed, pathsTold } = setUp({
      isOnDisk: async () => {
        await gates[asked++]?.passed;
        return true;
      },
    });
    person.focus('/workspace/a.ts');
    feed.flush();
    await settle();
    person.focus('/workspace/b.ts');
    feed.flush();
    gates[0]?.open();
    await settle();
    expect(pathsTold()).toEqual([['/workspace/a.ts']]);
    gates[1]?.open();
    gates[2]?.open();
    await settle();
    expect(pathsTold()).toEqual([['/workspace/a.ts'], ['/workspace/b.ts', '/workspace/a.ts']]);
  });

  it('loses no refresh that is asked for in whichever moment another one ends', async () => {
    for (let steps = 0; steps < 12; steps++) {
      const { files, person, feed, shared } = setUp();
      person.focus('/workspace/a.ts');
      feed.flush();
      await settle();
      void shared.refresh();
      for (let step = 0; step < steps; step++) await Promise.resolve();
      files.write('/workspace/.geminiignore', 'a.ts\n');
      await shared.refresh();
      expect(shared.current.openFiles, `after ${steps} steps`).toEqual([]);
    }
  });

  it('knows of a vanished file after a refresh, with no event in the editor', async () => {
    const { files, person, feed, shared, pathsTold } = setUp();
    person.focus('/workspace/a.ts');
    feed.flush();
    await settle();
    files.remove('/workspace/a.ts');
    await shared.refresh();
    expect(pathsTold()).toEqual([['/workspace/a.ts'], []]);
  });

  it('holds back what cannot be judged, and tells the rest', async () => {
    const { files, person, feed, pathsTold } = setUp();
    files.link('/workspace/circle', '/workspace/circle');
    person.focus('/workspace/circle', '');
    person.focus('/workspace/a.ts');
    feed.flush();
    await settle();
    expect(pathsTold()).toEqual([['/workspace/a.ts']]);
  });

  it('tells nothing and learns nothing after dispose, also when it was judging', async () => {
    const { person, feed, policy, shared, told } = setUp();
    person.focus('/workspace/a.ts');
    feed.flush();
    shared.dispose();
    shared.dispose();
    policy.setDenyList([]);
    await shared.refresh();
    await settle();
    expect(told).toEqual([]);
    expect(shared.current.openFiles).toEqual([]);
  });
});
