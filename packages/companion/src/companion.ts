import type { AgentSession, DiscoveryEntry, Machine, RunningProtocol } from '@tandem/agents';
import {
  type Clock,
  ContextFeed,
  DisposableStore,
  describeError,
  type Editor,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type Path,
  Review,
  Reviews,
  SharingPolicy,
  silentLogger,
} from '@tandem/core';
import { createRecorder, type LoopbackListener } from '@tandem/mcp';
import { type ReviewSummary, RpcError, type SharingStatus } from '@tandem/rpc';
import { describeAgents, describeConnections } from './agentReport.js';
import { agentIds, agentProtocols, identityOf } from './agents.js';
import { AwaitedSessions, type LostAgent } from './awaitedSessions.js';
import { companionControl } from './companionControl.js';
import type { CompanionOptions } from './companionOptions.js';
import type { CompanionEvent } from './control/companionEvent.js';
import { CompanionRegistration } from './control/companionRegistration.js';
import type { AgentConnection, CompanionStatus, PageAddress } from './control/controlContract.js';
import type { ControlStreams } from './control/controlServer.js';
import { thisMachine } from './control/thisMachine.js';
import { DiscoveryKeeper } from './discoveryKeeper.js';
import { EndedReviews } from './endedReviews.js';
import { Gate } from './gate.js';
import { findHeldBack, type HeldBackFile } from './heldBackFiles.js';
import { describePage, requirePage } from './hostPage.js';
import { InterruptedFiles } from './interruptedFiles.js';
import { type InterruptedReview, InterruptedReviews } from './interruptedReviews.js';
import { beforeOf, collectContents, type JournalContents } from './journal/journalContents.js';
import { JournalWriter } from './journal/journalWriter.js';
import { LastHeard } from './lastHeard.js';
import { mentionFile } from './mentionFile.js';
import { forgetUntouchedOf, listenAfter, offerReviewsOf } from './predecessor.js';
import { Presence } from './presence.js';
import { summarise, summariseInterrupted } from './reviewSummary.js';
import { keyOf, type SavedReview } from './savedReview.js';
import { reportSharing } from './sharingReport.js';
import { systemClock } from './systemClock.js';
import { tellReviewsAndSharing, tellSessions } from './tellEvents.js';
import { toRpcError } from './toRpcError.js';
import { TraceBuffer } from './traceBuffer.js';
import { WorkspaceFiles } from './workspaceFiles.js';

/**
 * Starts a companion for an editor: the listener, one protocol for each agent, their discovery files, and the
 * control interface. Resolves when agents can find it. The caller calls `stop`, and `releaseSync` from its exit
 * handlers. A discovery file that cannot be written does not fail the start: it is told in the status.
 */
export async function createCompanion(options: CompanionOptions): Promise<Companion> {
  const companion = new Companion(options);
  try {
    await companion.start();
    return companion;
  } catch (error) {
    await companion.stop();
    throw error;
  }
}

/** The running whole: an editor, the protocols, their sessions. */
export class Companion {
  readonly editor: Editor;
  readonly feed: ContextFeed;
  readonly policy: SharingPolicy;
  readonly reviews: Reviews;
  /** What nobody waits for any more, and what a person can still do with it. */
  readonly interrupted: InterruptedReviews;
  readonly interruptedFiles: InterruptedFiles;
  /** What could still be missed of reviews that ended. */
  readonly ended: EndedReviews;
  /** What happens, for the host's output and the control interface. */
  readonly onEvent: Event<CompanionEvent>;
  /** `notKept` has another answer for some review. */
  readonly onDidChangeKept: Event<void>;
  /** An agent said something. Comes with every message. */
  readonly onDidHear: Event<void>;

  readonly #options: CompanionOptions;
  readonly #machine: Machine;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #startedAt: number;
  readonly #files = new WorkspaceFiles();
  readonly #owned = new DisposableStore();
  readonly #trace: TraceBuffer;
  readonly #heard: LastHeard;
  readonly #didHappen: Emitter<CompanionEvent>;
  readonly #didChangeKept: Emitter<void>;
  readonly #protocols: RunningProtocol[] = [];
  /** Agents may come: all protocols are served. */
  readonly #started = new Gate();
  #listener: LoopbackListener | undefined;
  #awaited: AwaitedSessions | undefined;
  #discovery: DiscoveryKeeper | undefined;
  #registration: CompanionRegistration | undefined;
  #writer: JournalWriter | undefined;
  #stopping: Promise<void> | undefined;

  /** Use `createCompanion`. */
  constructor(options: CompanionOptions) {
    this.#options = options;
    this.editor = options.editor;
    this.#machine = machineOf(options);
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#startedAt = this.#clock.now();
    this.#trace = new TraceBuffer(this.#logger);
    this.#didHappen = this.#owned.add(new Emitter(logListenerError(this.#logger, 'the companion')));
    this.onEvent = this.#didHappen.event;
    this.#didChangeKept = this.#owned.add(new Emitter(logListenerError(this.#logger, 'the companion')));
    this.onDidChangeKept = this.#didChangeKept.event;
    this.#heard = this.#owned.add(new LastHeard({ clock: this.#clock, logger: this.#logger }));
    this.onDidHear = this.#heard.onDidHear;
    if (options.onEvent) this.onEvent(options.onEvent);
    const services = { clock: this.#clock, logger: this.#logger };
    const folders = (): readonly Path[] => this.editor.workspace.folders();
    this.feed = this.#owned.add(new ContextFeed({ ...services, editor: this.editor }));
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
    const keepsWithdrawnEdits = options.keepsWithdrawnEdits === true;
    this.interrupted = this.#owned.add(new InterruptedReviews({ ...services, keepsWithdrawnEdits }));
    this.interruptedFiles = new InterruptedFiles({
      interrupted: this.interrupted,
      editor: this.editor,
      files: this.#files,
      ...(options.writeFile && { writeFile: options.writeFile }),
    });
    this.reviews = this.#owned.add(
      new Reviews({
        ...services,
        folders,
        readFile: (path) => this.#files.read(path),
        realPath: (path) => this.#files.realPath(path),
        heldBack: (agent, path) => this.policy.heldBack(identityOf(agent), path),
        show: (review) => this.editor.reviews.show(review),
        interruptedEdits: (proposal, original) => this.interrupted.editsFor(proposal, original),
        writeDown: async () => this.#writer?.written(),
      }),
    );
    this.interrupted.follow(this.reviews);
    const { reviews, interrupted } = this;
    this.ended = this.#owned.add(new EndedReviews({ ...services, reviews, interrupted }));
  }

  /** Use `createCompanion`. */
  async start(): Promise<void> {
    const { version } = this.#options;
    const secrets: string[] = [];
    const recorder = createRecorder({
      write: (line) => {
        this.#trace.write(line);
        this.#options.onTrace?.(line);
      },
      clock: this.#clock,
      includeContents: this.#options.tracesContents ?? false,
      secrets,
    });
    const left = this.#options.before ?? (await this.#options.journal?.take());
    if (left !== undefined) offerReviewsOf(left, this.interrupted);
    if (left?.isPaused) this.policy.pause();
    const { listener, before } = await listenAfter(left, {
      ready: this.#started.opened,
      recorder: this.#heard.before(recorder),
      logger: this.#logger,
      identity: { name: 'tandem', version },
    });
    this.#listener = listener;
    const tell = (event: CompanionEvent): void => this.#didHappen.fire(event);
    this.#owned.add(tellReviewsAndSharing(this, tell));
    this.#owned.add(
      this.onEvent((event) => {
        if (event.event === 'session.closed')
          void this.ended.endSession(event.session, this.interruptedFiles);
      }),
    );
    await this.#serveAgents(listener, before, secrets);
    this.#awaited = this.#owned.add(
      new AwaitedSessions({
        awaited: left?.sessions ?? [],
        protocols: this.#protocols,
        clock: this.#clock,
        tell,
      }),
    );
    if (before?.endedInOrder) forgetUntouchedOf(before, this.interrupted, this.sessions());
    const { journal } = this.#options;
    const services = { clock: this.#clock, logger: this.#logger };
    if (journal && !this.#stopping) {
      this.#writer = new JournalWriter({ companion: this, journal, ...services });
      this.#writer.onDidChange(() => this.#didChangeKept.fire());
    }
    this.#started.open();
    await this.#becomeFindable(listener);
    await this.interruptedFiles.sweep();
    if (this.#stopping === undefined) await this.#writer?.write();
  }

  /**
   * Loads what the first agent needs, so that it is served at once. For a host that has nothing more urgent to do: it takes
   * longer than the start. Never rejects.
   */
  async warmUp(): Promise<void> {
    await this.#listener?.warmUp();
  }

  /** What a companion that follows this one needs to go on. Holds tokens and the texts of proposals. */
  save(): JournalContents {
    const { port, reviews, interrupted, ended } = this;
    const { isPaused } = this.policy;
    return collectContents({ port, protocols: this.#protocols, reviews, interrupted, ended, isPaused });
  }

  /** Writes that down at once. Resolves to whether all of it stands on the disk; `false` without a journal. */
  async writeDown(): Promise<boolean> {
    return (await this.#writer?.write()) ?? false;
  }

  /**
   * Why a crash now would lose a review and what was typed into it, in a few words; undefined while the journal has it. A
   * write that is under way counts as done.
   */
  notKept(review: Review | InterruptedReview): string | undefined {
    const hasEnded = review instanceof Review && review.outcome !== undefined;
    if (this.#options.journal === undefined) return hasEnded ? undefined : 'there is no journal';
    return this.#writer?.problemWith(review instanceof Review ? keyOf(review) : review.key);
  }

  /** A review in a line. */
  summarise(review: Review | InterruptedReview): ReviewSummary {
    const notKept = this.notKept(review);
    return review instanceof Review ? summarise(review, notKept) : summariseInterrupted(review, notKept);
  }

  /** Lets kept texts go that their files hold already. */
  async sweep(): Promise<void> {
    await this.interruptedFiles.sweep();
    await this.ended.sweep(this.interruptedFiles);
  }

  /** The port that agents connect to. */
  get port(): number {
    return this.#listener?.port ?? 0;
  }

  /** Whether an agent is connected, or somebody follows what happens or has the host's page open. */
  get isNeeded(): boolean {
    if (this.#options.page?.isOpen()) return true;
    const followers = this.#registration?.followers ?? 0;
    return followers > 0 || this.sessions().length > 0;
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
      sharing: await this.sharingStatus(),
      agents: this.agents(),
      ...describePage(this.#options.page),
      reviews: this.reviews.pending.map((review) => this.summarise(review)),
      interrupted: this.interrupted.all.map((review) => this.summarise(review)),
    };
  }

  /** Every agent that is served, and its sessions. Cheap, also while large reviews are pending. */
  agents(): CompanionStatus['agents'] {
    return describeAgents(this.#protocols, {
      heard: this.#heard,
      awaited: this.#awaited,
      discovery: this.#discovery,
    });
  }

  /** Every agent that is connected, those of one kind together and the oldest first. */
  sessions(): readonly AgentSession[] {
    return this.#protocols.flatMap((protocol) => protocol.sessions());
  }

  /** Agents that the companion before had and that have not come back by themselves. */
  get lost(): readonly LostAgent[] {
    return this.#awaited?.lost ?? [];
  }

  /** The names of the agents that are connected and take mentions. */
  get mentionTakers(): readonly string[] {
    return this.#protocols
      .filter((protocol) => protocol.mention !== undefined && protocol.sessions().length > 0)
      .map(({ displayName }) => displayName);
  }

  /** When the agent of a session sent its last message, as Unix time in milliseconds. */
  lastHeardAt(session: string): number | undefined {
    return this.#heard.of(session);
  }

  /** What agents see of the editor now. */
  sharingStatus(): Promise<SharingStatus> {
    return reportSharing({ feed: this.feed, policy: this.policy, protocols: this.#protocols });
  }

  /**
   * Which of these files some agent does not hear of, and why. A pause holds everything back and is no property of a
   * file: it is left out of account. For showing; what is sent asks the policy for each message anew.
   */
  heldBackFiles(paths: readonly Path[]): Promise<ReadonlyMap<Path, HeldBackFile>> {
    return findHeldBack(paths, this.policy);
  }

  /** Where a person opens the host's page. Holds its token. Throws `RpcError` when there is none. */
  page(): PageAddress {
    return requirePage(this.#options.page, this.editor.info.displayName);
  }

  /** How each agent connects. Holds tokens. */
  connections(): AgentConnection[] {
    return describeConnections(this.#protocols, this.#discovery);
  }

  /**
   * Points the agents at a file. `lines` are 0-based and inclusive. Resolves to how many sessions were told.
   * Rejects with `RpcError` when that file cannot be mentioned to anybody.
   */
  mention(path: Path, lines?: { readonly first: number; readonly last: number }): Promise<number> {
    return mentionFile({ files: this.#files, policy: this.policy, protocols: this.#protocols }, path, lines);
  }

  /** The recorder's last lines, the oldest first. */
  trace(): readonly string[] {
    return this.#trace.lines;
  }

  /** Names what `trace` holds now, for whoever wants to know whether there is more. Another companion has other names. */
  get traceVersion(): string {
    return `${this.#startedAt}-${this.#trace.written}`;
  }

  /** Asks the host to end the companion. */
  requestStop(): void {
    const { onStopRequested } = this.#options;
    if (onStopRequested === undefined) {
      throw new RpcError('refused', `${this.editor.info.displayName} runs this companion; close it there.`);
    }
    // After the answer.
    setImmediate(onStopRequested);
  }

  /**
   * Withdraws what is pending, removes the discovery files and closes every socket. Never rejects, never waits
   * for open streams, and can be called twice.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** For exit handlers, where nothing can be awaited: removes the files by which others find us. */
  releaseSync(): void {
    this.#discovery?.removeSync();
    this.#registration?.removeSync();
  }

  /** Serves each agent, with the sessions that it had with the companion before. Adds its token to the secrets. */
  async #serveAgents(
    listener: LoopbackListener,
    before: JournalContents | undefined,
    secrets: string[],
  ): Promise<void> {
    const tell = (event: CompanionEvent): void => this.#didHappen.fire(event);
    const undelivered = await this.#undelivered(before);
    for (const id of this.#options.agents ?? agentIds) {
      const agentBefore = before && beforeOf(before, id, undelivered);
      const running = await agentProtocols[id].start({
        listener,
        editor: this.editor,
        feed: this.feed,
        policy: this.policy,
        reviews: this.reviews,
        files: this.#files,
        machine: this.#machine,
        clock: this.#clock,
        logger: this.#logger,
        version: this.#options.version,
        ...(agentBefore && { before: agentBefore }),
      });
      secrets.push(running.token);
      this.#protocols.push(running);
      this.#owned.add(tellSessions(running, tell));
      this.#owned.add(running.onDidCloseSession(({ id: session }) => this.#heard.forget(session)));
      // Those that were taken over have opened before anybody could hear.
      for (const { id: session, client } of running.sessions()) {
        tell({ event: 'session.connected', agent: id, session, client: { ...client } });
      }
    }
  }

  /** Writes the files by which the `tandem` command and the agents find this companion, and keeps them there. */
  async #becomeFindable(listener: LoopbackListener): Promise<void> {
    this.#registration = await CompanionRegistration.create({
      machine: this.#machine,
      handlers: companionControl(this),
      toRpcError,
      streams: this.#streams(),
      describe: () => ({
        editor: this.editor.info.displayName,
        workspaceFolders: [...this.editor.workspace.folders()],
        version: this.#options.version,
      }),
      logger: this.#logger,
    });
    this.#discovery = new DiscoveryKeeper({ port: listener.port, logger: this.#logger });
    this.#owned.add(this.editor.workspace.onDidChange(() => void this.#tellWorkspace()));
    await this.#discovery.write(this.#discoveryEntries());
    this.#owned.add(
      new Presence({
        files: [this.#discovery, this.#registration],
        folders: () => this.editor.workspace.folders(),
        machine: this.#machine,
        logger: this.#logger,
      }),
    );
  }

  async #stop(): Promise<void> {
    const { journal } = this.#options;
    const left = this.#writer && this.save();
    this.#writer?.dispose();
    this.#started.open();
    this.releaseSync();
    for (const protocol of this.#protocols) protocol.stop();
    this.#owned.dispose();
    await Promise.all([this.#listener?.close(), this.#registration?.close(), this.#discovery?.remove()]);
    // Only now can another one listen on its port.
    if (left !== undefined) await journal?.write(left, { hasEnded: true });
    journal?.close();
  }

  /** What agents of the companion before may not have heard. What stands in its file they have heard. */
  async #undelivered(before: JournalContents | undefined): Promise<readonly SavedReview[]> {
    if (before === undefined) return [];
    await this.interruptedFiles.sweep(this.interrupted.all.filter(({ isAccepted }) => isAccepted));
    return this.interrupted.undelivered;
  }

  #discoveryEntries(): DiscoveryEntry[] {
    return this.#protocols.flatMap((protocol) => protocol.discovery());
  }

  /** Folders came or went: both agents and the command find us by them. */
  async #tellWorkspace(): Promise<void> {
    try {
      await this.#registration?.update();
    } catch (error) {
      this.#logger.warn('the companion is registered for other folders than it has', {
        error: describeError(error),
      });
    }
    await this.#discovery?.write(this.#discoveryEntries());
  }

  #streams(): ControlStreams {
    return {
      events: (write) => this.onEvent((event) => write(JSON.stringify(event))),
      trace: (write) => {
        for (const line of this.#trace.lines) write(line);
        return this.#trace.onDidWrite(write);
      },
    };
  }
}

/** The machine, with what the person has chosen in place of its environment. */
function machineOf({ machine = thisMachine(), claudeConfigDir }: CompanionOptions): Machine {
  if (claudeConfigDir === undefined) return machine;
  return { ...machine, env: { ...machine.env, CLAUDE_CONFIG_DIR: claudeConfigDir } };
}
