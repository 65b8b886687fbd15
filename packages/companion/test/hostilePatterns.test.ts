import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { FileCache } from '@tandem/core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeWorkspace, useStages } from './support/companionStage.js';

const start = useStages();

/** As many as are allowed; each is tried at every position of a long name. */
const pattern = '**/*a*b*c*1*';
const lines = Array.from({ length: 19_999 }, () => pattern);
/** The limit of one path, 500,000 comparisons, after as many as are made before yielding, 200,000. */
const inTurn = 700_000;
/** Long paths in which the patterns nearly match at very many positions. */
const names = Array.from({ length: 60 }, (_, at) =>
  [...Array.from({ length: 3 }, () => 'abcabcabcabc'.repeat(16)), `${at}`].join('/'),
);

test('patterns of a hostile repository hide the files that they may concern, and delay no other agent', async () => {
  const folder = makeWorkspace({
    '.geminiignore': lines.join('\n'),
    '.qwenignore': lines.join('\n'),
    '.claude/settings.json': JSON.stringify({ permissions: { deny: lines.map((each) => `Read(${each})`) } }),
    ...Object.fromEntries(names.map((name) => [name, ''])),
    'plain.txt': '',
  });
  const { companion, editor } = await start({ folders: [folder] });
  const paths = names.map((name) => join(folder, name));
  const client = await (await start()).connect('gemini');
  const comparisons = countComparisons();
  let isJudged = false;
  let pings = 0;
  const pinging = (async () => {
    for (; !isJudged; pings += 1) await client.request('ping');
  })();
  const turns: number[] = [];
  const turning = (async () => {
    for (; !isJudged; await turn()) turns.push(comparisons.takeCount());
  })();
  for (const path of paths) editor.user.focus(path);
  companion.feed.flush();
  const held = await companion.sharing.heldBackFiles([...paths, join(folder, 'plain.txt')]);
  await companion.sharing.status();
  isJudged = true;
  await Promise.all([pinging, turning]);
  expect([...held.keys()]).toEqual(paths);
  expect(pings).toBeGreaterThan(1);
  // Each agent with patterns takes the comparisons of one path, and in each turn of the event loop only one of them.
  expect(turns.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(2 * inTurn);
  expect(Math.max(...turns)).toBeLessThanOrEqual(inTurn);
}, 60_000);

/** Counts the comparisons of patterns with paths. */
function countComparisons(): { takeCount(): number } {
  let count = 0;
  const { work } = FileCache.prototype;
  const spy = vi.spyOn(FileCache.prototype, 'work').mockImplementation(function (this: FileCache, compare) {
    return work.call(this, (report) =>
      compare((comparisons) => {
        count += comparisons;
        report(comparisons);
      }),
    );
  });
  onTestFinished(() => spy.mockRestore());
  return {
    takeCount() {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}
