import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FoundCompanion, findCompanions } from '@tandem/companion/control';
import { createSignals } from '../../../../packages/agents/test/support/signals.js';
import { runInProcess } from './commandInProcess.js';

const command = fileURLToPath(new URL('../../bin/tandem.js', import.meta.url));

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The content of its standard input. Default: closed. */
  readonly input?: string | Buffer;
  readonly detached?: boolean;
}

/** A running `tandem`, or another program, whose output a test waits for. */
export class TandemProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';
  readonly #signals = createSignals();

  constructor(
    program: string,
    args: readonly string[],
    options: StartOptions & { readonly env: Readonly<Record<string, string>> },
  ) {
    const { cwd, env, input, detached = false } = options;
    this.child = spawn(program, args, { env, stdio: 'pipe', detached, ...(cwd !== undefined && { cwd }) });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#signals.changed();
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#signals.changed();
    });
    this.child.stdin?.on('error', () => {});
    if (input !== undefined) this.child.stdin?.end(input);
    this.ended = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('close', (code, signal) => {
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr });
        this.#signals.changed();
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Resolves when standard output contains this. */
  async said(text: string): Promise<void> {
    await this.#signals.until(() => this.stdout.includes(text) || this.hasEnded);
    if (!this.stdout.includes(text))
      throw new Error(`It ended without ${text}:\n${this.stdout}${this.stderr}`);
  }

  /** Resolves when standard error contains this. */
  async complained(text: string): Promise<void> {
    await this.#signals.until(() => this.stderr.includes(text) || this.hasEnded);
    if (!this.stderr.includes(text))
      throw new Error(`It ended without ${text}:\n${this.stdout}${this.stderr}`);
  }

  /** Resolves to the first JSON line with this event for which `matches` holds. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the lines without a schema.
  async event(name: string, matches: (event: any) => boolean = () => true): Promise<any> {
    const find = () =>
      this.lines.map((line) => JSON.parse(line)).find((each) => each.event === name && matches(each));
    await this.#signals.until(() => find() !== undefined || this.hasEnded);
    const found = find();
    if (found === undefined) throw new Error(`It ended without ${name}:\n${this.stdout}${this.stderr}`);
    return found;
  }

  /** The complete lines of standard output. */
  get lines(): string[] {
    return this.stdout.split('\n').slice(0, -1);
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  signal(name: NodeJS.Signals): Promise<Ended> {
    this.child.kill(name);
    return this.ended;
  }
}

/** A home, a temporary folder, a state folder and a workspace for one test, and the processes started with them. */
export class Scratch {
  readonly root = realpathSync(mkdtempSync(join(this.parent, 'scratch-')));
  readonly home = this.#folder('home');
  readonly tmpdir = this.#folder('tmp');
  readonly state = this.#folder('state');
  readonly workspace: string;
  readonly #running = new Set<TandemProcess>();

  constructor(workspaceName = 'workspace') {
    this.workspace = this.#folder(workspaceName);
  }

  /** The folder in which it is created. */
  protected get parent(): string {
    return tmpdir();
  }

  get env(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? '',
      HOME: this.home,
      TMPDIR: this.tmpdir,
      XDG_STATE_HOME: this.state,
      SHELL: '/bin/bash',
    };
  }

  /** Another folder beside the workspace. */
  folder(name: string): string {
    return this.#folder(name);
  }

  /** Writes a file of the workspace and returns its path. */
  write(name: string, text: string | Buffer = ''): string {
    const path = join(this.workspace, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** The program and the arguments that a shell needs to run `tandem`. */
  commandLine(args: readonly string[]): [string, ...string[]] {
    return [process.execPath, command, ...args];
  }

  /** Starts `tandem` in the workspace. */
  start(args: readonly string[], options: StartOptions = {}): TandemProcess {
    const [program, ...rest] = this.commandLine(args);
    return this.startProgram(program, rest, options);
  }

  startProgram(program: string, args: readonly string[], options: StartOptions = {}): TandemProcess {
    const env = { ...this.env, ...options.env };
    const started = new TandemProcess(program, args, { cwd: this.workspace, ...options, env });
    this.#running.add(started);
    return started;
  }

  /** Runs `tandem` in the workspace to its end. */
  run(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
    return this.start(args, { input: '', ...options }).ended;
  }

  /** Runs a short `tandem` command in the workspace to its end, without a process of its own; see `runInProcess`. */
  async command(args: readonly string[], { env, ...options }: StartOptions = {}): Promise<Ended> {
    const surroundings = { entry: command, cwd: this.workspace, ...options, env: { ...this.env, ...env } };
    return { ...(await runInProcess(args, surroundings)), signal: null };
  }

  /** Starts `tandem serve --json` and resolves when it is ready. */
  async serve(args: readonly string[] = [], options: StartOptions = {}): Promise<TandemProcess> {
    const companion = this.start(['serve', '--json', ...args], options);
    await companion.event('ready');
    return companion;
  }

  /** Calls the companion that runs, as the commands do, without the time that a command takes to start. */
  readonly call: FoundCompanion['client']['call'] = async (method, params) => {
    const { env, home, tmpdir } = this;
    const [companion] = await findCompanions({ env, home, tmpdir, platform: 'linux' });
    if (companion === undefined) throw new Error(`No companion runs that could answer ${method}.`);
    return companion.client.call(method, params);
  };

  /** The existing discovery files and registrations. */
  discoveryFiles(): string[] {
    const folders = [
      join(this.home, '.qwen'),
      join(this.home, '.claude'),
      join(this.home, '.copilot'),
      this.tmpdir,
      join(this.state, 'tandem/companions'),
    ];
    return folders.filter((folder) => existsSync(folder)).flatMap(filesBelow);
  }

  /** What the journals contain. */
  journal(): string {
    const folder = join(this.state, 'tandem/journal');
    if (!existsSync(folder)) return '';
    return filesBelow(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
  }

  /** Ends the running processes and removes everything. */
  async dispose(): Promise<void> {
    for (const each of this.#running) if (!each.hasEnded) each.child.kill('SIGKILL');
    await Promise.all([...this.#running].map(({ ended }) => ended.catch(() => undefined)));
    // A companion that `tandem run` has started is no child of this process, and may still be ending.
    rmSync(this.root, { recursive: true, force: true, maxRetries: 10 });
  }

  #folder(name: string): string {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true });
    return path;
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
