import { type McpToolCall, ToolError } from '@tandem/mcp';
import {
  type Outcome,
  onceDecided,
  ProposalError,
  type Review,
  type Reviews,
  type WithdrawReason,
} from '@tandem/reviews';

/** A decision of the user in the editor. */
type Decision = Exclude<Outcome, { readonly kind: 'withdrawn' }>;

/**
 * The decision on a review, for a tool call that waits for it. A review that could not be opened or that ended without a
 * decision is answered with an error, so the user decides in the terminal.
 *
 * @param withdraw called when the agent cancels the call
 */
export async function decisionOn(
  opening: Promise<Review>,
  reviews: Reviews,
  { signal, whenSent }: McpToolCall,
  withdraw: () => void,
): Promise<Decision> {
  // A session that ends also aborts its calls, right before it withdraws its reviews. The session must withdraw first:
  // then the reason is "disconnected", and the user's edits are offered again.
  const cancel = (): void => queueMicrotask(withdraw);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const review = await opening;
    const outcome = await new Promise<Outcome>((resolve) => onceDecided(review, resolve));
    if (outcome.kind === 'withdrawn')
      throw new ToolError(`The diff ended without a decision: ${withdrawn[outcome.reason]}.`);
    await reviews.persisted();
    whenSent(() => reviews.noteAnswered(review));
    return outcome;
  } catch (error) {
    if (error instanceof ProposalError) throw new ToolError(error.message, { cause: error });
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

const withdrawn: Readonly<Record<WithdrawReason, string>> = {
  replaced: 'another change to the same file was proposed',
  agent: 'it was closed by the agent',
  'let-go': 'the user lets you go on. Nothing was written. Do not make this change in another way',
  disconnected: 'the agent disconnected',
  'not-shown': 'the editor could not show it',
  stopped: 'the editor stopped serving agents',
};
