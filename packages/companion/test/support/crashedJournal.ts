import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Path, silentLogger } from '@tandem/core';
import { Journal, type JournalContents } from '../../src/index.js';

/** Larger than any pid of Linux. */
export const deadPid = 2 ** 22 + 1;

/** Copies the journals in a folder as they would be if their companions had been killed at this moment. */
export function copyAsKilled(journals: Path, to: Path): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(journals)) {
    const copy = join(to, name.replace(/^\d+-/, `${deadPid}-`));
    while (!isCopied(join(journals, name), copy)) rmSync(copy, { recursive: true, force: true });
  }
}

/** What the next companion would find if the companion of these journals was killed at this moment. */
export async function leftIn(journals: Path): Promise<JournalContents> {
  const copy = mkdtempSync(join(tmpdir(), 'crashed-'));
  const memory = openJournal(copy);
  try {
    copyAsKilled(journals, copy);
    const left = await memory.take();
    if (left === undefined) throw new Error('There is no journal.');
    return left;
  } finally {
    memory.close();
    rmSync(copy, { recursive: true, force: true });
  }
}

export function openJournal(folder: Path, pid?: number): Journal {
  return Journal.open({ folder, window: 'a', logger: silentLogger, ...(pid && { pid }) });
}

/** Whether no file was renamed or removed meanwhile. */
function isCopied(from: Path, to: Path): boolean {
  mkdirSync(to, { mode: 0o700 });
  try {
    const names = readdirSync(from);
    for (const name of names.filter((each) => !each.endsWith('.tmp'))) {
      copyFileSync(join(from, name), join(to, name));
      const { atime, mtime } = statSync(join(from, name));
      utimesSync(join(to, name), atime, mtime);
    }
    return readdirSync(from).join() === names.join();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
