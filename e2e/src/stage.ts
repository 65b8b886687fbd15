import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Agent } from './agents/agent.js';
import { type AgentStart, RunningAgent } from './runningAgent.js';
import { Sandbox } from './sandbox.js';
import { type ServeOptions, TandemServer } from './tandem.js';

export interface StageOptions {
  /** Name of the workspace folder. */
  readonly workspace?: string;
  /** Environment variables by which the person has put configuration folders elsewhere. */
  readonly folderVariables?: readonly string[];
}

/** A workspace with a companion, and the agents that work in it. All of it goes away when the test ends. */
export class Stage {
  private constructor(
    readonly sandbox: Sandbox,
    readonly workspace: string,
    readonly tandem: TandemServer,
  ) {}

  static async open(options: StageOptions = {}): Promise<Stage> {
    const sandbox = await openSandbox(options.folderVariables);
    const workspace = await sandbox.folder(options.workspace ?? 'workspace');
    return new Stage(sandbox, workspace, await serve(sandbox, workspace));
  }

  path(name: string): string {
    return join(this.workspace, name);
  }

  /** Puts a file into the workspace and gives its path. */
  put(name: string, content: string | Buffer): Promise<string> {
    return this.sandbox.write(this.path(name), content);
  }

  /** A file's exact text. Invalid UTF-8 would show, a byte order mark stays. */
  read(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8');
  }

  /** What the companions of this stage have written down for those that follow. */
  async journal(): Promise<string> {
    const folder = join(this.sandbox.state, 'tandem/journal');
    const names = await readdir(folder, { recursive: true });
    const files = names.filter((name) => name.endsWith('.json'));
    return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
  }

  /** Starts an agent in the workspace, connected by what it finds on disk alone, and gives it with its session's id. */
  async connect(agent: Agent, how?: AgentStart): Promise<ConnectedAgent> {
    const running = await startAgent(agent, this.sandbox, this.workspace, how);
    const { session } = await this.tandem.waitForEvent('session.connected', { agent: agent.kind });
    return { running, session: String(session) };
  }
}

export interface ConnectedAgent {
  readonly running: RunningAgent;
  readonly session: string;
}

/** A sandbox that goes away with the test. */
export async function openSandbox(folderVariables?: readonly string[]): Promise<Sandbox> {
  const sandbox = await Sandbox.create(folderVariables);
  onTestFinished(() => sandbox.dispose());
  return sandbox;
}

/** A companion that goes away with the test. */
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

/** An agent that goes away with the test. */
export async function startAgent(
  agent: Agent,
  sandbox: Sandbox,
  cwd: string,
  how?: AgentStart,
): Promise<RunningAgent> {
  const running = await RunningAgent.start(agent, sandbox, cwd, how);
  onTestFinished(() => running.dispose());
  return running;
}
