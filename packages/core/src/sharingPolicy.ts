import ignore, { type Ignore } from 'ignore';
import type { Disposable } from './disposable.js';
import { Emitter, type Event } from './event.js';
import { type Logger, logListenerError } from './logger.js';
import { joinPath, partsBelow, pathParts } from './paths.js';
import type { Path } from './position.js';

/** An agent, as the policy sees it. */
export interface AgentIdentity {
  /** Short lower-case identifier, such as `gemini`. */
  readonly id: string;
  /** The files by which a project tells this agent what it may not read. */
  readonly ignoreFiles: readonly AgentIgnoreFile[];
}

export interface AgentIgnoreFile {
  /** Path below a folder, such as `.geminiignore`. */
  readonly name: string;
  /** Makes patterns in the syntax of `.gitignore` of the file's text; without it the text is such patterns. */
  readonly patterns?: (text: string) => readonly string[];
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
export type SharingVerdict = { readonly isShared: true } | { readonly isShared: false; readonly reason: string };

/** What never leaves the editor unless the user says otherwise: secrets by their usual names. */
export const defaultDenyList: readonly string[] = [
  '.env*',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  '*.ppk',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '.ssh/',
  '.gnupg/',
  '.aws/',
  '.kube/config',
  '.docker/config.json',
  '.netrc',
  '_netrc',
  '.pgpass',
  '.htpasswd',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  'credentials',
  'credentials.csv',
  'credentials.db',
  'credentials.toml',
  'credentials.xml',
  'credentials.y*ml',
  '*credentials*.json',
  '*service-account*.json',
  'secrets.json',
  'secrets.toml',
  'secrets.y*ml',
  '.vault-token',
];

const shared: SharingVerdict = { isShared: true };

/**
 * Says what may leave the editor. Every message of every protocol that names or quotes a file on our own
 * initiative asks here first. A file is judged under the name it was opened by and under its real path, so that
 * a link is no way around.
 */
export class SharingPolicy implements Disposable {
  readonly #options: SharingPolicyOptions;
  readonly #didChange: Emitter<void>;
  readonly #matchers = new Map<string, { readonly text: string; readonly matcher: Ignore }>();
  #denyList: readonly string[];
  #denied: Ignore;
  #isPaused = false;

  /** Sharing was paused or resumed, or the deny list was set. */
  readonly onDidChange: Event<void>;

  constructor(options: SharingPolicyOptions) {
    this.#options = options;
    this.#denyList = options.denyList ?? defaultDenyList;
    this.#denied = ignore().add([...this.#denyList]);
    this.#didChange = new Emitter(logListenerError(options.logger, 'the sharing policy'));
    this.onDidChange = this.#didChange.event;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get denyList(): readonly string[] {
    return this.#denyList;
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
    this.#denyList = patterns;
    this.#denied = ignore().add([...patterns]);
    this.#didChange.fire();
  }

  /** Judges one absolute path for one agent. */
  async verdict(agent: AgentIdentity, path: Path): Promise<SharingVerdict> {
    if (this.#isPaused) return { isShared: false, reason: 'sharing is paused' };
    const real = await this.#options.files.realPath(path);
    for (const name of new Set([path, real])) {
      const verdict = await this.#judge(agent, name);
      if (!verdict.isShared) return verdict;
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

  async #judge(agent: AgentIdentity, path: Path): Promise<SharingVerdict> {
    const match = this.#denied.test(pathParts(path).join('/'));
    if (match.ignored) return { isShared: false, reason: `the deny list holds it back (${match.rule?.pattern ?? 'a pattern'})` };
    for (const folder of this.#options.folders()) {
      if (partsBelow(folder, path) === undefined) continue;
      for (const file of agent.ignoreFiles) {
        if (await this.#isIgnored(folder, path, file)) return { isShared: false, reason: `${file.name} names it` };
      }
      if (!this.#options.respectsGitignore) continue;
      if (await this.#isIgnored(await this.#repositoryRoot(folder), path, { name: '.gitignore' })) {
        return { isShared: false, reason: '.gitignore names it' };
      }
    }
    return shared;
  }

  /**
   * Walks from `root` down to the file and applies each ignore file on the way: a deeper one may overrule a
   * shallower one, but nothing brings back what lies in an ignored folder (gitignore(5)).
   */
  async #isIgnored(root: Path, path: Path, file: AgentIgnoreFile): Promise<boolean> {
    const parts = partsBelow(root, path) ?? [];
    let isIgnored = false;
    for (let depth = 0; depth < parts.length; depth++) {
      const matcher = await this.#matcher(joinPath(root, ...parts.slice(0, depth), ...file.name.split('/')), file);
      if (matcher === undefined) continue;
      const below = parts.slice(depth);
      if (below.length > 1 && matcher.ignores(`${below.slice(0, -1).join('/')}/`)) return true;
      const match = matcher.test(below.join('/'));
      if (match.ignored) isIgnored = true;
      else if (match.unignored) isIgnored = false;
    }
    return isIgnored;
  }

  async #matcher(path: Path, file: AgentIgnoreFile): Promise<Ignore | undefined> {
    const text = await this.#options.files.readText(path);
    if (text === undefined) {
      this.#matchers.delete(path);
      return undefined;
    }
    const known = this.#matchers.get(path);
    if (known?.text === text) return known.matcher;
    const matcher = ignore().add(file.patterns ? [...file.patterns(text)] : text);
    this.#matchers.set(path, { text, matcher });
    return matcher;
  }

  /** The folder of the repository that `folder` lies in, where the topmost `.gitignore` is; else the folder itself. */
  async #repositoryRoot(folder: Path): Promise<Path> {
    for (let parent = folder; ; ) {
      const { files } = this.#options;
      const isRoot =
        (await files.readText(joinPath(parent, '.git', 'HEAD'))) ?? (await files.readText(joinPath(parent, '.git')));
      if (isRoot !== undefined) return parent;
      const above = parent.replace(/[\\/][^\\/]*$/, '');
      if (above === parent || above === '') return folder;
      parent = above;
    }
  }
}
