import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Agent, ContextAgent } from './agents/agent.js';
import { type AgentStart, RunningAgent } from './runningAgent.js';
import { Sandbox } from './sandbox.js';
import { type ServeOptions, TandemServer } from './tandem.js';

export interface StageOptions {
  /** Name of the workspace folder. */
  readonly workspace?: string;
  /** Environment variables that move configuration folders. */
  readonly folderVariables?: readonly string[];
  /** Options of `tandem serve`. */
  readonly args?: readonly string[];
}

/** A workspace with a companion, and the agents that work in it. They end with the stage. */
export class Stage {
  readonly #agents: RunningAgent<ContextAgent>[] = [];
  #tandem: TandemServer;

  private constructor(
    readonly sandbox: Sandbox,
    readonly workspace: string,
    tandem: TandemServer,
  ) {
    this.#tandem = tandem;
  }

  /** A stage that is disposed with the test. */
  static async open(options: StageOptions = {}): Promise<Stage> {
    const stage = await Stage.create(options);
    onTestFinished(() => stage.dispose());
    return stage;
  }

  /** A stage for several tests. The creator disposes it. */
  static async create(options: StageOptions = {}): Promise<Stage> {
    const sandbox = await Sandbox.create(options.folderVariables);
    try {
      const workspace = await sandbox.folder(options.workspace ?? 'workspace');
      const { args = [] } = options;
      return new Stage(sandbox, workspace, await TandemServer.start(sandbox, workspace, { args }));
    } catch (error) {
      await sandbox.dispose();
      throw error;
    }
  }

  /** The companion; after `restart`, the new one. */
  get tandem(): TandemServer {
    return this.#tandem;
  }

  path(name: string): string {
    return join(this.workspace, name);
  }

  /** Writes a file into the workspace and returns its path. */
  put(name: string, content: string | Buffer): Promise<string> {
    return this.sandbox.write(this.path(name), content);
  }

  /** A file's text, with a byte order mark if there is one. Invalid UTF-8 appears as U+FFFD. */
  read(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8');
  }

  /** The journals of this stage's companions. */
  async journal(): Promise<string> {
    const folder = join(this.sandbox.state, 'tandem/journal');
    const names = await readdir(folder, { recursive: true });
    const files = names.filter((name) => name.endsWith('.json'));
    // A replaced version may disappear meanwhile.
    const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8').catch(() => '');
    return (await Promise.all(files.map(read))).join('\n');
  }

  /**
   * Starts an agent in the workspace, which connects through its discovery file alone, if need be with its command. Returns it with its session id.
   */
  async connect<Kind extends ContextAgent>(agent: Kind, how?: AgentStart): Promise<ConnectedAgent<Kind>> {
    const running = await RunningAgent.start(agent, this.sandbox, this.workspace, how);
    this.#agents.push(running);
    if (agent.connectCommand !== undefined) await running.terminal.submit(agent.connectCommand);
    const { session } = await this.tandem.waitForEvent('session.connected', { agent: agent.kind });
    return { running, session: String(session) };
  }

  /** Ends the companion and starts another one. */
  async restart(end: 'kill' | 'stop'): Promise<void> {
    await this.tandem[end]();
    this.#tandem = await TandemServer.start(this.sandbox, this.workspace);
  }

  /** Idempotent. */
  async dispose(): Promise<void> {
    for (const agent of this.#agents.splice(0)) await agent.dispose();
    await this.tandem.stop();
    await this.sandbox.dispose();
  }
}

export interface ConnectedAgent<Kind extends ContextAgent = Agent> {
  readonly running: RunningAgent<Kind>;
  readonly session: string;
}

/** A sandbox that is disposed with the test. */
export async function openSandbox(folderVariables?: readonly string[]): Promise<Sandbox> {
  const sandbox = await Sandbox.create(folderVariables);
  onTestFinished(() => sandbox.dispose());
  return sandbox;
}

/** A companion that stops with the test. */
export async function serve(
  sandbox: Sandbox,
  folder: string,
  options: ServeOptions = {},
): Promise<TandemServer> {
  const server = await TandemServer.start(sandbox, folder, options);
  onTestFinished(async () => {
    await server.stop();
  });
  return server;
}

/** An agent that ends with the test. */
export async function startAgent<Kind extends ContextAgent>(
  agent: Kind,
  sandbox: Sandbox,
  cwd: string,
  how?: AgentStart,
): Promise<RunningAgent<Kind>> {
  const running = await RunningAgent.start(agent, sandbox, cwd, how);
  onTestFinished(() => running.dispose());
  return running;
}
