import type { Clock } from './clock.js';

/** An answer took longer than its time limit. An agent may read the message. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** The answer, or `TimeoutError` when it takes longer than `limitMs`. A late answer is discarded. */
export function withTimeout<Answer>(
  clock: Clock,
  limitMs: number,
  answer: Promise<Answer>,
  who = 'The editor',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const limit = clock.setTimeout(
      () => reject(new TimeoutError(`${who} did not answer within ${inWords(limitMs)}.`)),
      limitMs,
    );
    void answer.then(resolve, reject).finally(() => limit.dispose());
  });
}

function inWords(milliseconds: number): string {
  return milliseconds < 2000 ? `${milliseconds} ms` : `${milliseconds / 1000} seconds`;
}
