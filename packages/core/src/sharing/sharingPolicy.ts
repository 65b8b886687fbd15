import type { Disposable } from '../disposable.js';
import { Emitter, type Event } from '../event.js';
import { describeError, type Logger, logListenerError } from '../logger.js';
import { joinPath, parentPath, partsBelow, pathParts } from '../paths.js';
import type { Path } from '../position.js';
import { DenyList, defaultDenyList } from './denyList.js';
import { FileCache, type PolicyFiles } from './fileCache.js';
import { type AgentIgnoreFile, IgnoreFiles } from './ignoreFiles.js';

/** An agent, as the policy sees it. */
export interface AgentIdentity {
  /** Short lower-case identifier, such as `gemini`. */
  readonly id: string;
  /** The files in which a project lists what this agent may not read. */
  readonly ignoreFiles: readonly AgentIgnoreFile[];
}

/** What `SharingPolicy` needs from the companion. */
export interface SharingPolicyOptions {
  readonly files: PolicyFiles;
  readonly folders: () => readonly Path[];
  readonly logger: Logger;
  /** Patterns in the syntax of `.gitignore`, matched against whole paths. Replaces `defaultDenyList`. */
  readonly denyList?: readonly string[];
  /** Whether files that `.gitignore` names are hidden too. Off by default: users do edit generated files. */
  readonly respectsGitignore?: boolean;
}

/** Whether a file may be named to an agent, and if not, the reason in words for the user. */
export type SharingVerdict =
  | { readonly isShared: true }
  | { readonly isShared: false; readonly reason: string };

/** The maximum number of logged refusals: a repository can contain any number of ignore files. */
const maxLogged = 100;
const shared: SharingVerdict = { isShared: true };
const paused: SharingVerdict = { isShared: false, reason: 'sharing is paused' };

/**
 * Decides which files may leave the editor. Every protocol message in which we name or quote a file unrequested checks
 * this policy first. A file is checked by the path it was opened with, by that path with the links of its folder
 * resolved, and by its real path, so that a link cannot bypass the policy.
 */
export class SharingPolicy implements Disposable {
  readonly #options: SharingPolicyOptions;
  readonly #didChange: Emitter<void>;
  readonly #ignoreFiles = new IgnoreFiles();
  #cache: FileCache | undefined;
  #denied: DenyList;
  #isPaused = false;
  readonly #logged = new Set<string>();

  /** Sharing was paused or resumed, or the deny list was set. */
  readonly onDidChange: Event<void>;

  constructor(options: SharingPolicyOptions) {
    this.#options = options;
    this.#denied = new DenyList(options.denyList ?? defaultDenyList);
    this.#didChange = new Emitter(logListenerError(options.logger, 'the sharing policy'));
    this.onDidChange = this.#didChange.event;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get denyList(): readonly string[] {
    return this.#denied.patterns;
  }

  /** Stops sharing with all agents, and withdraws what they hold. */
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

  /** A cache that starts empty. All calls in the same turn get the same cache. */
  fileCache(): FileCache {
    if (this.#cache === undefined) {
      this.#cache = new FileCache(this.#options.files);
      void Promise.resolve().then(() => {
        this.#cache = undefined;
      });
    }
    return this.#cache;
  }

  /** Checks one absolute path for one agent, by the policy at the time the verdict is reached. Never rejects. */
  async verdict(agent: AgentIdentity, path: Path, cache = this.fileCache()): Promise<SharingVerdict> {
    if (this.#isPaused) return paused;
    const reason = await this.heldBack(agent, path, cache);
    if (this.#isPaused) return paused;
    return reason === undefined ? shared : { isShared: false, reason };
  }

  /**
   * Why a path is hidden from an agent, whether or not sharing is paused; `undefined` when it is not hidden from agents.
   * A path that cannot be checked is hidden from agents. Never rejects.
   */
  async heldBack(agent: AgentIdentity, path: Path, cache = this.fileCache()): Promise<string | undefined> {
    try {
      const names = await namesOf(path, cache);
      for (const name of names) {
        const ignoredBy = await this.#findIgnoreFile(agent, name, cache);
        if (ignoredBy !== undefined) return `${ignoredBy} excludes it`;
      }
      // Last, so that a pattern that is added during the reads above counts.
      const pattern = await cache.work((report) => {
        for (const name of names) {
          const found = this.#denied.match(name, this.#options.folders(), report);
          if (found !== undefined) return found;
        }
        return undefined;
      });
      return pattern && `it matches the deny list (${pattern})`;
    } catch (error) {
      const why = describeError(error);
      this.#logOnce(why);
      return `it cannot be checked: ${why}`;
    }
  }

  dispose(): void {
    this.#didChange.dispose();
  }

  /** The same file is checked at every event, so each refusal is logged once. */
  #logOnce(why: string): void {
    if (this.#logged.has(why) || this.#logged.size === maxLogged) return;
    this.#logged.add(why);
    this.#options.logger.warn('files are hidden because they cannot be checked', { error: why });
  }

  #setPaused(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    this.#didChange.fire();
  }

  /** The name of an ignore file that holds the path back from the agent. */
  async #findIgnoreFile(agent: AgentIdentity, path: Path, cache: FileCache): Promise<string | undefined> {
    for (const folder of this.#options.folders()) {
      if (partsBelow(folder, path) === undefined) continue;
      for (const file of agent.ignoreFiles) {
        if (await this.#ignoreFiles.isIgnored(cache, folder, path, file)) return file.name;
      }
      if (!this.#options.respectsGitignore) continue;
      const root = await repositoryRoot(folder, cache);
      if (await this.#ignoreFiles.isIgnored(cache, root, path, { name: '.gitignore' })) return '.gitignore';
    }
    return undefined;
  }
}

/** A path as given, with the links of its folder resolved, and with all links resolved. */
async function namesOf(path: Path, cache: FileCache): Promise<Set<Path>> {
  const real = await cache.realPath(path);
  const name = pathParts(path).at(-1);
  if (real === path || name === undefined) return new Set([path, real]);
  return new Set([path, real, joinPath(await cache.realPath(parentPath(path)), name)]);
}

/** The root of the repository that contains `folder`, where the topmost `.gitignore` is; otherwise `folder`. */
async function repositoryRoot(folder: Path, cache: FileCache): Promise<Path> {
  for (let candidate = folder; ; ) {
    const head = await cache.readText(joinPath(candidate, '.git', 'HEAD'));
    // In a worktree and in a submodule `.git` is a file.
    if (head !== undefined || (await cache.readText(joinPath(candidate, '.git'))) !== undefined)
      return candidate;
    const above = parentPath(candidate);
    if (above === candidate) return folder;
    candidate = above;
  }
}
