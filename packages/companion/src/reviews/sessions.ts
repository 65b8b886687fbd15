import {
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
} from '@tandem/core';
import {
  type Answer,
  askAboutAll,
  type DecidedAll,
  type Decision,
  decideAll,
  type HistoryEntry,
  type PendingDecision,
  previewTogether,
  type Question,
  type Review,
  type ReviewSurroundings,
  type Reviews,
} from '@tandem/reviews';
import { RpcError, type SessionSummary } from '@tandem/rpc';
import type { ServedAgents } from '../agents/servedAgents.js';
import type { CompanionEvent } from '../control/companionEvent.js';
import { questionError } from '../control/rpcErrors.js';
import { pausing } from '../files/pausing.js';
import { changesByFile } from './entryChanges.js';
import type { History } from './history.js';
import { SessionNames } from './sessionNames.js';

interface AgentProcess {
  readonly agent: string;
  readonly id: string;
  readonly pid?: number | undefined;
}

interface Services {
  readonly reviews: Reviews;
  readonly history: History;
  readonly agents: ServedAgents;
  readonly around: ReviewSurroundings;
  readonly onEvent: Event<CompanionEvent>;
  readonly logger: Logger;
}

/** The sessions that proposed changes, and decisions on all pending reviews of one. The creator disposes it. */
export class Sessions implements Disposable {
  /** The result of `list` changed. */
  readonly onDidChange: Event<void>;
  readonly names: SessionNames;

  readonly #services: Services;
  readonly #owned = new DisposableStore();
  /** The last session of each agent process. */
  readonly #processes = new Map<string, string>();

  constructor(services: Services) {
    this.#services = services;
    const { reviews, history, onEvent, logger } = services;
    this.names = new SessionNames(services.agents);
    const didChange = this.#owned.add(new Emitter<void>(logListenerError(logger, 'the sessions')));
    this.onDidChange = didChange.event;
    const changed = (): void => didChange.fire();
    this.#owned.add(reviews.onDidOpen((review) => this.#continue(review.proposal.session)));
    this.#owned.add(reviews.onDidOpen(changed));
    this.#owned.add(reviews.onDidDecide(changed));
    this.#owned.add(history.onDidChange(changed));
    this.#owned.add(onEvent(({ event }) => event.startsWith('session.') && changed()));
  }

  /** The sessions with pending reviews or with reviews in the history, in the order of their first one. */
  list(): SessionSummary[] {
    const { reviews, history, agents } = this.#services;
    const connected = new Map(agents.sessions.map((session) => [session.id, session]));
    return summariseSessions(reviews.pending, history.entries).map((session) => {
      const found = connected.get(session.id);
      return {
        ...session,
        ...(found?.title && { title: found.title }),
        agentName: this.names.of(session.agent, session.id),
        isConnected: found !== undefined && !found.isAway,
      };
    });
  }

  /** Sessions of the previous companion: an agent over a WebSocket continues in a new one. */
  remember(sessions: readonly AgentProcess[]): void {
    for (const { agent, id, pid } of sessions)
      if (pid !== undefined) this.#processes.set(`${agent} ${pid}`, id);
  }

  /** What the agent calls its conversation, if its protocol has a name for it. */
  titleOf(session: string): string | undefined {
    return this.#services.agents.sessions.find(({ id }) => id === session)?.title;
  }

  /** What Accept All and Reject All would do with the pending reviews of a session, in their order. */
  preview(session: string): Promise<PendingDecision[]> {
    return previewTogether(this.#pending(session), this.#services.around);
  }

  /**
   * Accepts or rejects the pending reviews of these sessions, or asks first. Without `seen`, an answer decides them as they
   * are. Resolves once the journal has the decisions.
   */
  async decide(sessions: readonly string[], decision: Decision, answer?: Answer): Promise<DecidedAll> {
    const pending = sessions.flatMap((session) => this.#pending(session));
    const attempt = await decideAll(pending, decision, answer, { ...this.#around, pause: pausing() });
    await this.#services.reviews.persisted();
    return attempt;
  }

  /** The question before all pending reviews of a session are decided, also if `decide` would not ask it. */
  async question(session: string, decision: Decision): Promise<Question> {
    return askAboutAll(decision, await this.preview(session), this.#around);
  }

  /** The full id of the session that begins with these characters. Throws `RpcError` unless there is exactly one. */
  require(beginning: string): string {
    const ids = this.list().map(({ id }) => id);
    return requireSession(ids, beginning, `No session ${beginning} has proposed a change.`);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** Moves the history of an agent process to its new session after it reconnects. */
  #continue(id: string): void {
    const { sessions } = this.#services.agents;
    const session = sessions.find((each) => each.id === id);
    if (session?.pid === undefined) return;
    const before = this.#processes.get(`${session.agent} ${session.pid}`);
    this.remember([session]);
    const isOver = sessions.every((each) => each.id !== before);
    if (before !== undefined && before !== id && isOver) this.#services.history.continueSession(before, id);
  }

  get #around() {
    return {
      ...this.#services.around,
      nameOf: ({ proposal }: Review) => this.names.of(proposal.agent, proposal.session),
    };
  }

  #pending(session: string): Review[] {
    return this.#services.reviews.pending.filter(({ proposal }) => proposal.session === session);
  }
}

/** What came of it, for a call. Throws `RpcError` with a question. */
export function outcomeOf(attempt: DecidedAll) {
  if (attempt.kind === 'question') throw questionError(attempt.question);
  const { decided, pending, note } = attempt;
  return {
    decided: decided.map(placeOf),
    pending: pending.map(({ review, obstacle }) => ({ ...placeOf(review), obstacle })),
    note,
  };
}

function placeOf({ id, proposal: { path } }: Review) {
  return { id, path };
}

/** What is known of each session from its reviews. Both lists are in the order of time. */
function summariseSessions(
  pending: readonly Review[],
  history: readonly HistoryEntry[],
): Omit<SessionSummary, 'agentName' | 'isConnected'>[] {
  const sessions = new Map<string, { past: HistoryEntry[]; open: Review[] }>();
  const of = (id: string) => {
    const found = sessions.get(id) ?? { past: [], open: [] };
    sessions.set(id, found);
    return found;
  };
  for (const entry of history) of(entry.session).past.push(entry);
  for (const review of pending) of(review.proposal.session).open.push(review);
  return [...sessions]
    .flatMap(([id, { past, open }]) => {
      const first = past[0] ?? open[0]?.proposal;
      if (first === undefined) return [];
      return {
        id,
        agent: first.agent,
        firstPath: first.path,
        firstOpenedAt: Math.min(...[...past, ...open].map(({ openedAt }) => openedAt)),
        lastActiveAt: Math.max(
          ...past.map(({ decided }) => decided.at),
          ...open.map(({ openedAt }) => openedAt),
        ),
        pending: open.map((review) => review.id),
        decided: past.filter(({ decided: { how } }) => how === 'accepted' || how === 'rejected').length,
        files: changesByFile(past).size,
      };
    })
    .sort((one, other) => one.firstOpenedAt - other.firstOpenedAt);
}

/** The full id of the session that begins with these characters. Throws `RpcError` unless there is exactly one. */
export function requireSession(ids: readonly string[], beginning: string, ifNone: string): string {
  const found = ids.includes(beginning) ? [beginning] : ids.filter((id) => id.startsWith(beginning));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const ifSeveral = `${found.length} sessions begin with ${beginning}. Use more characters.`;
  throw new RpcError('not-found', found.length === 0 ? ifNone : ifSeveral);
}
