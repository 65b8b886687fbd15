import {
  CommentError,
  composeFeedback,
  labelIn,
  type Review,
  type Reviews,
  type SharingPolicy,
} from '@tandem/core';
import { type Feedback, RpcError } from '@tandem/rpc';
import { identityOf } from '../agents.js';

interface Services {
  readonly reviews: Reviews;
  readonly policy: SharingPolicy;
  readonly folders: () => readonly string[];
}

export interface FeedbackOptions {
  readonly rejects?: boolean | undefined;
  /** A remark on the whole change, beside the comments. */
  readonly text?: string | undefined;
}

/** Sends the user's comments on a review to its agent. Never submits them: only the user does that. */
export class ReviewFeedback {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * Rejects the review if `rejects`, and puts the comments and `text`, a remark on the whole change, into the agent's prompt if that is safe. The
   * result contains the text in any case. Rejects with `CommentError` if there is nothing to send, and with `RpcError` if the review cannot be
   * rejected any more.
   */
  async send(review: Review, { rejects = false, text: remark }: FeedbackOptions = {}): Promise<Feedback> {
    const { reviews, policy, folders } = this.#services;
    const { agent, path } = review.proposal;
    const heldBack = await policy.heldBack(identityOf(agent), path);
    const compose = (): string => {
      const label = labelIn(folders(), path);
      const text = composeFeedback({ review, label, remark, quotes: heldBack === undefined });
      if (text === undefined) throw new CommentError('There is no comment to send. Add one first.');
      return text;
    };
    compose();
    if (rejects) {
      if (!review.reject())
        throw new RpcError('already-decided', `Review ${review.id} is already ${review.state}.`);
      await reviews.persisted();
    }
    const text = compose();
    return { text, delivery: 'clipboard', note: 'Paste the text into the prompt of the agent.' };
  }
}
