import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openOwnFolder, sweepStale } from '../src/index.js';

/** Reads the folder as an agent does, as fast as it can, until its input ends; then prints what it saw. */
const reader = `
  const { readdirSync, readFileSync, statSync } = require('node:fs');
  const [folder] = process.argv.slice(1);
  const seen = { reads: 0, broken: 0, loose: 0 };
  const look = () => {
    for (const name of readdirSync(folder)) {
      const path = folder + '/' + name;
      try {
        if ((statSync(path).mode & 0o077) !== 0) seen.loose++;
        if (!name.endsWith('.lock')) continue;
        const text = readFileSync(path, 'utf8');
        seen.reads++;
        try { JSON.parse(text); } catch { seen.broken++; }
      } catch (error) { if (error.code !== 'ENOENT') throw error; }
    }
  };
  const timer = setInterval(() => { for (let n = 0; n < 50; n++) look(); }, 0);
  process.stdout.write('ready\\n');
  process.stdin.resume().on('end', () => { clearInterval(timer); process.stdout.write(JSON.stringify(seen)); });
`;

test('another process never sees a part of a discovery file, nor one that others may read', async () => {
  const folder = openOwnFolder(join(mkdtempSync(join(tmpdir(), 'atomic-')), 'ide'));
  const child = spawn(process.execPath, ['-e', reader, folder.path], { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  await once(child.stdout, 'data');
  const umask = process.umask(0);
  const file = folder.write('1.lock', {}, 1);
  for (let n = 0; n < 600; n++) {
    await file.rewrite({
      workspaceFolders: Array.from({ length: n % 200 }, (_, at) => `/some/folder/${at}`),
    });
    await setImmediate();
  }
  process.umask(umask);
  child.stdin.end();
  await once(child, 'close');
  const seen = JSON.parse(output.replace('ready\n', ''));
  expect(seen.reads).toBeGreaterThan(50);
  expect(seen).toMatchObject({ broken: 0, loose: 0 });
});

test('the next companion removes the files of a killed one', async () => {
  const folder = openOwnFolder(join(mkdtempSync(join(tmpdir(), 'killed-')), 'ide'));
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const { pid = 0 } = child;
  const tandem = { pid, startedAt: Date.now(), port: 1 };
  writeFileSync(join(folder.path, '1.lock'), JSON.stringify({ authToken: 'x', tandem }));
  writeFileSync(join(folder.path, `.tandem-${pid}-0123456789ab.tmp`), '{"half":');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await sweepStale(folder, /^\d+\.lock$/)).toHaveLength(2);
  expect(readdirSync(folder.path)).toEqual([]);
});
