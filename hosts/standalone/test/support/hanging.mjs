/**
 * For `node --import`: at SIGUSR2 the process prints the event `hangs` and does nothing else while the file that `HANGS_WHILE`
 * names exists, for at most a minute. The system does not take such a process for stopped.
 */
import { existsSync, writeSync } from 'node:fs';

const file = process.env.HANGS_WHILE;
const mostMs = 60_000;
const stepMs = 10;

process.on('SIGUSR2', () => {
  writeSync(1, '{"event":"hangs"}\n');
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let left = mostMs; left > 0 && existsSync(file); left -= stepMs) Atomics.wait(cell, 0, 0, stepMs);
});
