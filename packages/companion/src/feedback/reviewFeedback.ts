import type { AgentSession, Machine, PromptAccess, RunningProtocol } from '@tandem/agents';
import { type Logger, labelIn, type SharingPolicy } from '@tandem/core';
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
import { NotInsertedError, pasteIntoTerminal } from './agentTerminal.js';
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

/** Sends the user's comments on a review to its agent. Never submits them: only the user does that. */
export class ReviewFeedback {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * Rejects the review if `rejects`, and puts the comments and `text` into the agent's prompt if that is certain to be safe. The
   * result contains the text in any case. Rejects with `CommentError` if there is nothing to send, and with
   * `ReviewDecidedError` if the review cannot be rejected any more.
   */
  async send(review: Review, { rejects = false, text: remark }: FeedbackOptions = {}): Promise<Feedback> {
    const { policy, editor, agents, machine, command } = this.#services;
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
    try {
      const how = await this.#insert(
        review,
        protocol,
        text,
        rejection === undefined ? undefined : rejection === 'taken',
      );
      const hint =
        rejection === undefined || protocol?.prompt?.hooks?.areUsed !== false
          ? ''
          : await (await import('./hookHint.js')).hookHint(agent, machine, command);
      return {
        text,
        delivery: 'prompt',
        note: `The feedback is in the prompt of ${name}${how}. Press Enter there to send it.${hint}`,
      };
    } catch (error) {
      if (!(error instanceof NotInsertedError)) {
        this.#services.logger.warn('feedback could not be inserted', {
          agent,
          error: error instanceof Error ? error.name : '',
        });
      }
      const reason = error instanceof NotInsertedError ? error.message : 'inserting it failed';
      return {
        text,
        delivery: 'clipboard',
        note: `The feedback could not be put into the prompt of ${name}: ${reason}. Paste it there yourself.`,
      };
    }
  }

  /**
   * Rejects the review. If a hook of the agent waits for it, the agent first receives the text through the hook, and then the answer to
   * its call, which would end its turn.
   */
  async #reject(
    review: Review,
    prompt: PromptAccess | undefined,
    compose: () => string,
  ): Promise<'by-hook' | 'taken' | 'not-confirmed'> {
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

  /** Rejects with `NotInsertedError`. Resolves to what the user sees in the prompt, if not the text. */
  async #insert(
    { proposal: { session } }: Review,
    protocol: RunningProtocol | undefined,
    text: string,
    isTaken: boolean | undefined,
  ): Promise<string> {
    const { agents, reviews, editor, files } = this.#services;
    const live = agents.sessions.find(({ id }) => id === session);
    if (live === undefined || live.isAway === true) throw new NotInsertedError('it has disconnected');
    const prompt = protocol?.prompt;
    if (prompt?.refer === undefined && prompt?.stream === undefined)
      throw new NotInsertedError('Tandem cannot insert text into its prompt');
    if (isTaken === false) throw new NotInsertedError('it has not confirmed the rejection'); // The agent shows a question for each pending review, and that question would receive the pasted text.
    if (reviews.pending.some(({ proposal }) => proposal.session === session)) {
      throw new NotInsertedError('another of its reviews is pending');
    }
    if (prompt.refer === undefined) {
      await pasteIntoTerminal({ prompt, session, editor, isOver: isTaken === true }, text);
      return '';
    }
    // Its screen is not read, and a reference would cover a question of it.
    if (isTaken !== true) throw new NotInsertedError('it may be showing a question');
    const file = await files.write(session, text);
    if (file === undefined)
      throw new NotInsertedError('the path of the feedback file has special characters');
    if (await prompt.refer(session, file)) return ', as a reference to a file';
    throw new NotInsertedError('it has disconnected');
  }
}
