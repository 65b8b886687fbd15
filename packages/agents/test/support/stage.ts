import { ContextFeed, type Logger, type Path, SharingPolicy } from '@tandem/core';
import { createListener, type LoopbackListener, type RecordedMessage, type Timing } from '@tandem/mcp';
import { Reviews } from '@tandem/reviews';
import { FakeClock, FakeEditor, type FakeEditorOptions, FakeFiles } from '@tandem/testing';
import type { AgentProtocol, Machine, ProtocolHost, RunningProtocol, WrittenEdit } from '../../src/index.js';
import { createSignals, type Signals } from './signals.js';

/** A clock that reports when a timer is set, because a test may advance it only then. */
class WatchedClock extends FakeClock {
  readonly signals: Signals = createSignals();
  readonly delays: number[] = [];

  override setTimeout(callback: () => void, delayMs: number) {
    const timer = super.setTimeout(callback, delayMs);
    this.delays.push(delayMs);
    this.signals.changed();
    return timer;
  }

  /** Resolves when a timer with this delay has been set. Each timer is returned once. */
  async whenSet(delayMs: number): Promise<void> {
    await this.signals.until(() => this.delays.includes(delayMs));
    this.delays.splice(this.delays.indexOf(delayMs), 1);
  }
}

export interface StageOptions {
  readonly files?: Readonly<Record<Path, string>>;
  readonly editor?: Omit<FakeEditorOptions, 'files' | 'clock'>;
  readonly denyList?: readonly string[];
  readonly machine?: Partial<Machine>;
  /** Of the listener. */
  readonly timing?: Partial<Timing>;
  /** By default, long tasks do not pause. */
  readonly pausing?: ProtocolHost['pausing'];
}

/** A log that keeps warnings and errors. */
class Problems implements Logger {
  readonly messages: string[] = [];
  readonly signals = createSignals();

  debug(): void {}

  info(): void {}

  warn(message: string): void {
    this.messages.push(message);
    this.signals.changed();
  }

  error(message: string): void {
    this.warn(message);
  }
}

/**
 * Everything that a protocol uses, with a fake editor and its files in memory. Everything else is real: listener,
 * sockets, reviews, feed and policy. The creator closes it.
 */
export class Stage {
  readonly files: FakeFiles;
  readonly clock = new WatchedClock();
  readonly editor: FakeEditor;
  readonly feed: ContextFeed;
  readonly policy: SharingPolicy;
  readonly reviews: Reviews;
  readonly listener: LoopbackListener;
  /** What was recorded as written without a review. */
  readonly written: WrittenEdit[] = [];
  /** What protocols recorded themselves. */
  readonly recorded: RecordedMessage[] = [];
  readonly host: ProtocolHost;
  readonly #problems: Problems;
  readonly #running: RunningProtocol[] = [];

  private constructor(listener: LoopbackListener, logger: Problems, options: StageOptions) {
    this.listener = listener;
    this.#problems = logger;
    this.files = new FakeFiles(options.files);
    this.editor = new FakeEditor({ ...options.editor, files: this.files, clock: this.clock });
    const folders = (): readonly Path[] => this.editor.workspace.folders();
    this.feed = new ContextFeed({ editor: this.editor, clock: this.clock, logger });
    this.policy = new SharingPolicy({
      files: this.files,
      folders,
      logger,
      ...(options.denyList && { denyList: options.denyList }),
    });
    this.reviews = new Reviews({
      clock: this.clock,
      logger,
      folders,
      readFile: (path) => this.files.read(path),
      realPath: (path) => this.files.realPath(path),
      show: (review) => this.editor.reviews.show(review),
    });
    this.host = {
      listener,
      recorder: { record: (entry) => this.recorded.push(entry) },
      editor: this.editor,
      feed: this.feed,
      policy: this.policy,
      reviews: this.reviews,
      files: this.files,
      machine: { platform: 'linux', home: '/home/ann', tmpdir: '/tmp', env: {}, ...options.machine },
      clock: this.clock,
      logger,
      pausing: options.pausing ?? (() => () => undefined),
      version: '9.8.7',
      recordWritten: async (edit) => void this.written.push(edit),
    };
  }

  static async create(options: StageOptions = {}): Promise<Stage> {
    const problems = new Problems();
    const listener = await createListener({
      // A session with a broken stream ends immediately, so no test has to wait.
      timing: { streamGraceMs: 0, ...options.timing },
      logger: problems,
    });
    return new Stage(listener, problems, options);
  }

  /** The warnings and errors in the log. */
  get problems(): readonly string[] {
    return this.#problems.messages;
  }

  async start(protocol: AgentProtocol): Promise<RunningProtocol> {
    const running = await protocol.start(this.host);
    this.#running.push(running);
    return running;
  }

  /** Resolves when something was logged as a warning or an error. */
  whenProblem(): Promise<void> {
    return this.#problems.signals.until(() => this.problems.length > 0);
  }

  /** Lets the debounce of the context feed pass. */
  settle(): void {
    this.clock.advance(250);
  }

  async close(): Promise<void> {
    for (const running of this.#running) running.stop();
    this.reviews.dispose();
    this.policy.dispose();
    this.feed.dispose();
    await this.listener.close();
  }
}
