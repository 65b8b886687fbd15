import { mkdir, mkdtemp, readdir, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Node's compile cache, which all sandboxes of a run share, so that a program starts faster the next time. */
    compileCache: string;
  }
}

/**
 * The scratch environment of one test: a home, a temporary folder and workspaces, removed by `dispose()`. Agents and
 * companion share it like a user's account.
 */
export class Sandbox {
  readonly #done = new Map<string, Promise<void>>();

  private constructor(
    readonly root: string,
    private readonly folderVariables: readonly string[],
  ) {}

  /** `folderVariables`: names of environment variables, each set to its own folder below the root. */
  static async create(folderVariables: readonly string[] = []): Promise<Sandbox> {
    // Real paths only: tests compare them with paths that the CLIs resolve.
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

  /** A folder on the PATH, where `tandem run` finds the agents. */
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
   * paths outside the sandbox, where nothing would remove the file.
   */
  async write(path: string, content: string | Buffer, mode = 0o600): Promise<string> {
    const file = resolve(this.root, path);
    if (relative(this.root, file).startsWith('../')) throw new Error(`${file} is outside of ${this.root}.`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { mode });
    return file;
  }

  /** Runs a task the first time its name is used, and never again. */
  once(name: string, task: () => Promise<void>): Promise<void> {
    const done = this.#done.get(name) ?? task();
    this.#done.set(name, done);
    return done;
  }

  /** The environment of every program in this sandbox, without the test's own environment. */
  environment(): Record<string, string> {
    return {
      PATH: `${this.bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: this.home,
      TMPDIR: this.temporary,
      XDG_STATE_HOME: this.state,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      NODE_COMPILE_CACHE: inject('compileCache'),
      // Bypass any proxy of the machine that runs the tests.
      NO_PROXY: '127.0.0.1,localhost',
      ...Object.fromEntries(this.folderVariables.map((name) => [name, join(this.root, name.toLowerCase())])),
    };
  }

  /** What searches for companions of this sandbox takes for the machine. */
  get machine() {
    const { home, temporary: tmpdir } = this;
    return { env: this.environment(), home, tmpdir, platform: 'linux' } as const;
  }

  async dispose(): Promise<void> {
    await this.#endPrograms();
    // A child of a CLI that was just killed may still write; rm retries on ENOTEMPTY.
    await rm(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  /** Ends what runs a program in the sandbox: Codex CLI copies itself there, and leaves daemons running. */
  async #endPrograms(): Promise<void> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const programs = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/exe`).catch(() => '')));
    for (const [at, program] of programs.entries()) {
      if (!program.startsWith(`${this.root}/`)) continue;
      try {
        process.kill(Number(pids[at]), 'SIGKILL');
      } catch {
        // It has just ended.
      }
    }
  }
}
