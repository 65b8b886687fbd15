import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { silentLogger } from '@tandem/core';
import { createFolderScan, type FolderScan } from '../../packages/changes/src/index.js';
import { commandFile } from '../commandFile.js';
import { compare, describe, describeValue, takeTurns, timed } from '../measure.js';
import type { Scratch } from '../scratch.js';

/** What a look at a folder takes, compared with a walk that only stats its files. */
export async function benchFolderScan(scratch: Scratch): Promise<void> {
  for (const count of [5_000, 50_000]) await benchCount(scratch, count);
}

async function benchCount({ workspace }: Scratch, count: number): Promise<void> {
  const root = join(workspace, `${count}`, 'root');
  const files = makeFiles(root, count);
  const workerFile = join(commandFile(), '..', '..', 'dist', 'scanWorker.mjs');
  let scans = 0;
  const startScan = (): FolderScan => {
    scans += 1;
    const stateFolder = join(workspace, `${count}`, `state${scans}`);
    return createFolderScan({ folder: root, stateFolder, workerFile, logger: silentLogger, denyList: [] });
  };
  const before = process.memoryUsage().rss;
  const scan = startScan();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await scan.look();
  delay.disable();
  const readMs = await timed(async () => {
    while (scan.status().unread > 0) {
      await setTimeout(20);
      await scan.look([]);
    }
  });
  const grown = process.memoryUsage().rss - before;
  let round = 0;
  const samples = await takeTurns(
    {
      'a first look': async () => {
        const first = startScan();
        const took = await timed(() => first.look());
        await first.delete();
        return took;
      },
      'a look with nothing changed': () => timed(() => scan.look()),
      'a look with 100 changed': async () => {
        round += 1;
        for (let at = 0; at < 100; at += 1)
          writeFileSync(files[at * Math.floor(count / 100)] ?? '', `changed ${round}`);
        const took = await timed(() => scan.look());
        // What it reported is saved with the next one.
        await scan.look();
        return took;
      },
      'a bare walk with the same calls': () => timed(async () => walk(root)),
    },
    { rounds: 9, warmUp: 2 },
  );
  const { bytes } = scan.status();
  await scan.delete();
  const all = Object.values(samples);
  const bare = all.at(-1);
  console.log(`\na folder with ${count} files`);
  for (const each of all) console.log(describe(each));
  if (bare !== undefined) for (const each of all.slice(0, -1)) console.log(compare(each, bare));
  console.log(describeValue('the longest delay of the main thread', delay.max / 1e6, 'ms', 20));
  console.log(describeValue('reading all contents, in the background', readMs, 'ms'));
  console.log(describeValue('memory of the process after that, more', grown / 1e6, 'MB'));
  console.log(describeValue('the store', bytes / 1e6, 'MB'));
}

function makeFiles(root: string, count: number): string[] {
  const files: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const folder = join(root, `part${Math.floor(at / 400)}`, `sub${Math.floor(at / 20) % 20}`);
    if (at % 20 === 0) mkdirSync(folder, { recursive: true });
    const file = join(folder, `file${at}.ts`);
    writeFileSync(file, `export const value${at} = ${at * 7919};\n`.repeat(60));
    files.push(file);
  }
  writeFileSync(
    join(root, '.gitignore'),
    '*.log\nnode_modules/\ndist/\n.DS_Store\ncoverage/\n*.tsbuildinfo\n',
  );
  return files;
}

function walk(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) walk(path);
    else lstatSync(path, { bigint: true });
  }
}
