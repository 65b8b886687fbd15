import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Companion, createCompanion, Journal } from '@tandem/companion';
import { silentLogger } from '@tandem/core';
import { createBenchEditor } from '../benchEditor.js';
import { compare, describe, type Samples, takeTurns, timed } from '../measure.js';
import type { Scratch } from '../scratch.js';
import { makeText } from '../texts.js';

const mebibyte = 1024 * 1024;

/**
 * The time until a review is in the journal. By size, with the longest block of the event loop, compared with one
 * `fs.writeFile` of the same bytes; and with many other pending reviews, compared with none.
 */
export async function benchJournal(scratch: Scratch): Promise<void> {
  await benchSizes(scratch);
  await benchPending(scratch);
}

async function benchSizes(scratch: Scratch): Promise<void> {
  for (const [label, bytes, rounds] of [
    ['3.6 KB', 3_600, 60],
    ['360 KB', 360_000, 30],
    ['16 MiB', 16 * mebibyte, 9],
    ['100 MiB', 100 * mebibyte, 5],
  ] as const) {
    const folder = join(scratch.workspace, `journal-${bytes}`);
    mkdirSync(folder);
    const memory = openJournal(join(folder, 'own'));
    const same = Buffer.alloc(bytes, 'a line of the text\n');
    const plain = join(folder, 'plain');
    const blocked: Record<string, number[]> = { journal: [], plain: [] };
    const watched = async (who: string, run: () => Promise<unknown>): Promise<number> => {
      const watch = watchLoop();
      const taken = await timed(run);
      blocked[who]?.push(watch.end());
      return taken;
    };
    let count = 0;
    const samples = await takeTurns(
      {
        [`journal of ${label}`]: () => {
          for (const key of [...memory.keys]) memory.delete(key);
          memory.put(reviewOf(bytes, ++count));
          return watched('journal', () => memory.write({ port: 1000, tokens: {}, sessions: [] }));
        },
        'fs.writeFile': () => watched('plain', () => writeFile(plain, same)),
      },
      { rounds, warmUp: 2 },
    );
    memory.close();
    const [journal, written] = Object.values(samples);
    if (journal === undefined || written === undefined) continue;
    const blocking: Samples = {
      name: 'longest blocking by the journal',
      values: blocked.journal?.slice(-rounds) ?? [],
    };
    const blockingPlain: Samples = {
      name: 'longest blocking by fs.writeFile',
      values: blocked.plain?.slice(-rounds) ?? [],
    };
    console.log(`\na review with ${label} of text, until it is in the journal`);
    for (const each of [journal, written, blocking, blockingPlain]) console.log(describe(each));
    console.log(compare(journal, written));
  }
}

async function benchPending(scratch: Scratch): Promise<void> {
  const counts = [0, 100, 1_000];
  const text = makeText(3_600);
  const companions: Companion[] = [];
  const journals: string[] = [];
  for (const count of counts) {
    const folder = join(scratch.workspace, `pending-${count}`);
    mkdirSync(folder);
    await writeFile(join(folder, 'a.ts'), text);
    const journal = join(scratch.workspace, `pending-${count}-journal`);
    const home = join(scratch.workspace, `pending-${count}-home`);
    mkdirSync(home);
    const companion = await createCompanion({
      editor: createBenchEditor(folder),
      version: '0.0.0',
      journal: openJournal(journal),
      machine: { platform: process.platform, home, tmpdir: home, env: {} },
    });
    for (let at = 0; at < count; at++) await propose(companion, folder, text, `${at}`);
    await companion.reviews.persisted();
    companions.push(companion);
    journals.push(journal);
  }
  let turn = 0;
  const contenders = counts.map((count, at) => {
    const companion = companions[at];
    const folder = join(scratch.workspace, `pending-${count}`);
    return [
      `a proposal beside ${count} pending`,
      async () => {
        if (companion === undefined) return Number.NaN;
        const name = `turn ${++turn}`;
        const taken = await timed(async () => {
          await propose(companion, folder, text, name);
          await companion.reviews.persisted();
        });
        companion.reviews.withdraw(name, join(folder, 'a.ts'), 'agent');
        await companion.reviews.persisted();
        return taken;
      },
    ] as const;
  });
  const samples = await takeTurns(Object.fromEntries(contenders), { rounds: 100, warmUp: 20 });
  const [alone, ...others] = Object.values(samples);
  console.log('\na proposal of 3.6 KB, until it is in the journal');
  for (const each of Object.values(samples)) console.log(describe(each));
  if (alone !== undefined) for (const each of others) console.log(compare(each, alone, 1.3));
  for (const companion of companions) await companion.stop();
  const last = journals.at(-1);
  const [name = ''] = last === undefined ? [] : readdirSync(last);
  if (last !== undefined) {
    const files = readdirSync(join(last, name));
    const size = files.reduce((sum, each) => sum + statSync(join(last, name, each)).size, 0);
    console.log(
      `  the journal of ${counts.at(-1)} reviews: ${files.length} files, ${Math.round(size / 1024)} KiB`,
    );
  }
}

/** Each from its own session, because the number of pending reviews of one session is limited. */
async function propose(companion: Companion, folder: string, text: string, session: string): Promise<void> {
  const content = `${text}// ${session}\n`;
  await companion.reviews.propose({ path: join(folder, 'a.ts'), content, agent: 'gemini', session });
}

function openJournal(folder: string): Journal {
  return Journal.open({ folder, window: 'bench', logger: silentLogger });
}

/** A pending review whose texts have this many code units in all. */
function reviewOf(size: number, count: number): Parameters<Journal['put']>[0] {
  const text = makeText(size / 2).slice(0, Math.floor(size / 2));
  return {
    state: 'pending',
    key: count.toString(16).padStart(24, '0'),
    agent: 'gemini',
    session: 'one',
    path: '/workspace/a.txt',
    original: { kind: 'text', text: `${text.slice(8)}${String(count).padStart(8)}` },
    proposed: `${text.slice(9)}a${String(count).padStart(8)}`,
    content: `${text.slice(9)}b${String(count).padStart(8)}`,
    keptHunks: [],
    isOutsideWorkspace: false,
    openedAt: 1,
  };
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
