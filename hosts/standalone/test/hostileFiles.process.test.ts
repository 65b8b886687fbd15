import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PageMethod, type PageParams, pageContract } from '@tandem/page/wire';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ScriptedAgent } from './support/scriptedAgent.js';
import { Scratch, type TandemProcess } from './support/tandemProcess.js';

/** The limit of a failing run, so that it cannot exhaust the machine. */
const memoryLimitKib = 1_500_000;
const mib = 1024 * 1024;
/** A ping must be answered within one second, and SIGTERM must end the process within two. */
const [pingLimitMs, endLimitMs] = [1_000, 2_000];

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => scratch.dispose());

/** Starts `tandem` with limited memory. */
function startBounded(args: readonly string[]): TandemProcess {
  const script = `ulimit -d ${memoryLimitKib} && exec "$@"`;
  return scratch.startProgram('/bin/sh', ['-c', script, 'sh', ...scratch.commandLine(args)]);
}

/** A size in KiB from /proc: `VmRSS` is the current one, `VmHWM` the maximum. */
function memoryOf({ child }: TandemProcess, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
}

/** Links of a repository to endless files. */
function linkSettings(): void {
  for (const [folder, target] of [
    ['.gemini', '/dev/zero'],
    ['.qwen', '/proc/self/pagemap'],
    ['.claude', '/proc/self/pagemap'],
  ] as const) {
    mkdirSync(join(scratch.workspace, folder));
    symlinkSync(target, join(scratch.workspace, folder, 'settings.json'));
  }
}

const settings = (folder: string): string => join(scratch.workspace, folder, 'settings.json');
const isDevice = 'it is a device and not a regular file';
const isEndless = 'it contains more bytes than its reported size';

describe('endless files of a repository', () => {
  test('cost the companion no memory, delay no agent, and are reported with the reason', async () => {
    linkSettings();
    const { workspace } = scratch;
    for (const [name, target] of [
      ['.gitignore', '/proc/self/pagemap'],
      ['.geminiignore', '/dev/zero'],
      ['.qwenignore', '/proc/self/pagemap'],
      ['zero.txt', '/dev/zero'],
      ['pagemap.txt', '/proc/self/pagemap'],
    ] as const) {
      symlinkSync(target, join(workspace, name));
    }
    const shared = scratch.write('shared.txt', 'one\n');
    const companion = startBounded(['serve', '--json', '--gitignore']);
    const ready = await companion.event('ready');
    const page = pageOf(ready.page.url);
    const [agent, other] = await connectTwo(ready);
    await page('files.all', {});
    const before = memoryOf(companion, 'VmRSS');
    const pings = pingUntilStopped(other);

    const propose = (name: string): Promise<void> => agent.propose(join(workspace, name), 'two\n');
    await expect(propose('zero.txt')).rejects.toThrow(`zero.txt is not read: ${isDevice}`);
    await expect(propose('pagemap.txt')).rejects.toThrow(`pagemap.txt is not read: ${isEndless}`);
    await page('document.open', { path: shared });
    expect(await page('document.open', { path: join(workspace, 'zero.txt') })).toContain('lies outside');
    const held = await page('files.list', { folder: workspace });
    expect(held).toContain(`${settings('.claude')} is not read: ${isEndless}`);
    const findings = await page('diagnose', {});
    expect(findings).toContain(`${settings('.gemini')} is not read: ${isDevice}`);
    expect(findings).toContain(`${settings('.qwen')} is not read: ${isEndless}`);
    expect(findings).toContain(`${settings('.claude')} is not read: ${isEndless}`);

    const { times, longestMs } = await pings.stop();
    expect(times).toBeGreaterThan(0);
    expect(longestMs).toBeLessThan(pingLimitMs);
    expect((memoryOf(companion, 'VmHWM') - before) / mib).toBeLessThan(100);
    expect(companion.stderr).toContain(`.gitignore is not read: ${isEndless}`);
    expect(companion.stderr).toContain(`.geminiignore is not read: ${isDevice}`);

    const asked = page('diagnose', {}).catch(() => undefined);
    expect(await endOf(companion)).toBeLessThan(endLimitMs);
    await asked;
  });

  test('cost the doctor no memory, and are reported with the reason', async () => {
    linkSettings();
    const { code, stdout } = await startBounded(['doctor', '--json']).ended;
    const { findings } = JSON.parse(stdout);
    const refused = findings.filter(({ id }: { id: string }) => id === 'refused-settings');
    expect(refused.map(({ cause }: { cause: string }) => cause)).toEqual([
      `${settings('.claude')} is not read: ${isEndless}.`,
      `${settings('.gemini')} is not read: ${isDevice}.`,
      `${settings('.qwen')} is not read: ${isEndless}.`,
    ]);
    expect(code).toBe(1);
  });
});

describe('a path that alternates between a file and a pipe', () => {
  test('blocks nothing, however often it is proposed', async () => {
    const { workspace } = scratch;
    const path = scratch.write('swap.txt', 'one\n');
    const companion = startBounded(['serve', '--json']);
    const [agent, other] = await connectTwo(await companion.event('ready'));
    const before = memoryOf(companion, 'VmRSS');
    const pings = pingUntilStopped(other);
    const swap = swapUntilStopped(path);

    const results = new Set<string>();
    for (let round = 0; round < 120; round++) {
      const result = await agent.propose(path, `two ${round}\n`).then(
        () => 'pending',
        (error: Error) => error.message,
      );
      results.add(/named pipe/.test(result) ? 'refused' : result);
    }
    // Calls that need the disk continue meanwhile.
    const free = scratch.write('free.txt', 'one\n');
    await agent.propose(free, 'two\n');
    expect([...results].sort()).toEqual(['pending', 'refused']);
    expect((await pings.stop()).longestMs).toBeLessThan(pingLimitMs);
    expect((memoryOf(companion, 'VmHWM') - before) / mib).toBeLessThan(100);
    const proposing = agent.propose(join(workspace, 'swap.txt'), 'late\n').catch(() => undefined);
    expect(await endOf(companion)).toBeLessThan(endLimitMs);
    swap.stop();
    await proposing;
  });
});

describe('a record', () => {
  test('is refused for a pipe or a device, with the reason', async () => {
    execFileSync('mkfifo', [join(scratch.workspace, 'pipe')]);
    for (const file of ['pipe', '/dev/null']) {
      const { code, stderr } = await scratch.run(['serve', '--record', file]);
      expect([code, stderr]).toEqual([2, `${file} is not a regular file. Name another file for --record.\n`]);
    }
    expect(scratch.discoveryFiles()).toEqual([]);
  });

  test('keeps its file when a pipe replaces it, and the companion ends at once', async () => {
    const record = scratch.write('record.jsonl');
    const companion = startBounded(['serve', '--json', '--record', 'record.jsonl']);
    const ready = await companion.event('ready');
    renameSync(record, join(scratch.workspace, 'moved.jsonl'));
    execFileSync('mkfifo', [record]);
    const agent = await ScriptedAgent.connect(ready.agents.gemini.discovery[0]);
    expect(await endOf(companion)).toBeLessThan(endLimitMs);
    await agent.end().catch(() => undefined);
    expect(readFileSync(join(scratch.workspace, 'moved.jsonl'), 'utf8')).toContain('"initialize"');
  });
});

/** How long it takes to end after SIGTERM, in milliseconds. */
async function endOf(companion: TandemProcess): Promise<number> {
  const since = performance.now();
  await companion.signal('SIGTERM');
  return performance.now() - since;
}

async function connectTwo(ready: {
  agents: { gemini: { discovery: string[] } };
}): Promise<[ScriptedAgent, ScriptedAgent]> {
  const [file = ''] = ready.agents.gemini.discovery;
  return [await ScriptedAgent.connect(file), await ScriptedAgent.connect(file)];
}

/** Pings one after the other: each as soon as the last one is answered. */
function pingUntilStopped({ client }: ScriptedAgent): {
  stop(): Promise<{ times: number; longestMs: number }>;
} {
  let [isOver, times, longestMs] = [false, 0, 0];
  const pinging = (async () => {
    while (!isOver) {
      const since = performance.now();
      await client.request('ping');
      times += 1;
      longestMs = Math.max(longestMs, performance.now() - since);
    }
  })();
  // A failing test ends the companion during a request.
  pinging.catch(() => {});
  return {
    async stop() {
      isOver = true;
      await pinging;
      return { times, longestMs };
    },
  };
}

/** Puts a file and a pipe at the path alternately, as fast as possible. */
function swapUntilStopped(path: string): { stop(): void } {
  const [pipe, file] = [`${path}.pipe`, `${path}.file`];
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  const swap = (): void => {
    if (isOver) return;
    execFileSync('mkfifo', [pipe]);
    renameSync(pipe, path);
    setImmediate(() => {
      if (isOver) return;
      writeFileSync(file, 'one\n');
      renameSync(file, path);
      setImmediate(swap);
    });
  };
  swap();
  return {
    stop() {
      isOver = true;
    },
  };
}

/** Calls the page's interface, and resolves to the text of its answer, also of a refusal. */
function pageOf(url: string): <M extends PageMethod>(method: M, params: PageParams<M>) => Promise<string> {
  const { origin, hash } = new URL(url);
  const token = new URLSearchParams(hash.slice(1)).values().next().value;
  return async (method, params) => {
    expect(pageContract[method]).toBeDefined();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify(params);
    return (await fetch(`${origin}/api/${method}`, { method: 'POST', headers, body })).text();
  };
}
