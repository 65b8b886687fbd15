import { type Outcome, onceDecided, ProposalError, type Review, type Reviews } from '@tandem/core';
import type { McpSession } from '@tandem/mcp';
import { type Decision, encodeDecision } from './wire.js';

/**
 * The diffs of one connected CLI: its last proposal for each path, with the path spelled as it came, and the decisions that
 * could not be sent yet because no stream is open.
 */
export class Diffs {
  readonly #session: McpSession;
  readonly #reviews: Reviews;
  readonly #agent: string;
  readonly #latest = new Map<string, Diff>();
  readonly #unsent = new Map<string, UnsentDecision>();

  constructor(
    session: McpSession,
    { agent, reviews }: { readonly agent: string; readonly reviews: Reviews },
  ) {
    this.#session = session;
    this.#reviews = reviews;
    this.#agent = agent;
  }

  /**
   * Opens a review; its decision follows as a notification. A `closeDiff` that overtakes it is no failure: with an error,
   * Gemini CLI 0.61 would fail a change that the user has accepted in the terminal. Rejects with `ProposalError` when the
   * review could not be opened.
   */
  async open(filePath: string, newContent: string, signal: AbortSignal): Promise<void> {
    const diff: Diff = { opening: newContent, isClosed: false };
    this.#latest.set(filePath, diff);
    this.#dropUnsent(filePath);
    try {
      const review = await this.#reviews.propose({
        path: filePath,
        content: newContent,
        agent: this.#agent,
        session: this.#session.id,
        // The CLIs write the model's own proposal when the accepted content is empty.
        cannotAnswerEmpty: true,
      });
      diff.opening = undefined;
      diff.review = review.id;
      if (signal.aborted) review.withdraw('agent');
      onceDecided(review, (outcome) => void this.#report(diff, review, outcome));
      // An agent whose proposal was acknowledged waits for the decision, also of the next companion.
      await this.#reviews.writtenDown();
    } catch (error) {
      if (diff.isClosed && error instanceof ProposalError) return;
      // No diff is open for this path now: an older one must not answer for this one.
      if (this.#latest.get(filePath) === diff) this.#latest.delete(filePath);
      throw error;
    }
  }

  /**
   * Closes the last diff for a path, if it is still open, and returns its text; `undefined` when there was none. One that
   * was decided or closed before can still be read, so that nothing is lost when decisions here and in the terminal cross.
   */
  close(filePath: string): string | undefined {
    const diff = this.#latest.get(filePath);
    if (diff === undefined) return undefined;
    diff.isClosed = true;
    this.#dropUnsent(filePath);
    const review = this.#reviews.withdraw(this.#session.id, filePath, 'agent') ?? this.#reviewOf(diff);
    return review?.content ?? diff.opening;
  }

  /** Sends the decisions that fell while no stream was open. */
  streamOpened(): void {
    const missed = [...this.#unsent.values()];
    this.#unsent.clear();
    for (const decision of missed) void this.#send(decision);
  }

  #reviewOf(diff: Diff): Review | undefined {
    return diff.review === undefined ? undefined : this.#reviews.get(diff.review);
  }

  /** Reports a decision once the journal has it: a crash in between must neither lose it nor ask for it again. */
  async #report(diff: Diff, review: Review, outcome: Outcome): Promise<void> {
    const decision = encodeDecision(review.proposal.path, outcome);
    if (decision === undefined) return;
    await this.#reviews.writtenDown();
    // Meanwhile the diff may have been decided in the terminal, or replaced.
    if (this.#isAwaited(diff, review)) await this.#send({ diff, review, decision });
    else this.#reviews.noteAnswered(review);
  }

  /** Without a stream the decision is kept for the next one, unless a newer diff replaces it. */
  async #send(unsent: UnsentDecision): Promise<void> {
    const { diff, review, decision } = unsent;
    const isSent = await this.#session.notify(decision.method, decision.params);
    if (isSent || !this.#isAwaited(diff, review)) this.#reviews.noteAnswered(review);
    else this.#unsent.set(review.proposal.path, unsent);
  }

  #isAwaited(diff: Diff, review: Review): boolean {
    return !diff.isClosed && diff === this.#latest.get(review.proposal.path);
  }

  /** Drops a decision that the agent must not receive any more, because it closed or replaced the diff. */
  #dropUnsent(filePath: string): void {
    const unsent = this.#unsent.get(filePath);
    this.#unsent.delete(filePath);
    if (unsent !== undefined) this.#reviews.noteAnswered(unsent.review);
  }
}

/** The last proposal for one path: its text until it is shown, then its review. */
interface Diff {
  opening: string | undefined;
  review?: string;
  isClosed: boolean;
}

interface UnsentDecision {
  readonly diff: Diff;
  readonly review: Review;
  readonly decision: Decision;
}
