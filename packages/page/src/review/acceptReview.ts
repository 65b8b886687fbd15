import { type Question, RpcError } from '@tandem/rpc';
import type { PageHost } from '../client/pageStore.js';

type Answer = Question['choices'][number]['answer'];

/** Asks the user. Resolves to the answer of the choice; undefined if the user cancels. */
export type Ask = (question: Question) => Promise<Answer | undefined>;

/** What came of accepting: `merged` leaves the review pending, with both versions in the text. */
export type Accepted = 'accepted' | 'merged' | 'cancelled';

/** Accepts the text at a version, and asks what the host asks. Rejects as the call `review.accept`. */
export async function acceptReview(
  host: Pick<PageHost, 'request'>,
  ask: Ask,
  params: { readonly id: string; readonly version: number },
): Promise<Accepted> {
  const answered = await askAsNeeded(ask, (answer) =>
    host.request('review.accept', { ...params, ...(answer && { answer: sent(answer) }) }),
  );
  if (!answered.isDone) return 'cancelled';
  return answered.answer?.merges ? 'merged' : 'accepted';
}

/** Makes a call that may ask, until it is done or the user cancels. */
export async function askAsNeeded(
  ask: Ask,
  call: (answer: Answer | undefined) => Promise<unknown>,
): Promise<{ readonly isDone: boolean; readonly answer: Answer | undefined }> {
  for (let answer: Answer | undefined; ; ) {
    try {
      await call(answer);
      return { isDone: true, answer };
    } catch (error) {
      if (!(error instanceof RpcError) || error.question === undefined) throw error;
      answer = await ask(error.question);
      if (answer === undefined) return { isDone: false, answer };
    }
  }
}

/** As the wire has it. */
export function sent({ confirmed = [], ...rest }: Answer) {
  return { ...rest, confirmed: [...confirmed] };
}
