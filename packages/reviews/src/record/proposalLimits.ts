import type { Clock, Path } from '@tandem/core';
import type { Proposal } from './proposal.js';

/** Limits on pending proposals. Each is far above what a user can review. */
export interface ProposalLimits {
  /** Pending changes of one session. */
  readonly perSession: number;
  /** Pending changes of all sessions. */
  readonly inAll: number;
  /** Code units of all pending proposed texts. */
  readonly text: number;
  /** Changes that one session may propose within one second. */
  readonly perSecond: number;
}

export const defaultProposalLimits: ProposalLimits = {
  perSession: 500,
  inAll: 2000,
  text: 256 * 1024 * 1024,
  perSecond: 200,
};

/** A proposal whose review is pending or being opened. */
export interface PendingProposal {
  readonly session: string;
  readonly path: Path;
  readonly size: number;
}

/** Refuses proposals that exceed the limits. */
export class ProposalGate {
  readonly #limits: ProposalLimits;
  readonly #clock: Clock;
  readonly #rates = new Map<string, { readonly began: number; count: number }>();

  constructor(limits: ProposalLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Why a proposal is refused, in words for the agent; undefined when it is not. */
  findExcess(proposal: Proposal, waiting: Iterable<PendingProposal>): string | undefined {
    const { perSession, inAll, text, perSecond } = this.#limits;
    const { session, path, content } = proposal;
    if (!this.#isInTime(session)) {
      return `More than ${perSecond} changes were proposed within a second. Propose fewer at a time.`;
    }
    let [own, all, size] = [0, 0, content.length];
    for (const other of waiting) {
      // The new proposal replaces it.
      if (other.session === session && other.path === path) continue;
      if (other.session === session) own += 1;
      all += 1;
      size += other.size;
    }
    if (own >= perSession) {
      return `${perSession} changes of this agent are pending already. Wait until some are decided.`;
    }
    if (all >= inAll) return `${inAll} changes are pending already. Wait until some are decided.`;
    // The transport limits the size of a single proposal.
    if (all > 0 && size > text) {
      return 'The pending changes contain too much text already. Wait until some are decided.';
    }
    return undefined;
  }

  /** Drops the state of a session that has ended. */
  forget(session: string): void {
    this.#rates.delete(session);
  }

  #isInTime(session: string): boolean {
    const now = this.#clock.now();
    const known = this.#rates.get(session);
    // A clock that was set back must not block the session.
    if (known === undefined || now < known.began || now - known.began >= 1000) {
      this.#rates.set(session, { began: now, count: 1 });
      return true;
    }
    known.count += 1;
    return known.count <= this.#limits.perSecond;
  }
}
