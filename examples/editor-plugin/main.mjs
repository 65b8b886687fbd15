// The editor with its plugin: `node main.mjs FOLDER`, then type: open FILE, close FILE, accept, reject.
import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as editor from './editor.mjs';
import { accept, call, connect, reject, reviews, sendContext } from './plugin.mjs';

const folder = realpathSync(process.argv[2] ?? '.');
const tandem = spawn('tandem', ['editor'], { stdio: ['pipe', 'pipe', 'inherit'] });
const { agents } = await connect(tandem, folder);
editor.print(`Start an agent in ${folder}: ${agents.map(({ command }) => command[0]).join(', ')}`);

for await (const line of createInterface({ input: process.stdin })) {
  const [word, file = ''] = line.split(' ');
  const [review] = reviews.values();
  try {
    if (word === 'open') editor.open(join(folder, file));
    if (word === 'close') editor.close(join(folder, file));
    if (word === 'accept') await accept(review);
    if (word === 'reject') await reject(review);
  } catch ({ message }) {
    editor.print(message);
  }
  sendContext();
}
await call('shutdown', {});
