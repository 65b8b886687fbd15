import { readdir, readFile, readlink } from 'node:fs/promises';
import { expect } from 'vitest';
import type { Stage } from './stage.js';

const TIMEOUT = 20_000;
/** A hook that does not wait ends sooner. */
const INTERVAL = 250;

/** Waits until a hook of an agent in the workspace waits for the companion: until the same one runs twice. */
export async function waitForHook(stage: Pick<Stage, 'workspace'>): Promise<void> {
  let last: readonly string[] = [];
  const isWaiting = async (): Promise<boolean> => {
    const running = await hooksIn(stage);
    const isSame = running.some((pid) => last.includes(pid));
    last = running;
    return isSame;
  };
  await expect.poll(isWaiting, { interval: INTERVAL, timeout: TIMEOUT }).toBe(true);
}

/** Waits until no hook runs in the workspace. */
export async function waitForNoHook(stage: Pick<Stage, 'workspace'>): Promise<void> {
  await expect.poll(() => hooksIn(stage), { interval: INTERVAL, timeout: TIMEOUT }).toEqual([]);
}

async function hooksIn(stage: Pick<Stage, 'workspace'>): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((each) => /^\d+$/.test(each));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      return /\/hook\.mjs\0\w+\0/.test(words) && cwd === stage.workspace ? [pid] : [];
    }),
  );
  return found.flat();
}
