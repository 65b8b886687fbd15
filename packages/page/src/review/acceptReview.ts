import { type Answer, type Question, RpcError } from '@tandem/rpc';
import type { PageHost } from '../client/pageStore.js';
import type { PageResult } from '../wire/index.js';

type Choice = Question['choices'][number];

/** Asks the user. Resolves to undefined if the user cancels. */
export type Ask = (question: Question) => Promise<Choice | undefined>;

/**
 * Accepts the text at a version, and asks what the host asks. Resolves to the review, which is still pending if the user chose
 * to merge its file first; undefined if the user cancels. Rejects as the call `review.accept`.
 */
export function acceptReview(
  host: Pick<PageHost, 'request'>,
  ask: Ask,
  params: { readonly id: string; readonly version: number },
): Promise<PageResult<'review.accept'> | undefined> {
  return askAsNeeded(ask, (answer) => host.request('review.accept', { ...params, ...answer }));
}

/** Does one of the actions of a review, and asks what the host asks. Undefined if the user cancels. */
export function runAction(
  host: Pick<PageHost, 'request'>,
  ask: Ask,
  params: { readonly id: string; readonly action: string },
): Promise<PageResult<'review.run'> | undefined> {
  return askAsNeeded(ask, (answer) => host.request('review.run', { ...params, ...answer }));
}

/** Makes a call that may ask, until it is done. Undefined if the user cancels. */
export async function askAsNeeded<T>(
  ask: Ask,
  call: (answer: { answer?: Answer }) => Promise<T>,
): Promise<T | undefined> {
  for (let choice: Choice | undefined; ; ) {
    try {
      return await call(choice === undefined ? {} : { answer: choice.answer });
    } catch (error) {
      if (!(error instanceof RpcError) || error.question === undefined) throw error;
      choice = await ask(error.question);
      if (choice === undefined) return undefined;
    }
  }
}
