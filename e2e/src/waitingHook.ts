import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parseJson, pick } from './json.js';
import type { Stage } from './stage.js';

const TIMEOUT = 20_000;
/** Its first connection only asks who the companion is, and lasts for some milliseconds. */
const INTERVAL = 250;

/** Waits until a hook of an agent asks the companion of this stage and waits for its answer: for the same connection twice. */
export async function waitForHook(stage: Stage): Promise<void> {
  const folder = join(stage.sandbox.state, 'tandem/companions');
  const [name = ''] = await readdir(folder);
  const port = Number(pick(parseJson(await readFile(join(folder, name), 'utf8')), 'port'));
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  let last = '';
  const isWaiting = async (): Promise<boolean> => {
    const rows = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((row) => row.trim().split(/\s+/));
    const local = rows.find(([, , to, state]) => to === remote && state === '01')?.[1] ?? '';
    const isSame = local !== '' && local === last;
    last = local;
    return isSame;
  };
  await expect.poll(isWaiting, { interval: INTERVAL, timeout: TIMEOUT }).toBe(true);
}

/** Waits until no hook runs in the workspace. */
export async function waitForNoHook(stage: Stage): Promise<void> {
  const running = async (): Promise<string[]> => {
    const pids = (await readdir('/proc')).filter((each) => /^\d+$/.test(each));
    const found = await Promise.all(
      pids.map(async (pid) => {
        const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
        const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
        return words.includes('\0hook\0run\0') && cwd === stage.workspace ? [pid] : [];
      }),
    );
    return found.flat();
  };
  await expect.poll(running, { interval: INTERVAL, timeout: TIMEOUT }).toEqual([]);
}
