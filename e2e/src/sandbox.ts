import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * The scratch machine of one test: a home, a temporary folder and workspaces that vanish with `dispose()`.
 * Agents and companion share it as they would share a user's account.
 */
export class Sandbox {
  readonly #done = new Map<string, Promise<void>>();

  private constructor(
    readonly root: string,
    private readonly folderVariables: readonly string[],
  ) {}

  /** `folderVariables`: names of environment variables that point programs to folders of their own below the root. */
  static async create(folderVariables: readonly string[] = []): Promise<Sandbox> {
    // Real paths throughout: what is compared with the CLIs' own idea of a path must not contain symlinks.
    const root = await realpath(await mkdtemp(join(tmpdir(), 'tandem-e2e-')));
    const sandbox = new Sandbox(root, folderVariables);
    for (const folder of [sandbox.home, sandbox.temporary, sandbox.state, sandbox.bin]) {
      await mkdir(folder, { mode: 0o700 });
    }
    return sandbox;
  }

  get home(): string {
    return join(this.root, 'home');
  }

  get temporary(): string {
    return join(this.root, 'tmp');
  }

  get state(): string {
    return join(this.root, 'state');
  }

  /** A folder for the PATH, where `tandem run` finds the agents. */
  get bin(): string {
    return join(this.root, 'bin');
  }

  /** Creates a folder beside the home and returns its absolute path. */
  async folder(name: string): Promise<string> {
    const path = join(this.root, name);
    await mkdir(path, { recursive: true });
    return path;
  }

  /**
   * Writes a file, its folders included, and returns its absolute path. A relative path is one below the root. Rejects
   * when the path leads out of the sandbox, where nothing would remove the file.
   */
  async write(path: string, content: string | Buffer, mode = 0o600): Promise<string> {
    const file = resolve(this.root, path);
    if (relative(this.root, file).startsWith('../')) throw new Error(`${file} is outside of ${this.root}.`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { mode });
    return file;
  }

  /** Runs a task at its first mention only. */
  once(name: string, task: () => Promise<void>): Promise<void> {
    const done = this.#done.get(name) ?? task();
    this.#done.set(name, done);
    return done;
  }

  /** The environment of any program in this sandbox; nothing of the test's own environment leaks in. */
  environment(): Record<string, string> {
    return {
      PATH: `${this.bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: this.home,
      TMPDIR: this.temporary,
      XDG_STATE_HOME: this.state,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      // Nothing here may go through a proxy of the machine the tests run on.
      NO_PROXY: '127.0.0.1,localhost',
      ...Object.fromEntries(this.folderVariables.map((name) => [name, join(this.root, name.toLowerCase())])),
    };
  }

  async dispose(): Promise<void> {
    // A CLI that was killed a moment ago may have a child that still writes; rm retries on ENOTEMPTY.
    await rm(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
