import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type FoundCompanion, findCompanions } from '@tandem/companion/control';
import { vi } from 'vitest';
import { Changes } from './changes.js';
import { parseJson, pick, pickList, pickText } from './json.js';
import { tandemCommand } from './pinnedPrograms.js';
import type { Sandbox } from './sandbox.js';

/** One line of `tandem serve --json`. */
export interface TandemEvent {
  readonly event: string;
  readonly [field: string]: unknown;
}

export interface CommandResult {
  /** -1 if a signal has ended it. */
  readonly code: number;
  /** It was killed because it did not end within `COMMAND_LIMIT`. */
  readonly isOverdue: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** The parsed `stdout`; `undefined` if it is not JSON. */
  readonly json: unknown;
}

/** An agent's entry of the `ready` event. */
export interface AgentEndpoint {
  readonly url: string;
  readonly token: string;
  readonly discovery: readonly string[];
}

/** The limit of each step of the command, on a machine that is busy starting a CLI. */
const COMMAND_LIMIT = 20_000;

/**
 * Runs one `tandem` command to its end, as a user or an editor's key binding would. Does not reject on a failing exit
 * code.
 */
export async function tandem(
  sandbox: Sandbox,
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const child = spawnTandem(sandbox, cwd, args, env);
  let isOverdue = false;
  const timer = setTimeout(() => {
    isOverdue = true;
    child.kill('SIGKILL');
  }, COMMAND_LIMIT);
  const [stdout, stderr, code] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise<number>((resolve) => child.once('close', (exit) => resolve(exit ?? -1))),
  ]);
  clearTimeout(timer);
  return { code, isOverdue, stdout, stderr, json: parseJson(stdout) };
}

/** Options of `tandem serve` besides its folder. */
export interface ServeOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A `tandem serve --json` process. The creator stops it. */
export class TandemServer {
  readonly events: TandemEvent[] = [];
  readonly #unclaimed: TandemEvent[] = [];
  readonly #changes = new Changes();
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #closed: Promise<number>;
  #stderr = '';

  private constructor(
    private readonly sandbox: Sandbox,
    readonly folder: string,
    { args = [], env = {} }: ServeOptions,
  ) {
    // Some tests run two companions on one folder, one through its daemon.
    const always = ['--json', '--another'];
    this.#child = spawnTandem(sandbox, sandbox.root, ['serve', folder, ...always, ...args], env);
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#receive(line));
    this.#child.stderr.on('data', (data: Buffer) => {
      this.#stderr += data.toString('utf8');
    });
    this.#closed = new Promise((resolve) => {
      this.#child.once('close', (code) => {
        this.#changes.fail(new Error(`tandem serve ended with code ${code}`));
        resolve(code ?? -1);
      });
    });
  }

  /** Starts a companion for a folder and waits until agents can find it. */
  static async start(sandbox: Sandbox, folder: string, options: ServeOptions = {}): Promise<TandemServer> {
    const server = new TandemServer(sandbox, folder, options);
    try {
      await server.waitForEvent('ready');
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** The connection data for an agent, from the `ready` event. */
  endpoint(kind: string): AgentEndpoint {
    const entry = pick(this.events[0], 'agents', kind);
    const discovery = pickList(entry, 'discovery').map(String);
    return { url: pickText(entry, 'url'), token: pickText(entry, 'token'), discovery };
  }

  /** Resolves with the first such event that no earlier call has returned. */
  waitForEvent(
    name: string,
    fields: Readonly<Record<string, unknown>> = {},
    timeout = 30_000,
  ): Promise<TandemEvent> {
    const matches = (event: TandemEvent): boolean =>
      event.event === name && Object.entries(fields).every(([key, value]) => event[key] === value);
    return this.#changes.until(
      () => {
        const index = this.#unclaimed.findIndex(matches);
        return index < 0 ? undefined : this.#unclaimed.splice(index, 1)[0];
      },
      {
        what: `the event ${name} ${JSON.stringify(fields)} of tandem serve`,
        timeout,
        evidence: () => this.#evidence(),
      },
    );
  }

  /** Waits until an agent proposes a change, and returns the id of the review. */
  async nextReview(fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
    return pickText(await this.waitForEvent('review.opened', fields), 'id');
  }

  /** Waits for the outcome of a review: accepted, rejected or withdrawn. */
  async outcomeOf(id: string): Promise<string> {
    return pickText(await this.waitForEvent('review.decided', { id }), 'outcome');
  }

  /** Accepts a review, like `tandem review accept` but without the time that a command takes to start. */
  async accept(id: string, content?: string): Promise<void> {
    await this.#call('review.accept', { id, ...(content !== undefined && { content }) });
  }

  /** Rejects a review in the same way. */
  async reject(id: string): Promise<void> {
    await this.#call('review.reject', { id });
  }

  /** Runs another `tandem` command in the served folder, which must succeed. */
  async run(...args: string[]): Promise<CommandResult> {
    const result = await tandem(this.sandbox, this.folder, args);
    if (result.code === 0) return result;
    const end = result.isOverdue ? `was killed after ${COMMAND_LIMIT} ms` : `ended with code ${result.code}`;
    throw new Error(
      `tandem ${args.join(' ')} ${end}\n${result.stdout}\n${result.stderr}\n${this.#evidence()}`,
    );
  }

  /** Ends the companion as a service manager would, and returns its exit code. Idempotent. */
  async stop(): Promise<number> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), COMMAND_LIMIT);
    const code = await this.#closed;
    clearTimeout(timer);
    return code;
  }

  /** Kills the companion without cleanup, as in a power cut. Idempotent. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }

  #receive(line: string): void {
    const event = parseJson(line);
    if (typeof pick(event, 'event') !== 'string') {
      this.#changes.fail(new Error(`tandem serve --json wrote a line that is no event: ${line}`));
      return;
    }
    this.events.push(event as TandemEvent);
    this.#unclaimed.push(event as TandemEvent);
    this.#changes.notify();
  }

  readonly #call: FoundCompanion['client']['call'] = async (method, params) => {
    const find = async () =>
      (await findCompanions(this.sandbox.machine)).find(({ pid }) => pid === this.#child.pid);
    // A companion that does not answer yet is not found.
    const { client } = await vi.waitUntil(find, { timeout: COMMAND_LIMIT });
    return client.call(method, params);
  };

  #evidence(): string {
    // The first event contains tokens, which must not be logged.
    const events = this.events.map(({ agents: _, ...event }) => `  ${JSON.stringify(event)}`).join('\n');
    return `events of tandem serve:\n${events}\nits stderr:\n${this.#stderr}`;
  }
}

/** Starts a command. The caller ends it. */
export function spawnTandem(
  sandbox: Sandbox,
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  return spawn(process.execPath, [tandemCommand, ...args], {
    cwd,
    env: { ...sandbox.environment(), ...env },
    // Its input stays open, as in a terminal.
    stdio: 'pipe',
  });
}

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
