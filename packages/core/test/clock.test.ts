import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { awakeTimeout } from '../src/index.js';

/** Simulates a stopped process: nothing runs, and all timers are due when it continues. */
function hang(milliseconds: number): void {
  for (const until = performance.now() + milliseconds; performance.now() < until; );
}

test('runs after its time', async () => {
  const since = performance.now();
  await new Promise<void>((resolve) => awakeTimeout(resolve, 100));
  // A timer of Node may be a millisecond early.
  expect(performance.now() - since).toBeGreaterThan(90);
});

test('does not count a pause: it continues afterwards, and reads waiting input first', async () => {
  let runs = 0;
  const since = performance.now();
  const isOver = new Promise<void>((resolve) =>
    awakeTimeout(() => {
      runs += 1;
      resolve();
    }, 200),
  );
  hang(600);
  await setImmediate();
  await setImmediate();
  expect(runs).toBe(0);
  await isOver;
  expect(performance.now() - since).toBeGreaterThan(600 + 190);
  expect(runs).toBe(1);
});

test('does not run after dispose, even after a pause', async () => {
  let runs = 0;
  const timer = awakeTimeout(() => {
    runs += 1;
  }, 40);
  await new Promise<void>((resolve) => awakeTimeout(resolve, 20));
  hang(200);
  timer.dispose();
  await new Promise<void>((resolve) => awakeTimeout(resolve, 80));
  expect(runs).toBe(0);
});
