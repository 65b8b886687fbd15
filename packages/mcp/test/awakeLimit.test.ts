import { awakeTimeout } from '@tandem/core';
import { expect, test } from 'vitest';
import { awakeLimit } from '../src/index.js';

test('aborts a signal in the same way', async () => {
  const limit = awakeLimit(20);
  await new Promise((resolve) => limit.signal.addEventListener('abort', resolve));
  const disposed = awakeLimit(20);
  disposed.dispose();
  await new Promise<void>((resolve) => awakeTimeout(resolve, 60));
  expect(disposed.signal.aborted).toBe(false);
});
