import { type Answer, type Question, RpcError } from '@tandem/rpc';
import type { PageHost } from '../client/pageStore.js';

type Choice = Question['choices'][number];

/** Asks the user. Resolves to undefined if the user cancels. */
export type Ask = (question: Question) => Promise<Choice | undefined>;

/** What came of accepting: `merged` leaves the review pending, with both versions in the text. */
export type Accepted = 'accepted' | 'merged' | 'cancelled';

/** Accepts the text at a version, and asks what the host asks. Rejects as the call `review.accept`. */
export async function acceptReview(
  host: Pick<PageHost, 'request'>,
  ask: Ask,
  params: { readonly id: string; readonly version: number },
): Promise<Accepted> {
  const answered = await askAsNeeded(ask, (answer) =>
    host.request('review.accept', { ...params, ...answer }),
  );
  if (answered === undefined) return 'cancelled';
  return answered.choice?.answer.merges ? 'merged' : 'accepted';
}

/** Makes a call that may ask, until it is done. Undefined if the user cancels. */
export async function askAsNeeded<T>(
  ask: Ask,
  call: (answer: { answer?: Answer }) => Promise<T>,
): Promise<{ readonly result: T; readonly choice: Choice | undefined } | undefined> {
  for (let choice: Choice | undefined; ; ) {
    try {
      return { result: await call(choice === undefined ? {} : { answer: sent(choice.answer) }), choice };
    } catch (error) {
      if (!(error instanceof RpcError) || error.question === undefined) throw error;
      choice = await ask(error.question);
      if (choice === undefined) return undefined;
    }
  }
}

/** As the call takes it. */
function sent({ confirmed = [], seen, ...rest }: Choice['answer']): Answer {
  return { ...rest, confirmed: [...confirmed], ...(seen && { seen: [...seen] }) };
}
