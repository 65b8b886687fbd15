import { existsSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { onSmallDisk } from '../../../packages/companion/test/support/writerProcess.js';
import { connectProposer, type Proposer } from './support/proposer.js';
import { Scratch, type TandemProcess } from './support/tandemProcess.js';

const preloads = ['quickTime', 'faultyDisk'].flatMap((name) => [
  '--import',
  fileURLToPath(new URL(`./support/${name}.mjs`, import.meta.url)),
]);
const original = 'one\ntwo\nthree\n';
const proposed = 'ONE\ntwo\nthree\n';
const typed = 'ONE\ntwo\nTHREE\n';
const typedLater = 'ONE\nTWO\nTHREE\n';

let scratch: Scratch;
const proposers: Proposer[] = [];
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(async () => {
  for (const proposer of proposers.splice(0)) proposer.end();
  await scratch.dispose();
});

/** A companion whose disk `disk` makes full and free again. Its retries are six times as fast as normal. */
function start(env: Readonly<Record<string, string>> = {}): TandemProcess {
  const [program, ...args] = scratch.commandLine(['serve', '--json']);
  return scratch.startProgram(program, [...preloads, ...args], { env: { FAULTS: faults(), ...env } });
}

function faults(): string {
  return join(scratch.root, 'faults.json');
}

/** From now on this companion can write nothing, or everything again. */
function disk(state: 'full' | 'free'): void {
  writeFileSync(faults(), JSON.stringify({ full: state === 'full' }));
}

async function propose(
  companion: TandemProcess,
  agent: 'gemini' | 'claude',
  path: string,
): Promise<Proposer> {
  const proposer = await connectProposer(companion, agent, path, proposed);
  proposers.push(proposer);
  proposer.propose();
  await companion.event('review.opened', (event) => event.path === path);
  return proposer;
}

async function type(text: string): Promise<void> {
  const { code } = await scratch.command(['review', 'edit'], { env: { EDITOR: `printf '${text}' >` } });
  expect(code).toBe(0);
}

function journal(): string {
  const folder = join(scratch.state, 'tandem/journal');
  if (!existsSync(folder)) return '';
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

test('writes the whole journal soon after a full disk is free again', async () => {
  const path = scratch.write('a.txt', original);
  const first = start();
  const proposer = await propose(first, 'gemini', path);
  expect(await proposer.acknowledged).toBe(true);
  await type(typed);
  await expect.poll(journal, { timeout: 5_000 }).toContain(JSON.stringify(typed));
  disk('full');
  await type(typedLater);
  await first.complained('the journal could not be written');
  // What it wrote before is unchanged.
  expect(journal()).toContain(JSON.stringify(typed));
  disk('free');
  await expect.poll(journal, { timeout: 10_000 }).toContain(JSON.stringify(typedLater));
  expect(first.stderr.match(/could not be written/g)).toHaveLength(1);
  await first.signal('SIGKILL');
  await scratch.serve();
  expect((await scratch.command(['review', 'show', '--content'])).stdout).toBe(typedLater);
});

test.each(['gemini', 'claude'] as const)('%s is answered once while the disk is full', async (agent) => {
  const path = scratch.write('a.txt', original);
  const companion = start();
  await companion.event('ready');
  disk('full');
  const proposer = await propose(companion, agent, path);
  await type(typed);
  expect((await scratch.command(['review', 'accept'])).code).toBe(0);
  await proposer.answered();
  disk('free');
  await expect.poll(journal, { timeout: 10_000 }).toContain(JSON.stringify(typed));
  await proposer.settle();
  expect(proposer.answers).toEqual([typed]);
});

test('restores discovery files that were deleted while the disk was full', async () => {
  const companion = start({ TANDEM_DEBUG: '1' });
  await companion.event('ready');
  const files = scratch.discoveryFiles().sort();
  disk('full');
  for (const file of files) rmSync(file);
  await companion.complained('a discovery file could not be written');
  // An unfinished write is undone.
  expect(scratch.discoveryFiles().filter((file) => files.includes(file))).toEqual([]);
  disk('free');
  await expect.poll(() => scratch.discoveryFiles().sort(), { timeout: 10_000 }).toEqual(files);
});

test('a companion that starts on a full disk reports why no agent could find it, and leaves nothing', async () => {
  disk('full');
  const companion = start();
  const { code, stderr } = await companion.ended;
  expect(code).toBe(1);
  expect(stderr).toContain('commands would not find it.');
  expect(stderr).toContain('ENOSPC: no space left on device');
  expect(scratch.discoveryFiles()).toEqual([]);
});

test('a review applied to a file on a full disk is refused with the reason, kept, and written later', async () => {
  const path = scratch.write('a.txt', original);
  const first = await scratch.serve();
  await propose(first, 'claude', path);
  await type(typed);
  await expect.poll(journal, { timeout: 5_000 }).toContain(JSON.stringify(typed));
  await first.signal('SIGKILL');
  const second = start();
  await second.event('ready');
  disk('full');
  const refused = await scratch.command(['review', 'apply', '1']);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining(`${path} cannot be written: ENOSPC`),
  ]);
  expect(readFileSync(path, 'utf8')).toBe(original);
  expect(readdirSync(scratch.workspace)).toEqual(['a.txt']);
  expect((await scratch.command(['review', 'show', '1', '--content'])).stdout).toBe(typed);
  disk('free');
  expect((await scratch.command(['review', 'apply', '1'])).code).toBe(0);
  expect(readFileSync(path, 'utf8')).toBe(typed);
});

test('on a nearly full disk, apply and restore leave the file and the review, and work when there is room', async () => {
  // A real disk of one megabyte, which only the companion sees.
  const [program = '', ...args] = onSmallDisk(
    scratch.workspace,
    scratch.commandLine(['serve', '--json', scratch.workspace]),
  );
  const companion = scratch.startProgram(program, args, { env: {} });
  await companion.event('ready');
  const seen = (name: string): string =>
    join('/proc', String(companion.pid), 'root', scratch.workspace, name);
  const large = 'line of the user\n'.repeat(20_000);
  const fill = (): void => {
    const { bavail, bsize } = statfsSync(seen('.'));
    writeFileSync(seen('fill'), Buffer.alloc(bavail * bsize - 150_000));
  };
  const path = join(scratch.workspace, 'a.txt');
  writeFileSync(seen('a.txt'), original);
  const proposer = await propose(companion, 'gemini', path);
  await scratch.call('review.edit', { id: '1', content: large });
  proposer.end();
  const interrupted = async () =>
    (await scratch.call('review.list', { all: true })).find(({ state }) => state === 'interrupted');
  await expect.poll(interrupted, { timeout: 40_000 }).toBeDefined();
  const id = (await interrupted())?.id ?? '';
  fill();
  const refused = await scratch.command(['review', 'apply', id]);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(
      /cannot be written: ENOSPC.* The file is as before\. Free some space, then try again\./,
    ),
  ]);
  expect([readFileSync(seen('a.txt'), 'utf8'), readdirSync(seen('.')).sort()]).toEqual([
    original,
    ['a.txt', 'fill'],
  ]);
  expect((await scratch.command(['review', 'show', id, '--content'])).stdout).toBe(large);
  rmSync(seen('fill'));
  expect((await scratch.command(['review', 'apply', id])).code).toBe(0);
  expect(readFileSync(seen('a.txt'), 'utf8')).toBe(large);

  // The other way: a small text replaced the large one.
  const next = await connectProposer(companion, 'gemini', path, typedLater);
  proposers.push(next);
  next.propose();
  await companion.event('review.opened', (event) => event.id !== '1');
  const pending = (await scratch.call('review.list', {})).find(({ state }) => state === 'pending');
  await scratch.call('review.accept', { id: pending?.id ?? '' });
  await next.answered();
  writeFileSync(seen('a.txt'), typedLater);
  fill();
  const restored = await scratch.command(['restore', pending?.id ?? '']);
  expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining('cannot be written: ENOSPC')]);
  expect(readFileSync(seen('a.txt'), 'utf8')).toBe(typedLater);
  rmSync(seen('fill'));
  expect((await scratch.command(['restore', pending?.id ?? ''])).code).toBe(0);
  expect(readFileSync(seen('a.txt'), 'utf8')).toBe(large);
});
