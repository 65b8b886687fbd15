import { mkdirSync, statSync } from 'node:fs';
import { open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CompanionMemory, type SavedCompanion } from '@tandem/companion';
import { silentLogger } from '@tandem/core';
import { compare, describe, type Samples, takeTurns, timed } from '../measure.js';
import type { Scratch } from '../scratch.js';
import { makeText } from '../texts.js';

const mebibyte = 1024 * 1024;

/**
 * What it takes until a review is in the journal, and the longest time in which nothing else runs meanwhile, against one
 * plain `fs.writeFile` of the same bytes, and one that is synced as the journal is.
 */
export async function benchJournal(scratch: Scratch): Promise<void> {
  for (const [label, bytes, rounds] of [
    ['3.6 KB', 3_600, 60],
    ['16 MiB', 16 * mebibyte, 9],
  ] as const) {
    const folder = join(scratch.workspace, `journal-${bytes}`);
    mkdirSync(folder);
    const memory = CompanionMemory.open({
      folder: join(folder, 'own'),
      window: 'bench',
      logger: silentLogger,
    });
    const left = leftWith(bytes);
    await memory.write(left);
    const [name = ''] = await readdir(join(folder, 'own'));
    const same = Buffer.alloc(statSync(join(folder, 'own', name)).size, 'a line of the text\n');
    const plain = join(folder, 'plain');
    const blocked: Record<string, number[]> = { journal: [], plain: [] };
    const watched = async (who: string, run: () => Promise<unknown>): Promise<number> => {
      const watch = watchLoop();
      const taken = await timed(run);
      blocked[who]?.push(watch.end());
      return taken;
    };
    const samples = await takeTurns(
      {
        [`journal of ${label}`]: () => watched('journal', () => memory.write(left)),
        'fs.writeFile': () => watched('plain', () => writeFile(plain, same)),
        'fs.writeFile and fsync': () => timed(() => writeSynced(plain, same)),
      },
      { rounds, warmUp: 2 },
    );
    memory.close();
    const [journal, written, synced] = Object.values(samples);
    if (journal === undefined || written === undefined || synced === undefined) continue;
    const blocking: Samples = {
      name: 'longest blocking by the journal',
      values: blocked.journal?.slice(-rounds) ?? [],
    };
    const blockingPlain: Samples = {
      name: 'longest blocking by fs.writeFile',
      values: blocked.plain?.slice(-rounds) ?? [],
    };
    console.log(`\na review with ${label} of text, until it is in the journal`);
    for (const each of [journal, written, synced, blocking, blockingPlain]) console.log(describe(each));
    console.log(compare(journal, written));
    console.log(compare(journal, synced));
  }
}

/** What a companion leaves with one review, whose texts have so many code units together. */
function leftWith(size: number): SavedCompanion {
  const text = makeText(size / 3).slice(0, Math.floor(size / 3));
  const review = {
    key: '0123456789abcdef01234567',
    agent: 'gemini',
    session: 'one',
    path: '/workspace/a.txt',
    original: { kind: 'text' as const, text },
    proposed: `${text.slice(1)}a`,
    content: `${text.slice(1)}b`,
    keptHunks: [],
    isOutsideWorkspace: false,
    openedAt: 1,
  };
  return { port: 1000, tokens: {}, sessions: [], reviews: [review], interrupted: [], endedInOrder: false };
}

async function writeSynced(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Measures the longest time between two turns of the event loop, in milliseconds. */
function watchLoop(): { end(): number } {
  let longest = 0;
  let last = performance.now();
  let isOver = false;
  const turn = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    end() {
      isOver = true;
      turn();
      return longest;
    },
  };
}
