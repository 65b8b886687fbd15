import { type Companion, forEachWithPauses, isEdited } from '@tandem/companion';
import {
  type AgentId,
  descriptorOf,
  isAgentId,
  nameOfAgent,
  receivesOnly,
  startWords,
} from '@tandem/companion/agents';
import type { CompanionStatus } from '@tandem/companion/control';
import { type Path, presentEnd, presentInterruption, type Review } from '@tandem/core';
import type {
  PageAgent,
  PageDecided,
  PageDocument,
  PageInterrupted,
  PageReview,
  PageReviewDetails,
  PageSessionSummary,
  PageSharing,
} from '@tandem/page/wire';
import type { OpenDocument } from '../editor/openDocument.js';
import type { PageEditor } from '../editor/pageEditor.js';
import { describeEnded, type ShownReview } from '../editor/shownReview.js';
import { commandName } from '../output.js';
import type { RestoredTexts } from './restoredTexts.js';
import type { WorkspacePaths } from './workspacePaths.js';

/** What the page shows of a companion, as values of the wire. Read-only. */
export class PageValues {
  readonly #companion: Companion;
  readonly #editor: PageEditor;
  readonly #paths: WorkspacePaths;

  constructor(of: {
    readonly companion: Companion;
    readonly editor: PageEditor;
    readonly paths: WorkspacePaths;
  }) {
    this.#companion = of.companion;
    this.#editor = of.editor;
    this.#paths = of.paths;
  }

  /** With other work in between, because comparing large texts takes long. */
  async reviews(): Promise<PageReview[]> {
    const all = () => [...this.#editor.shownReviews, ...this.#editor.endedReviews];
    await forEachWithPauses(all(), (shown, pause) => shown.compare(pause));
    return all().map((shown) => this.review(shown));
  }

  review(shown: ShownReview): PageReview {
    const { review } = shown;
    const isPending = review.state === 'pending';
    const { decidedAt, end, state, ...summary } = shown.summary({
      notKept: isPending ? this.#companion.journal.problemWith(review) : undefined,
      isUnsaved: this.#editor.documents.state(review.proposal.path)?.isDirty,
    });
    const isConfirmed = this.#companion.reviews.isConfirmed(review);
    return {
      ...summary,
      state: isConfirmed ? state : 'pending',
      ...(isConfirmed && decidedAt !== undefined && { decidedAt }),
      ...(isConfirmed && end && { end }),
      agentName: this.#companion.sessions.names.of(summary.agent, summary.session),
      label: this.#paths.label(summary.path),
    };
  }

  /** The decided reviews of the history, the newest first. */
  decided(): PageDecided[] {
    return this.#companion.history.decided
      .map((entry): PageDecided => {
        const { agent, session, path, openedAt, original, decided } = entry;
        const state = decided.how === 'rejected' ? 'rejected' : 'accepted';
        return {
          id: decided.id,
          agent,
          agentName: this.#companion.sessions.names.of(agent, session),
          session,
          ...(decided.title !== undefined && { title: decided.title }),
          path,
          label: this.#paths.label(path),
          openedAt,
          decidedAt: decided.at,
          isNewFile: original.kind === 'missing',
          isEdited: isEdited(entry),
          state,
          end: presentEnd(state, { isEdited: isEdited(entry), agentName: nameOfAgent(agent) }),
        };
      })
      .reverse();
  }

  /** A review that has ended and that the editor no longer shows. */
  ended(review: Review): PageReviewDetails {
    const { review: summary, ...details } = describeEnded(review);
    return {
      ...details,
      review: {
        ...summary,
        agentName: this.#companion.sessions.names.of(summary.agent, summary.session),
        label: this.#paths.label(summary.path),
      },
    };
  }

  sessions(): PageSessionSummary[] {
    return this.#companion.sessions
      .list()
      .map((session) => ({ ...session, label: session.title ?? this.#paths.label(session.firstPath) }));
  }

  /** Without those that are open as unsaved changes. */
  interrupted(restored: RestoredTexts): PageInterrupted[] {
    const { all } = this.#companion.interrupted;
    return all
      .filter(({ id }) => !restored.has(id))
      .map((review) => ({
        id: review.id,
        agent: review.agent,
        agentName: nameOfAgent(review.agent),
        path: review.path,
        label: this.#paths.label(review.path),
        isEdited: isEdited(review),
        end: presentInterruption(review.interruption, review),
      }));
  }

  async documents(): Promise<PageDocument[]> {
    const documents = this.#editor.openDocuments;
    const held = await this.heldBack(documents.map(({ path }) => path));
    return Promise.all(documents.map((document) => this.#document(document, held.get(document.path))));
  }

  async agents(): Promise<PageAgent[]> {
    return (await this.#companion.status()).agents.map((agent) => this.#agent(agent));
  }

  async sharing(): Promise<PageSharing> {
    const { isPaused, activeFile, heldBack } = await this.#companion.sharing.status();
    return {
      isPaused,
      ...(activeFile && { activeFile: { ...activeFile, label: this.#paths.label(activeFile.path) } }),
      ...(heldBack && {
        heldBack: {
          ...heldBack,
          label: this.#paths.label(heldBack.path),
          agents: heldBack.agents.map((id) => nameOfAgent(id)),
        },
      }),
    };
  }

  /** The reasons, for those of these files that are held back from some or all agents. */
  async heldBack(paths: readonly Path[]): Promise<ReadonlyMap<Path, string>> {
    const found = await this.#companion.sharing.heldBackFiles(paths);
    return new Map(
      [...found].map(([path, { from, isFromAll }]) => {
        const reason = from[0]?.reason ?? '';
        const agents = from.map(({ displayName }) => displayName);
        return [path, isFromAll ? reason : `${reason} (only from ${agents.join(', ')})`];
      }),
    );
  }

  async #document(document: OpenDocument, heldBack: string | undefined): Promise<PageDocument> {
    const { path, kind, isDirty, hasConflict, isMissing, isReadOnly, lineEnds, encoding } = document;
    return {
      path,
      label: this.#paths.label(path),
      kind,
      isDirty,
      hasConflict,
      isMissing,
      // The page may view files outside the workspace that `tandem focus` opened, but writes only in the workspace.
      isReadOnly: isReadOnly || !(await this.#paths.isInside(path)),
      lineEnds,
      ...(encoding !== undefined && { encoding }),
      ...(heldBack !== undefined && { heldBack }),
    };
  }

  #agent(agent: CompanionStatus['agents'][number]): PageAgent {
    const problem = agent.discovery.find((each) => each.problem !== undefined)?.problem;
    return {
      id: agent.id,
      displayName: agent.displayName,
      sessions: agent.sessions.map((session) => ({
        ...session,
        name: this.#companion.sessions.names.of(agent.id, session.id),
      })),
      command: `${commandName} run ${agent.id}`,
      ...(isAgentId(agent.id) && factsOf(agent.id)),
      takesMentions: agent.takesMentions,
      polls: agent.polls === true,
      ...(problem !== undefined && { problem }),
      ...(agent.lost && { lost: agent.lost }),
    };
  }
}

function factsOf(agent: AgentId): Pick<PageAgent, 'byHand' | 'receivesOnly'> {
  const descriptor = descriptorOf(agent);
  const { connect } = descriptor;
  const only = receivesOnly(descriptor);
  return {
    byHand: { command: startWords(descriptor).join(' '), ...(connect !== undefined && { connect }) },
    ...(only !== undefined && { receivesOnly: only }),
  };
}
