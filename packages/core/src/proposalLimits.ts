import type { Clock } from './clock.js';
import type { Path } from './position.js';
import type { Proposal } from './review.js';

/** How much agents may ask of a person at one time. Each lies far above what anybody could look at. */
export interface ProposalLimits {
  /** Changes of one session that wait. */
  readonly perSession: number;
  /** Changes that wait in all. */
  readonly inAll: number;
  /** Code units of the proposed texts that wait, in all. */
  readonly text: number;
  /** Changes that one session may propose within one second. */
  readonly perSecond: number;
}

export const defaultProposalLimits: ProposalLimits = {
  perSession: 250,
  inAll: 2000,
  text: 256 * 1024 * 1024,
  perSecond: 200,
};

/** What waits: pending, or on its way to be. */
export interface WaitingProposal {
  readonly session: string;
  readonly path: Path;
  readonly size: number;
}

/** Says which proposal is one too many. */
export class ProposalGate {
  readonly #limits: ProposalLimits;
  readonly #clock: Clock;
  readonly #rates = new Map<string, { readonly began: number; count: number }>();

  constructor(limits: ProposalLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Why a proposal is refused, in words for the agent; undefined when it is not. */
  findExcess(proposal: Proposal, waiting: Iterable<WaitingProposal>): string | undefined {
    const { perSession, inAll, text, perSecond } = this.#limits;
    const { session, path, content } = proposal;
    if (!this.#isInTime(session)) {
      return `More than ${perSecond} changes were proposed within a second. Propose fewer at a time.`;
    }
    let [own, all, size] = [0, 0, content.length];
    for (const other of waiting) {
      // It will be replaced by this one.
      if (other.session === session && other.path === path) continue;
      if (other.session === session) own += 1;
      all += 1;
      size += other.size;
    }
    if (own >= perSession) {
      return `${perSession} changes of this agent are pending already. Wait until some are decided.`;
    }
    if (all >= inAll) return `${inAll} changes are pending already. Wait until some are decided.`;
    // A single one, however large, is the transport's to refuse.
    if (all > 0 && size > text) {
      return 'The pending changes contain too much text already. Wait until some are decided.';
    }
    return undefined;
  }

  /** A session that is over proposes nothing more. */
  forget(session: string): void {
    this.#rates.delete(session);
  }

  #isInTime(session: string): boolean {
    const now = this.#clock.now();
    const known = this.#rates.get(session);
    // A clock that was set back must not keep anybody waiting.
    if (known === undefined || now < known.began || now - known.began >= 1000) {
      this.#rates.set(session, { began: now, count: 1 });
      return true;
    }
    known.count += 1;
    return known.count <= this.#limits.perSecond;
  }
}
