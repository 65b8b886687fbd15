import {
  type Outcome,
  onceDecided,
  type Proposal,
  ProposalError,
  type Review,
  type Reviews,
} from '@tandem/core';
import type { McpSession } from '@tandem/transport';
import { type Decision, encodeDecision } from './wire.js';

/**
 * The diffs of one connected Qwen Code: what it proposed last for each path, spelled as it came, and the decisions
 * that it could not hear yet. The session that creates it tells it when its stream opens.
 */
export class QwenDiffs {
  readonly #session: McpSession;
  readonly #reviews: Reviews;
  readonly #latest = new Map<string, Diff>();
  readonly #untold = new Map<string, Decision>();

  constructor(session: McpSession, reviews: Reviews) {
    this.#session = session;
    this.#reviews = reviews;
  }

  /**
   * Opens a review, whose decision follows as a notification. A `closeDiff` that overtakes it is no failure: the
   * diff was opened and closed, and the person has decided in the terminal. Rejects with `ProposalError` when it
   * could not be opened.
   */
  async open(filePath: string, newContent: string, signal: AbortSignal): Promise<void> {
    const proposal: Proposal = {
      path: filePath,
      content: newContent,
      agent: 'qwen',
      session: this.#session.id,
      // Qwen Code writes the model's own proposal when the accepted content is empty.
      cannotAnswerEmpty: true,
    };
    const diff: Diff = { opening: newContent, isClosed: false };
    this.#latest.set(filePath, diff);
    this.#untold.delete(filePath);
    try {
      const review = await this.#reviews.propose(proposal);
      diff.opening = undefined;
      diff.review = review.id;
      if (signal.aborted) review.withdraw('agent');
      onceDecided(review, (outcome) => this.#tell(filePath, outcome));
    } catch (error) {
      if (diff.isClosed && error instanceof ProposalError) return;
      // Nothing stands open for this path: an older diff of it must not answer for this one.
      if (this.#latest.get(filePath) === diff) this.#latest.delete(filePath);
      throw error;
    }
  }

  /**
   * Closes the diff that was proposed last for a path, if it still stands, and returns its text; `undefined` when
   * there is none. One that was decided or closed before is still there to be read, so that nothing is lost when a
   * decision here and one in the terminal cross.
   */
  close(filePath: string): string | undefined {
    const diff = this.#latest.get(filePath);
    if (diff === undefined) return undefined;
    diff.isClosed = true;
    this.#untold.delete(filePath);
    const review = this.#reviews.withdraw(this.#session.id, filePath, 'agent') ?? this.#reviewOf(diff);
    return review?.content ?? diff.opening;
  }

  /** The CLI hears notifications from now on, also those that it missed while it had no stream. */
  streamOpened(): void {
    const missed = [...this.#untold];
    this.#untold.clear();
    for (const [filePath, decision] of missed) void this.#send(filePath, decision);
  }

  #reviewOf(diff: Diff): Review | undefined {
    return diff.review === undefined ? undefined : this.#reviews.get(diff.review);
  }

  #tell(filePath: string, outcome: Outcome): void {
    const decision = encodeDecision(filePath, outcome);
    if (decision !== undefined) void this.#send(filePath, decision);
  }

  /** Between two streams nobody hears: the decision waits for the next one, unless a newer diff takes its place. */
  async #send(filePath: string, decision: Decision): Promise<void> {
    const diff = this.#latest.get(filePath);
    const isHeard = await this.#session.notify(decision.method, decision.params);
    if (isHeard || diff === undefined || diff.isClosed || diff !== this.#latest.get(filePath)) return;
    this.#untold.set(filePath, decision);
  }
}

/** What was proposed last for one path: its text as long as it is on its way to the screen, then its review. */
interface Diff {
  opening: string | undefined;
  review?: string;
  isClosed: boolean;
}
