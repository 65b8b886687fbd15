import type { Clock } from '@tandem/core';

/** The editor did not answer soon enough. */
export class TooLateError extends Error {
  override readonly name = 'TooLateError';
}

/** The answer, or `TooLateError` when it takes longer than `limitMs`. */
export function inTime<Answer>(clock: Clock, limitMs: number, answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const limit = clock.setTimeout(
      () => reject(new TooLateError(`The editor did not answer within ${limitMs} ms.`)),
      limitMs,
    );
    void answer.then(resolve, reject).finally(() => limit.dispose());
  });
}
