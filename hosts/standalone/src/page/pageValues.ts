import { type Companion, forEachWithPauses } from '@tandem/companion';
import { type AgentId, descriptorOf, isAgentId, receivesOnly, startWords } from '@tandem/companion/agents';
import type { CompanionStatus } from '@tandem/companion/control';
import type { Path } from '@tandem/core';
import type { PageAgent, PageDocument, PageReviewDetails, PageSessionSummary } from '@tandem/page/wire';
import type { Review } from '@tandem/reviews';
import type { ReviewFacts, ReviewSummary, SharingStatus } from '@tandem/rpc';
import type { OpenDocument } from '../editor/openDocument.js';
import type { PageEditor } from '../editor/pageEditor.js';
import { endedDetails, type ShownReview } from '../editor/shownReview.js';
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
  async reviews(): Promise<ReviewSummary[]> {
    const all = () => [...this.#editor.shownReviews, ...this.#editor.endedReviews];
    await forEachWithPauses(all(), (shown, pause) => shown.compare(pause));
    return all().map((shown) => this.review(shown));
  }

  review(shown: ShownReview): ReviewSummary {
    const { review } = shown;
    const { present } = this.#companion;
    const isUnsaved = this.#editor.documents.state(review.proposal.path)?.isDirty;
    const { decidedAt, end, ...summary } = shown.summary({ ...present.contextOf(review), isUnsaved });
    // Until the journal has the decision, it may still be lost.
    return review.isStored ? { ...summary, decidedAt, end } : { ...summary, state: 'pending' };
  }

  /** The decided reviews of the history, the newest first. */
  decided(): ReviewFacts[] {
    return this.#companion.history.decided.map((entry) => this.#companion.present.facts(entry)).reverse();
  }

  /** A review that has ended and that the editor no longer shows. */
  ended(review: Review): PageReviewDetails {
    return { ...endedDetails(review), review: this.#companion.present.summary(review) };
  }

  sessions(): PageSessionSummary[] {
    return this.#companion.sessions
      .list()
      .map((session) => ({ ...session, label: session.title ?? this.#paths.label(session.firstPath) }));
  }

  /** The reviews apart from the pending ones, without those that are open as unsaved changes. */
  apart(restored: RestoredTexts): ReviewFacts[] {
    const { apart, present } = this.#companion;
    return apart.map((review) => present.facts(review)).filter(({ id }) => !restored.has(id));
  }

  async documents(): Promise<PageDocument[]> {
    const documents = this.#editor.openDocuments;
    const held = await this.heldBack(documents.map(({ path }) => path));
    return Promise.all(documents.map((document) => this.#document(document, held.get(document.path))));
  }

  async agents(): Promise<PageAgent[]> {
    return (await this.#companion.status()).agents.map((agent) => this.#agent(agent));
  }

  sharing(): Promise<SharingStatus> {
    return this.#companion.sharing.status();
  }

  /** The reasons, for those of these files that are hidden from some or all agents. */
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
  const { connect, isHookedOnly } = descriptor;
  const only = receivesOnly(descriptor);
  const byHand = { command: startWords(descriptor).join(' '), ...(connect !== undefined && { connect }) };
  return {
    ...(!isHookedOnly && { byHand }),
    ...(only !== undefined && { receivesOnly: only }),
  };
}
