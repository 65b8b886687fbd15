import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RpcError } from '@tandem/rpc';
import { beforeAll, expect, test } from 'vitest';
import { buildWorker } from '../../changes/test/support/builtWorker.js';
import { stateFolder } from '../src/control/thisMachine.js';
import {
  type CompanionStage,
  filesBelow,
  makeMachine,
  makeWorkspace,
  useStages,
} from './support/companionStage.js';
import { HookedAgent } from './support/hookedAgent.js';
import { useSuccessiveCompanions } from './support/successiveCompanions.js';

const createSite = useSuccessiveCompanions();
const start = useStages();
let workerFile: string;
beforeAll(async () => {
  workerFile = await buildWorker();
});

const entriesOf = async ({ companion }: CompanionStage) =>
  (await companion.changes.list()).flatMap(({ path, entries }) =>
    entries.map(({ decided: { id, unkept } }) => ({ id, path, unkept })),
  );

/** The files in which a text is, also within what is deflated: no test stores texts long enough for that. */
function filesWith(folder: string, text: string): readonly string[] {
  return filesBelow(folder).filter((path) => readFileSync(path).includes(text));
}

test('of a file that is hidden from agents no content is kept anywhere, and its change is listed without undo', async () => {
  const { folder, begin, journal } = createSite(
    { '.env': 'TOKEN=before-secret\n', 'a.txt': 'one\n' },
    { changes: { workerFile } },
  );
  const stage = await begin();
  const agent = new HookedAgent(stage);
  await agent.prompt('first');
  await agent.run('./setup', () => {
    writeFileSync(join(folder, '.env'), 'TOKEN=after-secret\n');
    writeFileSync(join(folder, 'a.txt'), 'two\n');
  });
  const env = { id: 'w1', path: join(folder, '.env'), unkept: { why: 'hidden' } };
  expect(await entriesOf(stage)).toEqual([env, { id: 'w2', path: join(folder, 'a.txt'), unkept: undefined }]);
  const client = (await stage.found()).client;
  const [listed] = await client.call('changes.list', {});
  expect(listed).toMatchObject({
    before: { kind: 'text', text: '' },
    now: { kind: 'text', text: '' },
    entries: [{ label: 'edit w1: changed; hidden from agents, so no copy is kept', isUnkept: true }],
  });
  const { changes } = stage.companion;
  await expect(changes.restore({ ids: ['w1'] })).rejects.toThrow(RpcError);
  const [{ session = '' } = {}] = stage.companion.history.entries;
  expect(await changes.restore({ session })).toMatchObject([{ kind: 'refused' }, { kind: 'restored' }]);
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
  expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('TOKEN=after-secret\n');
  await stage.companion.stop();
  for (const place of [stage.machine.home, stage.machine.tmpdir, journal]) {
    expect(filesWith(place, '-secret')).toEqual([]);
  }
  // What is kept would be found.
  expect(filesWith(journal, 'a.txt')).not.toEqual([]);
  const next = await begin();
  expect(await entriesOf(next)).toContainEqual(env);
});

test('copies of files that become hidden are removed', async () => {
  const { folder, begin } = createSite({ 'keys.txt': 'old-secret' }, { changes: { workerFile } });
  const stage = await begin();
  const agent = new HookedAgent(stage);
  const state = stateFolder(stage.machine);
  await agent.prompt('first');
  await agent.run('true', () => {});
  expect(filesWith(state, 'old-secret')).toHaveLength(1);
  stage.companion.policy.setDenyList(['keys.txt']);
  await agent.run('true', () => {});
  expect(filesWith(state, 'old-secret')).toEqual([]);
  await agent.run('./rotate', () => writeFileSync(join(folder, 'keys.txt'), 'new-secret'));
  expect(filesWith(state, 'secret')).toEqual([]);
  expect(await entriesOf(stage)).toMatchObject([{ unkept: { why: 'hidden' } }]);
});

test('copies that an earlier companion made are removed at once when their files become hidden', async () => {
  const { begin } = createSite({ 'keys.txt': 'old-secret' }, { changes: { workerFile } });
  const first = await begin();
  await new HookedAgent(first).run('true', () => {});
  await first.companion.stop();
  const next = await begin();
  const state = stateFolder(next.machine);
  expect(filesWith(state, 'old-secret')).toHaveLength(1);
  next.companion.policy.setDenyList(['keys.txt']);
  await expect.poll(() => filesWith(state, 'old-secret')).toEqual([]);
});

test('a large file, a link, and what exceeds the limit of one command are listed', {
  timeout: 30_000,
}, async () => {
  const { folder, begin } = createSite({ 'a.txt': 'one\n' }, { changes: { workerFile } });
  const stage = await begin();
  const agent = new HookedAgent(stage);
  await agent.prompt('first');
  await agent.run('./build', () => {
    writeFileSync(join(folder, 'large'), Buffer.alloc(4 * 1024 * 1024 + 1));
    symlinkSync('a.txt', join(folder, 'link'));
  });
  expect((await entriesOf(stage)).map(({ unkept }) => unkept?.why).sort()).toEqual(['link', 'too-large']);
  await agent.run('git checkout', () => {
    for (let at = 0; at < 620; at += 1) writeFileSync(join(folder, `f${at}`), `${at}`);
  });
  // On a busy machine, the command goes on before all of it is recorded.
  await expect
    .poll(() => entriesOf(stage), { timeout: 20_000 })
    .toContainEqual({
      id: expect.any(String),
      path: folder,
      unkept: { why: 'more', files: 120 },
    });
  expect(stage.companion.history.entries.filter(({ decided }) => decided.unkept === undefined)).toHaveLength(
    500,
  );
});

test('the second companion of a folder says who looks at it, and takes over when the first has ended', async () => {
  const machine = makeMachine();
  const folders = [makeWorkspace({ 'a.txt': 'one\n' })];
  const [folder = ''] = folders;
  const options = { folders, machine, changes: { workerFile } };
  const first = await start(options);
  const one = new HookedAgent(first);
  await one.run('true', () => {});
  const second = await start(options);
  const other = new HookedAgent(second, 'other');
  await other.run('echo', () => writeFileSync(join(folder, 'a.txt'), 'two\n'));
  expect(await second.companion.work.recording()).toMatchObject([
    {
      isWhole: false,
      note: `only files that hooks name: another Tandem (process ${process.pid}) looks at this folder`,
    },
  ]);
  expect(second.companion.history.entries).toEqual([]);
  await first.companion.stop();
  await other.run('echo', () => writeFileSync(join(folder, 'b.txt'), 'three\n'));
  expect(await second.companion.work.recording()).toMatchObject([{ isWhole: true, files: 2 }]);
  // Nobody saw whose the earlier change was.
  expect(await entriesOf(second)).toMatchObject([{ path: join(folder, 'b.txt') }]);
});

test('to delete the history deletes the copies, also those of other folders that nobody uses', async () => {
  const machine = makeMachine();
  const begin = (): Promise<CompanionStage> =>
    start({ folders: [makeWorkspace({ 'a.txt': 'kept-text\n' })], machine, changes: { workerFile } });
  const [left, used, own] = [await begin(), await begin(), await begin()];
  for (const stage of [left, used, own]) await new HookedAgent(stage).run('true', () => {});
  const copies = join(stateFolder(machine), 'changes');
  expect(filesWith(copies, 'kept-text')).toHaveLength(3);
  await left.companion.stop();
  const agent = new HookedAgent(own);
  await own.companion.forgetDecided();
  expect(filesWith(copies, 'kept-text')).toHaveLength(1);
  expect(await own.companion.work.recording()).toMatchObject([{ isWhole: true, copies: { bytes: 0 } }]);
  // It goes on with new copies.
  await agent.run('true', () => {});
  expect(filesWith(copies, 'kept-text')).toHaveLength(2);
});

test('a worker that cannot start, or a store that cannot be written, lets commands go on and says why', async () => {
  const { folder, begin } = createSite({ 'a.txt': 'one\n' });
  const crashing = await begin({ changes: { workerFile: join(folder, 'missing.mjs') } });
  const run = async (stage: CompanionStage): Promise<string> => {
    await new HookedAgent(stage).run('echo', () =>
      writeFileSync(join(folder, 'a.txt'), `${stage.machine.home}\n`),
    );
    return (await stage.companion.work.recording())[0]?.note ?? '';
  };
  expect(await run(crashing)).toBe('only files that hooks name: looking at it failed twice');
  await crashing.companion.stop();
  const machine = makeMachine();
  const state = stateFolder(machine);
  const blocked = await begin({ machine, changes: { workerFile } });
  rmSync(join(state, 'changes'), { recursive: true, force: true });
  writeFileSync(join(state, 'changes'), 'not a folder');
  expect(await run(blocked)).toMatch(/^all files .*; file contents cannot be kept: /);
  expect(await entriesOf(blocked)).toMatchObject([{ unkept: { why: 'no-room' } }]);
});

/** The worker, which waits before each call as long as a file exists, and ends once if another does. */
function hinderedWorker(): { readonly file: string; readonly slow: string; readonly crash: string } {
  const folder = makeWorkspace();
  const [file, slow, crash] = [join(folder, 'worker.mjs'), join(folder, 'slow'), join(folder, 'crash')];
  writeFileSync(
    file,
    `import { existsSync, rmSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
const on = parentPort.on.bind(parentPort);
const cell = new Int32Array(new SharedArrayBuffer(4));
parentPort.on = (event, handler) => on(event, (message) => {
  while (existsSync(${JSON.stringify(slow)})) Atomics.wait(cell, 0, 0, 20);
  if (existsSync(${JSON.stringify(crash)})) {
    rmSync(${JSON.stringify(crash)});
    process.exit(1);
  }
  handler(message);
});
await import(${JSON.stringify(pathToFileURL(workerFile).href)});
`,
  );
  return { file, slow, crash };
}

test('a slow look holds a command up for two seconds at most, and its changes are recorded when it ends', async () => {
  const { file, slow } = hinderedWorker();
  const { folder, begin } = createSite({ 'a.txt': 'one\n' }, { changes: { workerFile: file } });
  const stage = await begin();
  const agent = new HookedAgent(stage);
  await agent.prompt('first');
  await agent.run('true', () => {});
  let endedAt = 0;
  await agent.run('./slow', () => {
    writeFileSync(join(folder, 'a.txt'), 'two\n');
    writeFileSync(slow, '');
    endedAt = performance.now();
  });
  expect(performance.now() - endedAt).toBeLessThan(3_000);
  expect(stage.companion.history.entries).toEqual([]);
  rmSync(slow);
  await expect.poll(() => entriesOf(stage)).toHaveLength(1);
  expect(stage.companion.history.entries).toMatchObject([
    { decided: { evidence: { kind: 'command', commands: ['./slow'] } } },
  ]);
  // A command that began before the files were known: what it wrote is not called its own.
  writeFileSync(slow, '');
  let beganAt = performance.now();
  await agent.run('./early', () => {
    expect(performance.now() - beganAt).toBeLessThan(3_000);
    writeFileSync(join(folder, 'a.txt'), 'three\n');
    rmSync(slow);
  });
  await expect.poll(() => entriesOf(stage)).toHaveLength(2);
  expect(stage.companion.history.entries.at(-1)?.decided.evidence?.kind).toBe('turn');
  beganAt = performance.now();
  await agent.run('true', () => {});
  expect(performance.now() - beganAt).toBeLessThan(2_000);
});

test('a worker that ends by itself is started again, and loses no change', async () => {
  const { file, crash } = hinderedWorker();
  const { folder, begin } = createSite({ 'a.txt': 'one\n' }, { changes: { workerFile: file } });
  const stage = await begin();
  const agent = new HookedAgent(stage);
  await agent.prompt('first');
  await agent.run('./first', () => writeFileSync(join(folder, 'a.txt'), 'two\n'));
  await agent.run('./second', () => {
    writeFileSync(join(folder, 'a.txt'), 'three\n');
    writeFileSync(crash, '');
  });
  expect(existsSync(crash)).toBe(false);
  // Whether the last one is still called the command's depends on what the worker had saved.
  const texts = (): readonly string[] => stage.companion.history.entries.map(({ content }) => content);
  await expect.poll(texts).toEqual(['two\n', 'three\n']);
  expect(await stage.companion.work.recording()).toMatchObject([{ isWhole: true }]);
});

test('a change of permissions alone is listed', async () => {
  const { folder, begin } = createSite({ 'a.sh': 'one\n' }, { changes: { workerFile } });
  const stage = await begin();
  const agent = new HookedAgent(stage);
  await agent.run('chmod +x a.sh', () => chmodSync(join(folder, 'a.sh'), 0o755));
  expect(await entriesOf(stage)).toMatchObject([{ unkept: { why: 'mode' } }]);
});
