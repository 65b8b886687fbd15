import { join } from 'node:path';
import { hookRestartLimitMs, type Machine, type ProtocolHost } from '@tandem/agents';
import {
  type Clock,
  ContextFeed,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  labelIn,
  logListenerError,
  SharingPolicy,
  SpecialFileNames,
  silentLogger,
  systemClock,
  withTimeout,
} from '@tandem/core';
import { createRecorder, type LoopbackListener } from '@tandem/mcp';
import {
  type Accepting,
  type Attempt,
  acceptReview,
  type Editor,
  type InterruptedReview,
  newReviewKey,
  type Review,
  ReviewRecords,
  ReviewStates,
  type ReviewSurroundings,
  Reviews,
} from '@tandem/reviews';
import { agentIds, identityOf, trustedFiles } from './agents/agents.js';
import { ServedAgents } from './agents/servedAgents.js';
import { Sharing } from './agents/sharing.js';
import { StartFolders } from './agents/startFolders.js';
import { SessionChanges } from './changes/sessionChanges.js';
import { type WatchedWork, watchWork } from './changes/watchWork.js';
import { type CompanionOptions, machineOf } from './companionOptions.js';
import { type CompanionEvent, reportEvents, streamEvents } from './control/companionEvent.js';
import type { CompanionStatus, ControlHandlers } from './control/controlContract.js';
import { describePage } from './control/hostPage.js';
import { Presence } from './control/presence.js';
import { stateFolder } from './control/thisMachine.js';
import { FeedbackFiles } from './feedback/feedbackFiles.js';
import { ReviewFeedback } from './feedback/reviewFeedback.js';
import { pausing } from './files/pausing.js';
import { readIfPossible, WorkspaceFiles } from './files/workspaceFiles.js';
import { isUnsaved, saveUnsaved, WorkspaceWriter } from './files/workspaceWriter.js';
import {
  beforeOf,
  type CompanionState,
  type JournalContents,
  reviewsOf,
  stateOf,
} from './journal/journalContents.js';
import { lastNumberIn } from './journal/journalNumbers.js';
import { JournalWriter } from './journal/journalWriter.js';
import { EndedReviews } from './reviews/endedReviews.js';
import { History } from './reviews/history.js';
import { InterruptedFiles } from './reviews/interruptedFiles.js';
import { forgetUntouchedOf, listenAfter, offerReviewsOf } from './reviews/predecessor.js';
import { ReviewPresenter } from './reviews/reviewSummary.js';
import { Sessions } from './reviews/sessions.js';
import { TraceBuffer } from './trace/traceBuffer.js';

/** A list of reviews waits no longer than this for their files, in milliseconds. */
const sweepLimitMs = 1_000;

/** An editor, the agents that it serves, and their reviews. `createCompanion` makes and starts one. */
export class Companion {
  readonly editor: Editor;
  readonly feed: ContextFeed;
  readonly policy: SharingPolicy;
  readonly sharing: Sharing;
  readonly agents: ServedAgents;
  readonly reviews: Reviews;
  /** Reviews whose agents no longer expect an answer. The user can apply or discard them. */
  readonly interrupted: ReviewStates;
  readonly interruptedFiles: InterruptedFiles;
  /** Ended reviews whose text or decision could still be lost. */
  readonly ended: EndedReviews;
  /** The decided reviews of all sessions, with their texts. */
  readonly history: History;
  /** The changes of accepted reviews, together. */
  readonly changes: SessionChanges;
  /** The sessions that proposed changes. */
  readonly sessions: Sessions;
  /** Sends the user's comments on reviews to their agents. */
  readonly feedback: ReviewFeedback;
  readonly journal: JournalWriter;
  /** The folders in which agents are started. */
  readonly startFolders: StartFolders;
  /** The last messages of agents. */
  readonly trace: TraceBuffer;
  /** What views show of reviews. */
  readonly present: ReviewPresenter;
  /** The companion's events, for the host's output and the control interface. */
  readonly onEvent: Event<CompanionEvent>;

  readonly #options: CompanionOptions;
  readonly #machine: Machine;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #startedAt: number;
  readonly #records: ReviewRecords;
  readonly #files = new WorkspaceFiles();
  readonly #around: ReviewSurroundings;
  /** What agents and the user do to the files. */
  readonly work: WatchedWork;
  readonly #owned = new DisposableStore();
  readonly #didHappen: Emitter<CompanionEvent>;
  #openGate = (): void => {};
  /** Resolves when all protocols are served, and agents may connect. */
  readonly #gate = new Promise<void>((resolve) => {
    this.#openGate = resolve;
  });
  #listener: LoopbackListener | undefined;
  #presence: Presence | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: CompanionOptions) {
    this.#options = options;
    this.editor = options.editor;
    this.#machine = machineOf(options);
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#startedAt = this.#clock.now();
    this.trace = new TraceBuffer(this.#clock, this.#logger);
    this.#didHappen = this.#owned.add(new Emitter(logListenerError(this.#logger, 'the companion')));
    this.onEvent = this.#didHappen.event;
    if (options.onEvent) this.onEvent(options.onEvent);
    const services = { clock: this.#clock, logger: this.#logger };
    const { editor } = this;
    const folders = () => editor.workspace.folders();
    this.feed = this.#owned.add(new ContextFeed({ ...services, editor }));
    this.policy = this.#owned.add(
      new SharingPolicy({
        files: this.#files,
        folders,
        logger: this.#logger,
        ...(options.denyList && { denyList: options.denyList }),
        ...(options.respectsGitignore && { respectsGitignore: true }),
      }),
    );
    if (options.startsPaused) this.policy.pause();
    this.agents = new ServedAgents({
      ...services,
      files: this.#files,
      policy: this.policy,
      report: (event) => this.#didHappen.fire(event),
      discoveryFiles: (entries) => this.#presence?.report(entries) ?? [],
    });
    this.sharing = new Sharing(this);
    this.startFolders = new StartFolders(folders, this.#logger);
    this.#records = new ReviewRecords(services);
    const records = this.#records;
    this.interrupted = this.#owned.add(
      new ReviewStates({
        ...services,
        records,
        numbers: {
          next: () => this.reviews.newNumber(),
          isPending: (number) => this.reviews.get(number)?.state === 'pending',
        },
      }),
    );
    const writer = new WorkspaceWriter({
      editor,
      files: this.#files,
      ...(options.writeFile && { writeFile: options.writeFile }),
    });
    this.reviews = this.#owned.add(
      new Reviews({
        ...services,
        folders,
        readFile: (path) => this.#files.read(path),
        realPath: (path) => this.policy.fileCache().realPath(path),
        inspect: (real) => this.#files.inspect(real),
        specialFiles: new SpecialFileNames(trustedFiles()),
        heldBack: (agent, path) => this.policy.heldBack(identityOf(agent), path),
        show: (review) => editor.reviews.show(review),
        interruptedEdits: (proposal, original) => {
          this.ended.offerAgain(proposal);
          const edits = this.interrupted.editsFor(proposal, original);
          // The number means the decided review, unless this is that decision again.
          const isTaken =
            edits?.decision === undefined &&
            this.history.entries.some(({ decided }) => decided.id === edits?.number);
          return edits && isTaken ? { ...edits, number: undefined } : edits;
        },
        persist: () => this.journal.written(),
      }),
    );
    this.interrupted.follow(this.reviews);
    const { reviews, interrupted } = this;
    this.work = this.#owned.add(
      watchWork({
        ...services,
        folders,
        history: () => this.history,
        marksOf: (edit) => this.reviews.findMarks(edit),
        machine: this.#machine,
        policy: this.policy,
        options,
      }),
    );
    const { turnOf, copyOf } = this.work;
    this.history = this.#owned.add(
      new History({ ...services, records, reviews, limits: options.history, turnOf }),
    );
    this.#around = {
      readFile: (review, how) => readIfPossible(this.#files, review, how, this.#logger),
      marks: (of) => reviews.findMarks(of),
      isUnsaved: (path) => isUnsaved(editor, this.#files, path),
      save: (path) => saveUnsaved(editor, this.#files, path),
      isKept: (review) => options.journal === undefined || this.journal.problemWith(review) === undefined,
      label: (path) => labelIn(folders(), path),
    };
    this.interruptedFiles = new InterruptedFiles({
      interrupted,
      files: this.#files,
      writer,
      history: this.history,
      around: this.#around,
    });
    this.ended = this.#owned.add(
      new EndedReviews({ ...services, reviews, states: interrupted, files: this.interruptedFiles }),
    );
    const feedbackFiles = this.#owned.add(
      new FeedbackFiles(join(stateFolder(this.#machine), 'feedback'), this.#logger),
    );
    this.#owned.add(
      this.onEvent((event) => {
        if (event.event !== 'session.closed') return;
        void feedbackFiles.endSession(event.session);
        void this.ended.endSession(event.session);
      }),
    );
    const { policy, agents, history } = this;
    this.feedback = new ReviewFeedback({
      ...services,
      editor,
      reviews,
      policy,
      agents,
      files: feedbackFiles,
      machine: this.#machine,
      command: options.command,
    });
    this.changes = new SessionChanges({ ...this.#around, history, files: this.#files, writer, copyOf });
    this.journal = new JournalWriter({
      ...services,
      records,
      reviews,
      onEvent: this.onEvent,
      state: () => this.#state(),
      journal: options.journal,
    });
    this.sessions = this.#owned.add(
      new Sessions({
        reviews,
        history: this.history,
        agents: this.agents,
        around: this.#around,
        onEvent: this.onEvent,
        logger: this.#logger,
      }),
    );
    this.present = new ReviewPresenter(
      { nameOf: (agent, session) => this.sessions.names.of(agent, session), label: this.#around.label },
      this.journal,
    );
  }

  /** Resolves when agents and commands can find the companion. Only for `createCompanion`. */
  async start(handlers: () => Promise<ControlHandlers>): Promise<void> {
    const options = this.#options;
    const secrets: string[] = [];
    const recorder = createRecorder({
      write: (line) => {
        this.trace.write(line);
        options.onTrace?.(line);
      },
      clock: this.#clock,
      includeContents: options.tracesContents ?? false,
      secrets,
    });
    const left = options.before ?? (await options.journal?.take());
    if (left !== undefined) {
      this.reviews.countFrom(lastNumberIn([left]));
      this.history.add(left.history ?? []);
      offerReviewsOf(left, this.interrupted);
    }
    if (left?.isPaused) this.policy.pause();
    const served = this.agents.recorder(recorder);
    const { listener, before } = await listenAfter(left, {
      ready: this.#gate,
      recorder: served,
      logger: this.#logger,
      identity: { name: 'tandem', version: options.version },
    });
    this.#listener = listener;
    this.#owned.add(reportEvents(this, (event) => this.#didHappen.fire(event)));
    await this.#serveAgents({ listener, recorder: served }, before, secrets);
    this.agents.serveHooks(listener, before?.hookToken);
    secrets.push(this.agents.hookToken);
    this.agents.restoreHooks(left?.hookModes);
    this.agents.expect(left?.sessions ?? []);
    this.sessions.remember(left?.sessions ?? []);
    if (before?.endedInOrder) this.#forgetUntouchedOf(before);
    this.journal.start();
    this.#owned.add(this.editor.workspace.onDidChange(() => void this.#followFolders()));
    this.#openGate();
    await this.#becomeFindable(listener, handlers);
    await this.interruptedFiles.sweep();
    if (this.#stopping === undefined) await this.journal.write();
  }

  /**
   * Loads what the first agent needs, which takes longer than the start. For a host with nothing more urgent to do.
   * Never rejects.
   */
  async warmUp(): Promise<void> {
    await this.#listener?.warmUp();
  }

  /** The state that the next companion needs to continue. Contains tokens and the texts of proposals. */
  save(): JournalContents {
    return { ...this.#state(), ...reviewsOf(this.reviews, this.#records), endedInOrder: false };
  }

  /** As `acceptReview`. Resolves once the journal has the decision. */
  async accept(review: Review, how: Accepting): Promise<Attempt> {
    const attempt = await acceptReview(review, how, this.#around);
    if (attempt.kind === 'done') await this.reviews.persisted();
    return attempt;
  }

  /** Deletes the history and the texts of all decided reviews, also from the journal, and the copies of files. */
  async forgetDecided(): Promise<void> {
    await this.work.forget();
    this.history.clear();
    this.reviews.forgetDecided();
    await this.reviews.persisted();
  }

  /**
   * Updates the interrupted reviews: those whose text is in the file are removed. Resolves when the files are read, or do not
   * answer in time. Never rejects.
   */
  async sweep(): Promise<void> {
    await withTimeout(this.#clock, sweepLimitMs, this.ended.sweep(), 'The disk').catch(() => undefined);
  }

  /** The port that agents connect to. */
  get port(): number {
    return this.#listener?.port ?? 0;
  }

  /** Whether an agent is connected, the host's page is open, or a client follows the events. */
  get isNeeded(): boolean {
    if (this.#options.page?.isOpen()) return true;
    return (this.#presence?.followers ?? 0) > 0 || this.agents.sessions.length > 0;
  }

  /** The reviews that views list apart from the pending ones, each below the heading of its `group`; the oldest first. */
  get apart(): readonly (Review | InterruptedReview)[] {
    return this.interrupted.all;
  }

  async status(): Promise<CompanionStatus> {
    const { info, workspace } = this.editor;
    return {
      version: this.#options.version,
      pid: process.pid,
      startedAt: this.#startedAt,
      editor: { name: info.name, displayName: info.displayName, version: info.version },
      workspaceFolders: [...workspace.folders()],
      isTrusted: workspace.isTrusted(),
      sharing: await this.sharing.status(),
      agents: this.agents.status(),
      ...describePage(this.#options.page),
      reviews: await this.present.summaries(() => this.reviews.pending),
      interrupted: await this.present.summaries(() => this.apart),
      recording: [...(await this.work.recording())],
    };
  }

  /**
   * Withdraws pending reviews, removes the discovery files and closes every socket. Never rejects; may be called twice.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** For exit handlers, which cannot await: removes the files by which others find the companion. */
  releaseSync(): void {
    this.#presence?.removeSync();
  }

  #state(): CompanionState {
    const { protocols, hookToken, hookModes, disconnected } = this.agents;
    const { isPaused } = this.policy;
    return stateOf({ port: this.port, protocols, hookToken, hookModes, disconnected, isPaused });
  }

  /** Records the folders of the workspace, and offers the reviews that companions of new folders left. Never rejects. */
  async #followFolders(): Promise<void> {
    await this.journal.write();
    await this.#options.journal?.takeMore(async (reviews) => {
      if (this.#stopping !== undefined) return false;
      // The numbers and the keys of this companion are others.
      const added = reviews.map(({ number: _, ...review }) => ({ ...review, key: newReviewKey() }));
      this.interrupted.add(added, true);
      const isWritten = await this.journal.write();
      await this.interruptedFiles.sweep();
      return isWritten;
    });
  }

  /** Serves each agent and restores its sessions from the previous companion. Adds its token to the secrets. */
  async #serveAgents(
    reached: Pick<ProtocolHost, 'listener' | 'recorder'>,
    before: JournalContents | undefined,
    secrets: string[],
  ): Promise<void> {
    if (before !== undefined) {
      // An accepted text that is in its file was delivered.
      await this.interruptedFiles.sweep(this.interrupted.all.filter(({ isAccepted }) => isAccepted));
    }
    const { undelivered } = this.interrupted;
    for (const id of this.#options.agents ?? agentIds) {
      const agentBefore = before && beforeOf(before, id, undelivered, this.#clock.now());
      const token = await this.agents.start(id, {
        ...reached,
        editor: this.editor,
        feed: this.feed,
        policy: this.policy,
        reviews: this.reviews,
        files: this.#files,
        machine: this.#machine,
        clock: this.#clock,
        logger: this.#logger,
        pausing,
        recordWritten: (edit) => this.work.record(edit),
        work: this.work,
        startFolders: () => this.startFolders.all,
        usedAt: () => this.#presence?.usedAt ?? 0,
        version: this.#options.version,
        ...(agentBefore && { before: agentBefore }),
      });
      if (token !== undefined) secrets.push(token);
    }
  }

  /** Removes the reviews that an agent has continued without, and those that a hook does not return for. */
  #forgetUntouchedOf(before: JournalContents): void {
    const forget = (areHeld: boolean): void =>
      forgetUntouchedOf(before, this.interrupted, this.agents.sessions, { areHeld });
    forget(false);
    this.#owned.add(this.#clock.setTimeout(() => forget(true), hookRestartLimitMs));
  }

  async #becomeFindable(listener: LoopbackListener, handlers: () => Promise<ControlHandlers>): Promise<void> {
    const { workspace, info } = this.editor;
    const presence = await Presence.create({
      machine: this.#machine,
      handlers,
      streams: {
        events: (write, folder) => {
          const following = streamEvents(this, write);
          if (folder !== undefined) following.add(this.startFolders.add(folder));
          return following;
        },
        trace: (write) => this.trace.follow(write),
      },
      describe: () => ({
        editor: info.displayName,
        workspaceFolders: [...workspace.folders()],
        version: this.#options.version,
        agentPort: listener.port,
        hookToken: this.agents.hookToken,
        provesHooks: true,
      }),
      discovery: () => this.agents.discovery(),
      port: listener.port,
      logger: this.#logger,
    });
    this.#presence = presence;
    this.#owned.add(workspace.onDidChange(() => void presence.updateFolders()));
    this.#owned.add(this.feed.onDidChange((context) => presence.noteUse(context)));
    this.#owned.add(this.startFolders.onDidChange(() => void presence.writeDiscovery()));
    await presence.writeDiscovery();
  }

  async #stop(): Promise<void> {
    const finishJournal = this.journal.stop();
    this.#openGate();
    this.releaseSync();
    this.agents.dispose();
    this.#owned.dispose();
    await Promise.all([this.#listener?.close(), this.#presence?.close()]);
    // Only now can another companion listen on the port.
    await finishJournal();
  }
}
