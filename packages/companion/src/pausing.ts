import type { Pause } from '@tandem/core';
import { nextTurn } from './nextTurn.js';

/** For long work in short steps: how long it may take before other work has its turn. */
const shareMs = 10;

/** The pauses of one task: other work has its turn whenever the task has taken 10 ms. */
export function pausing(): Pause {
  let startedAt = performance.now();
  return () => {
    if (performance.now() - startedAt < shareMs) return undefined;
    return nextTurn().then(() => {
      startedAt = performance.now();
    });
  };
}
