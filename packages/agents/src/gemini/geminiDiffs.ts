import {
  type Outcome,
  onceDecided,
  type Proposal,
  ProposalError,
  type Review,
  type Reviews,
} from '@tandem/core';
import type { McpSession } from '@tandem/mcp';
import { type Decision, encodeDecision } from './wire.js';

/**
 * The diffs of one connected Gemini CLI: what it proposed last for each path, spelled as it came, and the decisions
 * that it could not hear yet. The session that creates it tells it when its stream opens.
 */
export class GeminiDiffs {
  readonly #session: McpSession;
  readonly #reviews: Reviews;
  readonly #latest = new Map<string, Diff>();
  readonly #untold = new Map<string, Untold>();

  constructor(session: McpSession, reviews: Reviews) {
    this.#session = session;
    this.#reviews = reviews;
  }

  /**
   * Opens a review, whose decision follows as a notification. A `closeDiff` that overtakes it is no failure: with an
   * error, Gemini CLI 0.61 would fail a change that the person has accepted in the terminal. Rejects with
   * `ProposalError` when it could not be opened.
   */
  async open(filePath: string, newContent: string, signal: AbortSignal): Promise<void> {
    const proposal: Proposal = {
      path: filePath,
      content: newContent,
      agent: 'gemini',
      session: this.#session.id,
      // Gemini CLI writes the model's own proposal when the accepted content is empty.
      cannotAnswerEmpty: true,
    };
    const diff: Diff = { opening: newContent, isClosed: false };
    this.#latest.set(filePath, diff);
    this.#oweNothing(filePath);
    try {
      const review = await this.#reviews.propose(proposal);
      diff.opening = undefined;
      diff.review = review.id;
      if (signal.aborted) review.withdraw('agent');
      onceDecided(review, (outcome) => void this.#tell(diff, review, outcome));
      // An agent that knows its proposal to be open waits for the decision, also of the next companion.
      await this.#reviews.writtenDown();
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
    this.#oweNothing(filePath);
    const review = this.#reviews.withdraw(this.#session.id, filePath, 'agent') ?? this.#reviewOf(diff);
    return review?.content ?? diff.opening;
  }

  /** The CLI hears notifications from now on, also those that it missed while it had no stream. */
  streamOpened(): void {
    const missed = [...this.#untold];
    this.#untold.clear();
    for (const [, untold] of missed) void this.#send(untold);
  }

  #reviewOf(diff: Diff): Review | undefined {
    return diff.review === undefined ? undefined : this.#reviews.get(diff.review);
  }

  /** What was decided is taken down before it is told: a crash in between must not lose it, nor ask for it again. */
  async #tell(diff: Diff, review: Review, outcome: Outcome): Promise<void> {
    const decision = encodeDecision(review.proposal.path, outcome);
    if (decision === undefined) return;
    await this.#reviews.writtenDown();
    // Meanwhile it may have been decided in the terminal as well, or the next diff have taken its place.
    if (this.#isAwaited(diff, review)) await this.#send({ diff, review, decision });
    else this.#reviews.noteAnswered(review);
  }

  /** Between two streams nobody hears: the decision waits for the next one, unless a newer diff takes its place. */
  async #send(untold: Untold): Promise<void> {
    const { diff, review, decision } = untold;
    const isHeard = await this.#session.notify(decision.method, decision.params);
    if (isHeard || !this.#isAwaited(diff, review)) this.#reviews.noteAnswered(review);
    else this.#untold.set(review.proposal.path, untold);
  }

  #isAwaited(diff: Diff, review: Review): boolean {
    return !diff.isClosed && diff === this.#latest.get(review.proposal.path);
  }

  /** The agent has taken its diff back, or put another one in its place: it must not hear of that one any more. */
  #oweNothing(filePath: string): void {
    const untold = this.#untold.get(filePath);
    this.#untold.delete(filePath);
    if (untold !== undefined) this.#reviews.noteAnswered(untold.review);
  }
}

/** What was proposed last for one path: its text as long as it is on its way to the screen, then its review. */
interface Diff {
  opening: string | undefined;
  review?: string;
  isClosed: boolean;
}

/** A decision on its way to the agent. */
interface Untold {
  readonly diff: Diff;
  readonly review: Review;
  readonly decision: Decision;
}
