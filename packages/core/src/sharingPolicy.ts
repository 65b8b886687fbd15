import { DenyList, defaultDenyList } from './denyList.js';
import type { Disposable } from './disposable.js';
import { Emitter, type Event } from './event.js';
import { type AgentIgnoreFile, IgnoreFiles } from './ignoreFiles.js';
import { type Logger, logListenerError } from './logger.js';
import { joinPath, parentPath, partsBelow, pathParts } from './paths.js';
import type { Path } from './position.js';

/** An agent, as the policy sees it. */
export interface AgentIdentity {
  /** Short lower-case identifier, such as `gemini`. */
  readonly id: string;
  /** The files by which a project tells this agent what it may not read. */
  readonly ignoreFiles: readonly AgentIgnoreFile[];
}

/** What the policy reads. `core` does no I/O of its own. */
export interface PolicyFiles {
  /** The text of a small file, or `undefined` when there is none. Called often: the host caches by time and size. */
  readText(path: Path): Promise<string | undefined>;
  /** The path with symbolic links resolved, or the same path when it does not exist. */
  realPath(path: Path): Promise<Path>;
}

export interface SharingPolicyOptions {
  readonly files: PolicyFiles;
  readonly folders: () => readonly Path[];
  readonly logger: Logger;
  /** Patterns in the syntax of `.gitignore`, matched against whole paths. Replaces `defaultDenyList`. */
  readonly denyList?: readonly string[];
  /** Whether what `.gitignore` names is held back too. Off unless asked for: people edit generated files. */
  readonly respectsGitignore?: boolean;
}

/** Whether a file may be named to an agent, and if not, what keeps it back, in words for a person. */
export type SharingVerdict =
  | { readonly isShared: true }
  | { readonly isShared: false; readonly reason: string };

const shared: SharingVerdict = { isShared: true };
const paused: SharingVerdict = { isShared: false, reason: 'sharing is paused' };

/**
 * Says what may leave the editor. Every message of every protocol that names or quotes a file on our own
 * initiative asks here first. A file is judged under the name it was opened by, under that name with the links
 * of its folder resolved, and under its real path, so that a link is no way around.
 */
export class SharingPolicy implements Disposable {
  readonly #options: SharingPolicyOptions;
  readonly #didChange: Emitter<void>;
  readonly #ignoreFiles: IgnoreFiles;
  #denied: DenyList;
  #isPaused = false;

  /** Sharing was paused or resumed, or the deny list was set. */
  readonly onDidChange: Event<void>;

  constructor(options: SharingPolicyOptions) {
    this.#options = options;
    this.#denied = new DenyList(options.denyList ?? defaultDenyList);
    this.#ignoreFiles = new IgnoreFiles((path) => options.files.readText(path));
    this.#didChange = new Emitter(logListenerError(options.logger, 'the sharing policy'));
    this.onDidChange = this.#didChange.event;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get denyList(): readonly string[] {
    return this.#denied.patterns;
  }

  /** Stops sharing anything with any agent, and takes back what they hold. */
  pause(): void {
    this.#setPaused(true);
  }

  resume(): void {
    this.#setPaused(false);
  }

  /** Replaces the deny list. */
  setDenyList(patterns: readonly string[]): void {
    this.#denied = new DenyList(patterns);
    this.#didChange.fire();
  }

  /**
   * Judges one absolute path for one agent, by the policy as it stands when the verdict is reached. Rejects when the
   * files that it depends on cannot be read; the path must then not be shared.
   */
  async verdict(agent: AgentIdentity, path: Path): Promise<SharingVerdict> {
    if (this.#isPaused) return paused;
    const names = await this.#namesOf(path);
    for (const name of names) {
      const ignoredBy = await this.#findIgnoreFile(agent, name);
      if (ignoredBy !== undefined) return { isShared: false, reason: `${ignoredBy} names it` };
    }
    // Last and without waiting, so that a pause or a pattern that comes during the reading counts.
    if (this.#isPaused) return paused;
    for (const name of names) {
      const pattern = this.#denied.match(name, this.#options.folders());
      if (pattern !== undefined)
        return { isShared: false, reason: `the deny list holds it back (${pattern})` };
    }
    return shared;
  }

  dispose(): void {
    this.#didChange.dispose();
  }

  #setPaused(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    this.#didChange.fire();
  }

  async #namesOf(path: Path): Promise<Set<Path>> {
    const { files } = this.#options;
    const real = await files.realPath(path);
    const name = pathParts(path).at(-1);
    if (real === path || name === undefined) return new Set([path, real]);
    return new Set([path, real, joinPath(await files.realPath(parentPath(path)), name)]);
  }

  /** The name of an ignore file that keeps the path from the agent. */
  async #findIgnoreFile(agent: AgentIdentity, path: Path): Promise<string | undefined> {
    for (const folder of this.#options.folders()) {
      if (partsBelow(folder, path) === undefined) continue;
      for (const file of agent.ignoreFiles) {
        if (await this.#ignoreFiles.isIgnored(folder, path, file)) return file.name;
      }
      if (!this.#options.respectsGitignore) continue;
      const root = await this.#repositoryRoot(folder);
      if (await this.#ignoreFiles.isIgnored(root, path, { name: '.gitignore' })) return '.gitignore';
    }
    return undefined;
  }

  /** The folder of the repository that `folder` lies in, where the topmost `.gitignore` is; else the folder itself. */
  async #repositoryRoot(folder: Path): Promise<Path> {
    const { files } = this.#options;
    for (let candidate = folder; ; ) {
      const head = await files.readText(joinPath(candidate, '.git', 'HEAD'));
      // In a worktree and in a submodule `.git` is a file.
      if (head !== undefined || (await files.readText(joinPath(candidate, '.git'))) !== undefined)
        return candidate;
      const above = parentPath(candidate);
      if (above === candidate) return folder;
      candidate = above;
    }
  }
}
