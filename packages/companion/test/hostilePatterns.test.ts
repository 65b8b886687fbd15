import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeWorkspace, useStages } from './support/companionStage.js';

const start = useStages();

/** As many as are allowed; each is tried at every position of a long name. */
const pattern = '**/*a*b*c*1*';
const lines = Array.from({ length: 19_999 }, () => pattern);
/** Long paths in which the patterns nearly match at very many positions. */
const names = Array.from({ length: 60 }, (_, at) =>
  [...Array.from({ length: 3 }, () => 'abcabcabcabc'.repeat(16)), `${at}`].join('/'),
);

test('patterns of a hostile repository hold back the files that they may concern, and delay no other agent', async () => {
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
  const waits: number[] = [];
  let isJudged = false;
  const pinging = (async () => {
    while (!isJudged) {
      // CPU time of this process only: other processes on the machine do not count.
      const before = process.cpuUsage();
      await client.request('ping');
      const { user, system } = process.cpuUsage(before);
      waits.push((user + system) / 1000);
    }
  })();
  for (const path of paths) editor.user.focus(path);
  companion.feed.flush();
  const held = await companion.sharing.heldBackFiles([...paths, join(folder, 'plain.txt')]);
  await companion.sharing.status();
  isJudged = true;
  await pinging;
  expect([...held.keys()]).toEqual(paths);
  expect(waits.length).toBeGreaterThan(1);
  // About 50 ms. It took 22 seconds before matching was bounded and yielded to other work.
  expect(Math.max(...waits)).toBeLessThan(100);
}, 60_000);
