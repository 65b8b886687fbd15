import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AgentId } from '@tandem/companion/agents';
import { type FoundCompanion, findCompanions } from '@tandem/companion/control';
import type { HttpTarget } from './httpClient.js';
import type { Scratch } from './scratch.js';
import { nextMessage } from './serverProcess.js';
import type { ProcessorUse } from './servers/answerMeasures.js';
import type { MemoryUse } from './servers/measureMemory.js';

export const commandFile = fileURLToPath(new URL('../../hosts/standalone/bin/tandem.js', import.meta.url));
const probeFile = fileURLToPath(new URL('./servers/probe.js', import.meta.url));

interface ReadyLine {
  readonly event: 'ready';
  readonly agents: Readonly<Record<string, { readonly url: string; readonly token: string }>>;
}

/** A line of `tandem serve --json`. */
export type ServeEvent = ReadyLine | { readonly event: string; readonly id?: string };

/**
 * `tandem serve`, built and run as a user runs it: with its page, its journal and all agents, in a process of its own that
 * answers how much memory and processor time it uses. The caller stops it.
 */
export class InstalledCommand {
  readonly #child: ChildProcess;
  readonly #scratch: Scratch;
  readonly #ready: ReadyLine;
  readonly #hearing = new Set<(event: ServeEvent, at: number) => void>();

  private constructor(child: ChildProcess, scratch: Scratch, ready: ReadyLine) {
    this.#child = child;
    this.#scratch = scratch;
    this.#ready = ready;
  }

  static async start(scratch: Scratch): Promise<InstalledCommand> {
    const child = fork(commandFile, ['serve', scratch.workspace, '--json', '--no-open'], {
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
    // Both ends are ours: the first line of the command is exactly this.
    const command = new InstalledCommand(child, scratch, JSON.parse(first) as ReadyLine);
    lines.on('line', (line) => {
      const at = performance.now();
      const event = JSON.parse(line) as ServeEvent;
      for (const hear of command.#hearing) hear(event, at);
    });
    return command;
  }

  /** Where an agent connects. */
  target(agent: AgentId): HttpTarget {
    const found = this.#ready.agents[agent];
    if (found === undefined) throw new Error(`The command does not serve ${agent}.`);
    return { port: Number(new URL(found.url).port), token: found.token };
  }

  /** What `tandem` commands use to steer it. */
  async control(): Promise<FoundCompanion['client']> {
    const { HOME: home = '', TMPDIR: tmpdir = '' } = this.#scratch.env;
    const machine = { platform: process.platform, home, tmpdir, env: this.#scratch.env };
    const [found] = await findCompanions(machine);
    if (found === undefined) throw new Error('The command cannot be found.');
    return found.client;
  }

  /** The next event of this name: what it says, and when it came. */
  nextEvent(name: string): Promise<{ readonly id: string; readonly at: number }> {
    return new Promise((resolve) => {
      const hear = (event: ServeEvent, at: number): void => {
        if (event.event !== name) return;
        this.#hearing.delete(hear);
        resolve({ id: 'id' in event ? (event.id ?? '') : '', at });
      };
      this.#hearing.add(hear);
    });
  }

  memory(): Promise<MemoryUse> {
    return this.#ask<MemoryUse>('memory');
  }

  /** Processor time so far, in milliseconds. */
  async processor(): Promise<number> {
    return (await this.#ask<ProcessorUse>('processor')).busyMs;
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
