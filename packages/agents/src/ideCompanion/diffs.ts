import { normalPath } from '@tandem/core';
import type { McpSession } from '@tandem/mcp';
import { type Outcome, onceDecided, ProposalError, type Review, type Reviews } from '@tandem/reviews';
import { type Decision, encodeDecision } from './wire.js';

/**
 * The diffs of one connected CLI: its last proposal for each path, in the CLI's spelling, and the decisions that are
 * not sent yet because no stream is open.
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
   * Opens a review; its decision follows as a notification. A `closeDiff` that overtakes it is not a failure: after an
   * error, Gemini CLI 0.61 would fail a change that the user accepted in the terminal. Rejects with `ProposalError` if
   * the review could not be opened.
   */
  async open(filePath: string, newContent: string, signal: AbortSignal): Promise<void> {
    const diff: Diff = { filePath, opening: newContent, isClosed: false };
    this.#latest.set(filePath, diff);
    this.#dropUnsent(filePath);
    try {
      const review = await this.#reviews.propose({
        path: normalPath(filePath),
        content: newContent,
        agent: this.#agent,
        session: this.#session.id,
        // The CLIs write the model's own proposal if the accepted content is empty.
        cannotAnswerEmpty: true,
      });
      diff.opening = undefined;
      diff.review = review.id;
      if (signal.aborted) review.withdraw('agent');
      onceDecided(review, (outcome) => void this.#report(diff, review, outcome));
      // An agent whose proposal was acknowledged waits for the decision, even from the next companion.
      await this.#reviews.persisted();
    } catch (error) {
      if (diff.isClosed && error instanceof ProposalError) return;
      // No diff is open for this path now; an older one must not answer instead.
      if (this.#latest.get(filePath) === diff) this.#latest.delete(filePath);
      throw error;
    }
  }

  /**
   * Closes the last diff for a path, if it is still open, and returns its text; `undefined` if there was none. The text
   * of a decided or closed diff is still available, so that nothing is lost if decisions here and in the terminal
   * cross.
   */
  close(filePath: string): string | undefined {
    const diff = this.#latest.get(filePath);
    if (diff === undefined) return undefined;
    diff.isClosed = true;
    this.#dropUnsent(filePath);
    const review =
      this.#reviews.withdraw(this.#session.id, normalPath(filePath), 'agent') ?? this.#reviewOf(diff);
    return review?.content ?? diff.opening;
  }

  /** Sends the decisions that were made while no stream was open. */
  streamOpened(): void {
    const missed = [...this.#unsent.values()];
    this.#unsent.clear();
    for (const decision of missed) void this.#send(decision);
  }

  #reviewOf(diff: Diff): Review | undefined {
    return diff.review === undefined ? undefined : this.#reviews.get(diff.review);
  }

  /** Sends a decision once the journal has it: after a crash, it must be neither lost nor requested again. */
  async #report(diff: Diff, review: Review, outcome: Outcome): Promise<void> {
    const decision = encodeDecision(diff.filePath, outcome);
    if (decision === undefined) return;
    await this.#reviews.persisted();
    // Meanwhile, the diff may have been decided in the terminal or replaced.
    if (this.#isAwaited(diff)) await this.#send({ diff, review, decision });
    else this.#reviews.noteAnswered(review);
  }

  /** Without a stream the decision is kept for the next one, unless a newer diff replaces it. */
  async #send(unsent: UnsentDecision): Promise<void> {
    const { diff, review, decision } = unsent;
    const isSent = await this.#session.notify(decision.method, decision.params);
    if (isSent || !this.#isAwaited(diff)) this.#reviews.noteAnswered(review);
    else this.#unsent.set(diff.filePath, unsent);
  }

  #isAwaited(diff: Diff): boolean {
    return !diff.isClosed && diff === this.#latest.get(diff.filePath);
  }

  /** Drops a decision that the agent must no longer receive, because it closed or replaced the diff. */
  #dropUnsent(filePath: string): void {
    const unsent = this.#unsent.get(filePath);
    this.#unsent.delete(filePath);
    if (unsent !== undefined) this.#reviews.noteAnswered(unsent.review);
  }
}

/** The last proposal for one path: its text until it is shown, then its review. */
interface Diff {
  /** In the CLI's spelling. */
  readonly filePath: string;
  opening: string | undefined;
  review?: string;
  isClosed: boolean;
}

interface UnsentDecision {
  readonly diff: Diff;
  readonly review: Review;
  readonly decision: Decision;
}
