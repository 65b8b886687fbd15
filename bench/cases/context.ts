import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createCompanion } from '@tandem/companion';
import { contextDebounceMs } from '@tandem/core';
import { createBenchEditor } from '../benchEditor.js';
import { HttpClient } from '../httpClient.js';
import { compare, describe, takeTurns } from '../measure.js';
import type { Scratch } from '../scratch.js';

/** An editor event with few and with many open files; agents receive ten. */
export async function benchContext(scratch: Scratch): Promise<void> {
  const counts = [1, 100, 1_000];
  const stages = await Promise.all(counts.map((count) => openStage(scratch, count)));
  const nameOf = (count: number) => (count === 1 ? '1 open file' : `${count} open files`);
  const waits: Record<string, number[]> = {};
  const contenders = Object.fromEntries(
    stages.map(({ moveOn }, at) => [
      nameOf(counts[at] ?? 0),
      async () => {
        const { cpu, wait } = await moveOn();
        const name = nameOf(counts[at] ?? 0);
        waits[name] = [...(waits[name] ?? []), wait];
        return cpu;
      },
    ]),
  );
  const warmUp = 20;
  const samples = await takeTurns(contenders, { rounds: 80, warmUp });
  for (const { stop } of stages) await stop();
  console.log(
    `\nchange in the editor to ide/contextUpdate at the client, beyond the debounce of ${contextDebounceMs} ms`,
  );
  for (const [name, values] of Object.entries(waits))
    console.log(describe({ name, values: values.slice(warmUp) }));
  console.log('the same in time of the processor, the client included');
  for (const each of Object.values(samples)) console.log(describe(each));
  const [one, ...many] = Object.values(samples);
  for (const each of many) if (one !== undefined) console.log(compare(each, one, 1.3));
}

/** A companion whose editor has this many open files, and a client that follows it. */
async function openStage(scratch: Scratch, count: number) {
  const folder = join(scratch.workspace, String(count));
  // In ten nested folders, as in a project.
  const paths = Array.from({ length: count }, (_, at) =>
    join(folder, 'packages', `package${at % 10}`, 'src', `${at}.ts`),
  );
  for (const path of paths) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'one line\n'.repeat(500));
  }
  const { HOME: home = '', TMPDIR: tmpdir = '' } = scratch.env;
  const editor = createBenchEditor(folder, paths);
  const machine = { platform: process.platform, home, tmpdir, env: scratch.env };
  const companion = await createCompanion({ editor, version: '0.0.0', machine });
  const gemini = companion.agents.connections().find(({ id }) => id === 'gemini');
  if (gemini === undefined) throw new Error('The companion does not serve Gemini CLI.');
  let received = (): void => {};
  const client = await HttpClient.connect(
    { port: Number(new URL(gemini.url).port), token: gemini.token ?? '' },
    (data) => {
      if (data.includes('ide/contextUpdate')) received();
    },
  );
  let line = 0;
  return {
    async moveOn(): Promise<{ cpu: number; wait: number }> {
      line += 1;
      const arrived = new Promise<void>((resolve) => {
        received = resolve;
      });
      const before = process.cpuUsage();
      const firedAt = performance.now();
      editor.moveTo(line);
      await arrived;
      const wait = performance.now() - firedAt - contextDebounceMs;
      const { user, system } = process.cpuUsage(before);
      return { cpu: (user + system) / 1000, wait };
    },
    async stop(): Promise<void> {
      client.close();
      await companion.stop();
    },
  };
}
