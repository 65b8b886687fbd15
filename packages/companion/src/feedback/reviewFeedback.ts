import type { AgentSession, Machine, PromptAccess, RunningProtocol } from '@tandem/agents';
import { describeError, type Logger, labelIn, type SharingPolicy } from '@tandem/core';
import {
  alreadyDecided,
  CommentError,
  composeFeedback,
  type Editor,
  type Review,
  type Reviews,
} from '@tandem/reviews';
import type { Feedback } from '@tandem/rpc';
import { identityOf } from '../agents/agents.js';
import type { FeedbackFiles } from './feedbackFiles.js';

interface Services {
  readonly editor: Editor;
  readonly reviews: Reviews;
  readonly policy: SharingPolicy;
  readonly agents: {
    readonly protocols: readonly RunningProtocol[];
    readonly sessions: readonly AgentSession[];
  };
  readonly files: FeedbackFiles;
  readonly machine: Machine;
  /** How the user runs the `tandem` command, if the host knows. */
  readonly command: string | undefined;
  readonly logger: Logger;
}

export interface FeedbackOptions {
  readonly rejects?: boolean | undefined;
  /** A remark on the whole proposal, beside the comments. */
  readonly text?: string | undefined;
}

/** How the agent learned of the rejection; `by-hook`: with the feedback. */
type Rejection = 'by-hook' | 'taken' | 'not-confirmed';

/** Why the prompt has no reference to the feedback. */
interface Problem {
  /** In words for the user. */
  readonly reason: string;
  /** Whether the hooks of the agent would have received it. */
  readonly isSolvedByHook?: boolean;
}

/** Sends the user's comments on a review to its agent. Never submits them: only the user does that. */
export class ReviewFeedback {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * Rejects the review if `rejects`, and passes the comments and `text` to the agent by its hook, or as a reference in its
   * prompt if that is certain to be safe. The result contains the text in any case. Rejects with `CommentError` if there is
   * nothing to send, and with `ReviewDecidedError` if the review cannot be rejected any more.
   */
  async send(review: Review, { rejects = false, text: remark }: FeedbackOptions = {}): Promise<Feedback> {
    const { policy, editor, agents } = this.#services;
    const { agent, path } = review.proposal;
    const quotes = (await policy.heldBack(identityOf(agent), path)) === undefined;
    const compose = (): string => {
      const label = labelIn(editor.workspace.folders(), path);
      const text = composeFeedback({ review, label, remark, quotes });
      if (text === undefined) throw new CommentError('There is no comment to send. Add one first.');
      return text;
    };
    compose();
    const protocol = agents.protocols.find(({ identity }) => identity.id === agent);
    const rejection = rejects ? await this.#reject(review, protocol?.prompt, compose) : undefined;
    const text = compose();
    const name = protocol?.displayName ?? agent;
    if (rejection === 'by-hook') {
      return { text, delivery: 'prompt', note: `${name} has received the feedback and continues with it.` };
    }
    if (protocol?.prompt?.hooks?.leave?.(review.proposal.session, text)) {
      return { text, delivery: 'prompt', note: `${name} receives the feedback with your next message.` };
    }
    const problem = await this.#refer(review, protocol, text, rejection);
    if (problem !== undefined) {
      return {
        text,
        delivery: 'clipboard',
        note: `The feedback could not be put into the prompt of ${name}: ${problem.reason}. Paste it there yourself.${await this.#hint(agent, problem.isSolvedByHook)}`,
      };
    }
    return {
      text,
      delivery: 'prompt',
      note: `The feedback is in the prompt of ${name}, as a reference to a file. Press Enter there to send it.${await this.#hint(agent, protocol?.prompt?.hooks?.areUsed === false)}`,
    };
  }

  /**
   * Rejects the review. If a hook of the agent waits for it, the agent first receives the text through the hook, and then the answer to
   * its call, which would end its turn.
   */
  async #reject(review: Review, prompt: PromptAccess | undefined, compose: () => string): Promise<Rejection> {
    const hook = prompt?.hooks?.hold(review);
    try {
      const early = hook === undefined ? prompt?.whenTaken(review) : undefined;
      if (!review.reject()) throw alreadyDecided(review);
      await this.#services.reviews.persisted();
      const taken = early ?? prompt?.whenTaken(review);
      const isByHook = hook?.deny(compose()) === true;
      if (!isByHook) hook?.dispose();
      if ((await taken) !== true) return 'not-confirmed';
      return isByHook ? 'by-hook' : 'taken';
    } finally {
      hook?.dispose();
    }
  }

  /**
   * Puts a reference to the text into the agent's prompt, for an agent that takes one. Resolves to undefined if it is there,
   * otherwise to why not.
   */
  async #refer(
    { proposal: { session } }: Review,
    protocol: RunningProtocol | undefined,
    text: string,
    rejection: Rejection | undefined,
  ): Promise<Problem | undefined> {
    const { agents, reviews, files, logger } = this.#services;
    const live = agents.sessions.find(({ id }) => id === session);
    if (live === undefined || live.isAway === true) return { reason: 'it has disconnected' };
    const { prompt, hooks } = protocol ?? {};
    const isSolvedByHook = hooks !== undefined && hooks.modeOf(live) === undefined;
    const problem = (reason: string): Problem => ({ reason, isSolvedByHook });
    if (prompt?.refer === undefined) {
      return problem(
        isSolvedByHook ? 'no hook of Tandem has run in this session' : 'it cannot receive feedback now',
      );
    }
    if (rejection === 'not-confirmed') return problem('it has not confirmed the rejection');
    if (reviews.ofSession(session).length > 0) return problem('another of its reviews is pending');
    // Its screen is not read, and a reference would cover a question of it.
    if (rejection !== 'taken') return problem('it may be showing a question');
    try {
      const file = await files.write(session, text);
      if (file === undefined) return problem('the path of the feedback file has special characters');
      return (await prompt.refer(session, file)) ? undefined : { reason: 'it has disconnected' };
    } catch (error) {
      logger.warn('feedback could not be written', {
        agent: protocol?.identity.id,
        error: describeError(error),
      });
      return problem('writing the feedback file failed');
    }
  }

  async #hint(agent: string, isNeeded = false): Promise<string> {
    const { machine, command } = this.#services;
    return isNeeded ? (await import('./hookHint.js')).hookHint(agent, machine, command) : '';
  }
}
