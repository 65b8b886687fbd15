import { realpath } from 'node:fs/promises';
import type { Agent, ContextAgent } from './agents/agent.js';
import type { AgentTerminal } from './agentTerminal.js';
import { CliTerminal } from './cliTerminal.js';
import { ScriptedModel } from './model/scriptedModel.js';
import { say, type Turn } from './model/turn.js';
import type { Sandbox } from './sandbox.js';

/** How to start an agent, if not by typing its name in a shell. */
export interface AgentStart {
  /** A command that replaces the agent's executable and flags. */
  readonly commandLine?: readonly [file: string, ...args: string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the CLI's own settings switch its IDE mode on. Default: true. */
  readonly isIdeModeOn?: boolean;
  /** Whether it may relaunch itself with more memory, as it does for users; that takes a second more. */
  readonly mayRelaunch?: boolean;
}

/** One agent CLI in its terminal, with the model it talks to. The creator disposes it. */
export class RunningAgent<Kind extends ContextAgent = Agent> {
  /** Each edit gets its own closing text, because the screen still shows those of earlier edits. */
  #edits = 0;

  private constructor(
    readonly agent: Kind,
    readonly model: ScriptedModel,
    readonly terminal: AgentTerminal,
  ) {}

  /** Starts the CLI in a folder and waits until its prompt accepts typing. */
  static async start<Kind extends ContextAgent>(
    agent: Kind,
    sandbox: Sandbox,
    cwd: string,
    how: AgentStart = {},
  ): Promise<RunningAgent<Kind>> {
    const model = await ScriptedModel.start(agent.dialect);
    const isIdeModeOn = how.isIdeModeOn ?? true;
    const site = { sandbox, cwd: await realpath(cwd), modelUrl: model.url, isIdeModeOn };
    // A second CLI of the same kind uses the settings as the first one left them.
    await sandbox.once(`prepare ${agent.name}`, () => agent.prepare(site));
    const [file, ...args] = how.commandLine ?? [
      ...agent.executable,
      ...agent.connectFlags,
      ...agent.approvalFlags,
    ];
    const terminal = CliTerminal.spawn(agent.name, {
      file,
      args,
      cwd,
      // PWD as a shell sets it: the folder as the user typed it, symlinks included.
      env: {
        ...sandbox.environment(),
        ...agent.environment(site),
        ...(how.mayRelaunch !== true && agent.withoutRelaunch),
        PWD: cwd,
        ...how.env,
      },
    });
    return RunningAgent.waitUntilReady(agent, model, terminal);
  }

  /**
   * Waits until the prompt of a CLI that was started in a terminal accepts typing. The result owns the model and the
   * terminal.
   */
  static async waitUntilReady<Kind extends ContextAgent>(
    agent: Kind,
    model: ScriptedModel,
    terminal: AgentTerminal,
  ): Promise<RunningAgent<Kind>> {
    const running = new RunningAgent(agent, model, terminal);
    try {
      await terminal.waitFor(agent.screen.ready, 120_000);
      await terminal.waitUntilQuiet('keys typed while a CLI is still mounting its prompt are lost');
    } catch (error) {
      await running.dispose();
      throw error;
    }
    return running;
  }

  /** Prompts the agent; the model answers with these turns. */
  async ask(prompt: string, ...turns: Turn[]): Promise<void> {
    this.model.script(...turns);
    await this.terminal.submit(prompt);
  }

  /** Asks for an edit; the model ends with a text that `waitUntilDone` expects. */
  async propose(edit: readonly Turn[]): Promise<void> {
    this.#edits += 1;
    await this.ask(`please make edit ${this.#edits}`, ...edit, say(this.#lastWords));
  }

  /** Waits until the agent has reported an accepted edit to its model and shows the model's closing text. */
  async waitUntilDone(): Promise<void> {
    await this.model.waitForEndOfScript();
    await this.terminal.waitFor(this.#lastWords);
  }

  get #lastWords(): string {
    return `Edit ${this.#edits} is done.`;
  }

  /** Waits until the CLI itself shows that this file is active, or no longer active. */
  async waitForActiveFile(name: string, isActive = true): Promise<void> {
    await this.agent.waitForActiveFile(this.terminal, name, isActive);
  }

  /** Waits until the CLI itself asks for a decision. */
  async waitForApproval(this: RunningAgent): Promise<void> {
    await this.terminal.waitFor(this.agent.screen.approval);
  }

  /** Waits until no question is shown and the prompt is back. */
  async waitUntilPromptIsBack(): Promise<void> {
    const { ready, ...questions } = this.agent.screen;
    const { approval = undefined }: { readonly approval?: RegExp } = questions;
    await this.terminal.waitFor((screen) => approval?.test(screen) !== true && ready.test(screen));
    await this.terminal.waitUntilQuiet('the CLI may still be writing a file');
  }

  /** Waits until the CLI accepts a new request. */
  async waitUntilIdle(): Promise<void> {
    await this.waitUntilPromptIsBack();
    this.model.clearScript();
  }

  /** Decides in the terminal, while the editor shows the review as well. */
  async decideInTerminal(this: RunningAgent, decision: 'accept' | 'reject'): Promise<void> {
    await this.waitForApproval();
    await this.terminal.waitUntilQuiet('a key pressed while the question is being drawn is lost');
    const keys = decision === 'accept' ? this.agent.acceptKeys : this.agent.rejectKeys;
    for (const key of keys) await this.terminal.press(key);
  }

  async dispose(): Promise<void> {
    await this.terminal.kill();
    await this.model.close();
  }
}
