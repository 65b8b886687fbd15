import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AgentId } from '@tandem/companion/agents';
import { type FoundCompanion, findCompanions } from '@tandem/companion/control';
import { commandFile } from './commandFile.js';
import type { HttpTarget } from './httpClient.js';
import type { Scratch } from './scratch.js';
import { nextMessage } from './serverProcess.js';
import type { LongestTask, ProcessorUse } from './servers/answerMeasures.js';
import type { MemoryUse } from './servers/measureMemory.js';

const probeFile = fileURLToPath(new URL('./servers/probe.js', import.meta.url));

interface ReadyLine {
  readonly event: 'ready';
  readonly agents: Readonly<Record<string, { readonly url: string; readonly token: string }>>;
}

/** A line of `tandem serve --json`. */
export type ServeEvent = ReadyLine | { readonly event: string; readonly id?: string };

/**
 * The built `tandem serve` as a user runs it, with its page, its journal and all agents, in its own process, which
 * reports its memory and processor time. The caller stops it.
 */
export class InstalledCommand {
  readonly #child: ChildProcess;
  readonly #scratch: Scratch;
  readonly #ready: ReadyLine;
  readonly #listeners = new Set<(event: ServeEvent, at: number) => void>();

  private constructor(child: ChildProcess, scratch: Scratch, ready: ReadyLine) {
    this.#child = child;
    this.#scratch = scratch;
    this.#ready = ready;
  }

  static async start(scratch: Scratch): Promise<InstalledCommand> {
    const child = fork(commandFile(), ['serve', scratch.workspace, '--json', '--no-open'], {
      cwd: scratch.workspace,
      env: scratch.env,
      execArgv: ['--expose-gc', '--import', probeFile],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    if (child.stdout === null) throw new Error('The command has no standard output.');
    const lines = createInterface({ input: child.stdout });
    const started = nextMessage<string>(child);
    const first = await new Promise<string>((resolve) => lines.once('line', resolve));
    await started;
    // Both ends are ours: the first line of the command has exactly this form.
    const command = new InstalledCommand(child, scratch, JSON.parse(first) as ReadyLine);
    lines.on('line', (line) => {
      const at = performance.now();
      const event = JSON.parse(line) as ServeEvent;
      for (const listener of command.#listeners) listener(event, at);
    });
    return command;
  }

  /** Where an agent connects, and its token. */
  endpoint(agent: AgentId): { readonly url: string; readonly token: string } {
    const found = this.#ready.agents[agent];
    if (found === undefined) throw new Error(`The command does not serve ${agent}.`);
    return found;
  }

  /** The same for an agent that connects to a port. */
  target(agent: AgentId): HttpTarget {
    const { url, token } = this.endpoint(agent);
    return { port: Number(new URL(url).port), token };
  }

  /** The control client that `tandem` commands use. */
  async control(): Promise<FoundCompanion['client']> {
    const { HOME: home = '', TMPDIR: tmpdir = '' } = this.#scratch.env;
    const machine = { platform: process.platform, home, tmpdir, env: this.#scratch.env };
    // While it still loads what agents need, it may not answer in time.
    for (let tries = 0; tries < 5; tries += 1) {
      const [found] = await findCompanions(machine);
      if (found !== undefined) return found.client;
    }
    throw new Error('The command cannot be found.');
  }

  /** The next event with this name: its content and its time. */
  nextEvent(name: string): Promise<{ readonly id: string; readonly at: number }> {
    return new Promise((resolve) => {
      const listener = (event: ServeEvent, at: number): void => {
        if (event.event !== name) return;
        this.#listeners.delete(listener);
        resolve({ id: 'id' in event ? (event.id ?? '') : '', at });
      };
      this.#listeners.add(listener);
    });
  }

  memory(): Promise<MemoryUse> {
    return this.#ask<MemoryUse>('memory');
  }

  /** Processor time so far, in milliseconds. */
  async processor(): Promise<number> {
    return (await this.#ask<ProcessorUse>('processor')).busyMs;
  }

  /**
   * The longest task of the command since the last call, in milliseconds of processor time: other programs do not count,
   * but the other threads of the command do.
   */
  async longestTask(): Promise<number> {
    return (await this.#ask<LongestTask>('task')).ms;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill();
    await ended;
  }

  async #ask<Answer>(question: string): Promise<Answer> {
    const answer = nextMessage<Answer>(this.#child);
    this.#child.send(question);
    return answer;
  }
}
