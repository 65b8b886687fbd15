import {
  type Clock,
  ContextFeed,
  DisposableStore,
  type Editor,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type Path,
  Reviews,
  SharingPolicy,
  silentLogger,
} from '@tandem/core';
import type { Machine, RunningProtocol } from '@tandem/protocols';
import { createListener, createRecorder, type LoopbackListener } from '@tandem/transport';
import { type AgentId, agentIds, agentProtocols } from './agents.js';
import { companionControl } from './companionControl.js';
import type { CompanionEvent } from './companionEvent.js';
import type { AgentConnection, CompanionStatus, SharingStatus } from './companionStatus.js';
import { CompanionRegistration } from './control/companionRegistry.js';
import { ControlError } from './control/controlMethods.js';
import { DiscoveryKeeper } from './discoveryKeeper.js';
import { summarise } from './reviewSummary.js';
import { systemClock } from './systemClock.js';
import { thisMachine } from './thisMachine.js';
import { TraceBuffer } from './traceBuffer.js';
import { WorkspaceFiles } from './workspaceFiles.js';

export interface CompanionOptions {
  readonly editor: Editor;
  /** The version of Tandem that agents and people are told. */
  readonly version: string;
  /** Which agents are served; all when left out. */
  readonly agents?: readonly AgentId[];
  /** Replaces the default deny list of the sharing policy. */
  readonly denyList?: readonly string[];
  /** Whether what `.gitignore` names is held back too. */
  readonly respectsGitignore?: boolean;
  /** Hears every message as redacted JSONL, besides the buffer that `tandem trace` reads. */
  readonly onTrace?: (line: string) => void;
  /** Whether the recorder keeps file contents. Never tokens. */
  readonly tracesContents?: boolean;
  /** Called when somebody asks by the control interface that the companion ends. The host then stops it and itself. */
  readonly onStopRequested?: () => void;
  readonly machine?: Machine;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

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
  /** What happens, for the host's output and the control interface. */
  readonly onEvent: Event<CompanionEvent>;

  readonly #options: CompanionOptions;
  readonly #machine: Machine;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #startedAt: number;
  readonly #files = new WorkspaceFiles();
  readonly #owned = new DisposableStore();
  readonly #trace: TraceBuffer;
  readonly #didHappen: Emitter<CompanionEvent>;
  readonly #protocols: RunningProtocol[] = [];
  #listener: LoopbackListener | undefined;
  #discovery: DiscoveryKeeper | undefined;
  #registration: CompanionRegistration | undefined;
  #stopping: Promise<void> | undefined;

  /** Use `createCompanion`. */
  constructor(options: CompanionOptions) {
    this.#options = options;
    this.editor = options.editor;
    this.#machine = options.machine ?? thisMachine();
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#startedAt = this.#clock.now();
    this.#trace = new TraceBuffer(this.#logger);
    this.#didHappen = this.#owned.add(new Emitter(logListenerError(this.#logger, 'the companion')));
    this.onEvent = this.#didHappen.event;
    const folders = (): readonly Path[] => this.editor.workspace.folders();
    this.feed = this.#owned.add(
      new ContextFeed({ editor: this.editor, clock: this.#clock, logger: this.#logger }),
    );
    this.policy = this.#owned.add(
      new SharingPolicy({
        files: this.#files,
        folders,
        logger: this.#logger,
        ...(options.denyList && { denyList: options.denyList }),
        ...(options.respectsGitignore && { respectsGitignore: true }),
      }),
    );
    this.reviews = this.#owned.add(
      new Reviews({
        clock: this.#clock,
        logger: this.#logger,
        folders,
        readFile: (path) => this.#files.read(path),
        show: (review) => this.editor.reviews.show(review),
      }),
    );
  }

  /** Use `createCompanion`. */
  async start(): Promise<void> {
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
    const identity = { name: 'tandem', version: this.#options.version };
    const listener = await createListener({ recorder, logger: this.#logger, identity });
    this.#listener = listener;
    this.#tellEvents();
    for (const id of this.#options.agents ?? agentIds) {
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
      });
      secrets.push(running.token);
      this.#protocols.push(running);
      this.#tellSessions(running);
    }
    this.#registration = await CompanionRegistration.create({
      machine: this.#machine,
      handlers: companionControl(this),
      onEvent: this.onEvent,
      describe: () => ({
        editor: this.editor.info.displayName,
        workspaceFolders: [...this.editor.workspace.folders()],
        version: this.#options.version,
      }),
      logger: this.#logger,
    });
    this.#discovery = new DiscoveryKeeper({ port: listener.port, logger: this.#logger });
    await this.#discovery.write(this.#discoveryEntries());
    this.#owned.add(
      this.editor.workspace.onDidChange(() => {
        void this.#discovery?.write(this.#discoveryEntries());
        void this.#registration?.update();
      }),
    );
  }

  /** The port that agents connect to. */
  get port(): number {
    return this.#listener?.port ?? 0;
  }

  /** Whether an agent is connected or somebody follows the events. */
  get isNeeded(): boolean {
    return (this.#registration?.followers ?? 0) > 0 || this.#protocols.some((each) => each.sessions().length > 0);
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
      agents: this.#protocols.map((protocol) => ({
        id: protocol.identity.id,
        displayName: protocol.displayName,
        url: protocol.url,
        discovery: this.#discovery?.report(protocol.discovery()) ?? [],
        sessions: protocol.sessions().map(({ agent: _agent, ...session }) => session),
      })),
      reviews: this.reviews.pending.map(summarise),
    };
  }

  /** What agents see of the editor now, in the words of the person who works in it. */
  async sharingStatus(): Promise<SharingStatus> {
    const { isPaused } = this.policy;
    const { activePath, openFiles } = this.feed.current;
    if (activePath === undefined) return { isPaused };
    const verdicts = await Promise.all(
      this.#protocols.map(async ({ identity }) => ({
        agent: identity.id,
        verdict: await this.policy.verdict(identity, activePath),
      })),
    );
    const heldBack = verdicts.flatMap(({ agent, verdict }) =>
      verdict.isShared ? [] : [{ agent, reason: verdict.reason }],
    );
    const [first] = heldBack;
    const selectedCharacters = openFiles[0]?.selection?.text.length ?? 0;
    return {
      isPaused,
      ...(heldBack.length < verdicts.length && { activeFile: { path: activePath, selectedCharacters } }),
      ...(first !== undefined &&
        !isPaused && {
          heldBack: { path: activePath, agents: heldBack.map(({ agent }) => agent), reason: first.reason },
        }),
    };
  }

  /** How each agent connects. Holds tokens. */
  connections(): AgentConnection[] {
    return this.#protocols.map((protocol) => ({
      id: protocol.identity.id,
      displayName: protocol.displayName,
      url: protocol.url,
      token: protocol.token,
      discovery: (this.#discovery?.report(protocol.discovery()) ?? [])
        .filter(({ problem }) => problem === undefined)
        .map(({ file }) => file),
      env: { ...protocol.environment() },
    }));
  }

  /**
   * Points the agents at a file. `lines` are 0-based and inclusive. Resolves to how many sessions were told.
   * Rejects with `ControlError` when the policy holds the file back from all that could be told.
   */
  async mention(path: Path, lines?: { readonly first: number; readonly last: number }): Promise<number> {
    if (!(await this.#files.isOnDisk(path))) throw new ControlError('refused', `${path} is not a file.`);
    let told = 0;
    let reason: string | undefined;
    for (const protocol of this.#protocols) {
      if (protocol.mention === undefined) continue;
      const verdict = await this.policy.verdict(protocol.identity, path);
      if (verdict.isShared) told += await protocol.mention(path, lines);
      else reason = verdict.reason;
    }
    if (told === 0 && reason !== undefined) {
      throw new ControlError('refused', `${path} was not mentioned: ${reason}.`);
    }
    return told;
  }

  /** The recorder's last lines, the oldest first. */
  trace(): readonly string[] {
    return this.#trace.lines;
  }

  /** Asks the host to end the companion. */
  requestStop(): void {
    if (this.#options.onStopRequested !== undefined) setImmediate(this.#options.onStopRequested);
    else throw new ControlError('refused', `${this.editor.info.displayName} runs this companion; close it there.`);
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

  async #stop(): Promise<void> {
    await this.#discovery?.remove();
    for (const protocol of this.#protocols) protocol.stop();
    this.#owned.dispose();
    await Promise.all([this.#listener?.close(), this.#registration?.close()]);
  }

  #discoveryEntries() {
    return this.#protocols.flatMap((protocol) => protocol.discovery());
  }

  #tellEvents(): void {
    this.#owned.add(
      this.reviews.onDidOpen(({ id, proposal: { path, agent, session } }) =>
        this.#didHappen.fire({ event: 'review.opened', id, path, agent, session }),
      ),
    );
    this.#owned.add(
      this.reviews.onDidDecide(({ id, outcome }) => {
        if (outcome !== undefined) this.#didHappen.fire({ event: 'review.decided', id, outcome: outcome.kind });
      }),
    );
    this.#owned.add(
      this.policy.onDidChange(() =>
        this.#didHappen.fire({ event: this.policy.isPaused ? 'sharing.paused' : 'sharing.resumed' }),
      ),
    );
    this.#owned.add(this.#trace.onDidWrite((line) => this.#didHappen.fire({ event: 'trace', line })));
  }

  #tellSessions(protocol: RunningProtocol): void {
    const agent = protocol.identity.id;
    this.#owned.add(
      protocol.onDidOpenSession(({ id, client }) =>
        this.#didHappen.fire({ event: 'session.connected', agent, session: id, client: { ...client } }),
      ),
    );
    this.#owned.add(
      protocol.onDidCloseSession(({ id, client }) =>
        this.#didHappen.fire({ event: 'session.closed', agent, session: id, client: { ...client } }),
      ),
    );
  }
}
