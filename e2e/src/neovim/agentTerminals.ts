import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import type { ContextAgent } from '../agents/agent.js';
import { type AgentTerminal, type Key, ScreenWatch, submitLine } from '../agentTerminal.js';
import { Changes } from '../changes.js';
import { ScriptedModel } from '../model/scriptedModel.js';
import { RunningAgent } from '../runningAgent.js';
import type { Sandbox } from '../sandbox.js';
import type { Neovim } from './neovim.js';
import { neovimPlugin } from './neovimPrograms.js';

const report = z.object({
  terminal: z.int(),
  pid: z.int().optional(),
  screen: z.string().optional(),
  code: z.int().optional(),
});

const KEYS: Readonly<Record<Key, string>> = { enter: '\r', escape: '\x1b' };

/** The terminals of a Neovim, in which agents run. The creator disposes it, after Neovim. */
export class AgentTerminals {
  readonly #terminals = new Map<number, NeovimTerminal>();
  readonly #changes = new Changes();
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly neovim: Neovim,
    private readonly server: Server,
  ) {
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      createInterface(socket).on('line', (line) => this.#receive(line));
      socket.on('error', () => {});
      socket.on('close', () => {
        for (const terminal of this.#terminals.values()) terminal.lost();
      });
    });
  }

  static async open(neovim: Neovim): Promise<AgentTerminals> {
    const server = createServer();
    const path = `${neovim.socket}-terminals`;
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const terminals = new AgentTerminals(neovim, server);
    await neovim.lua(`dofile("${neovimPlugin}/test/terminals.lua").send_to("${path}")`);
    return terminals;
  }

  /**
   * Starts an agent as a user does, with `:Tandem run`, and waits until its prompt accepts typing. `beforeItLooks` runs before the
   * agent looks for its editor.
   */
  async run<Kind extends ContextAgent>(
    agent: Kind,
    sandbox: Sandbox,
    cwd: string,
    beforeItLooks: () => Promise<void> = async () => {},
    flags: readonly string[] = [],
  ): Promise<RunningAgent<Kind>> {
    const model = await ScriptedModel.start(agent.dialect);
    const site = { sandbox, cwd, modelUrl: model.url, isIdeModeOn: true };
    await sandbox.once(`prepare ${agent.name}`, () => agent.prepare(site));
    const variables = Object.entries({ ...agent.environment(site), ...agent.withoutRelaunch });
    const lines = variables.map(([name, value]) => `export ${name}='${value}'\n`).join('');
    const words = agent.executable.map((word) => `'${word}'`).join(' ');
    const script = `#!/bin/sh\nread -r _\n${lines}exec ${words} "$@"\n`;
    await sandbox.write(join(sandbox.bin, agent.kind), script, 0o755);
    const known = this.#terminals.size;
    await this.neovim.command(['Tandem run', agent.kind, ...flags].join(' '));
    const terminal = await this.#changes.until(() => [...this.#terminals.values()][known], {
      what: `a terminal for ${agent.name}`,
      evidence: () => this.neovim.terminal.screen(),
    });
    await beforeItLooks();
    await terminal.press('enter');
    return RunningAgent.waitUntilReady(agent, model, terminal);
  }

  async dispose(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  #receive(line: string): void {
    const { terminal: buffer, pid, screen, code } = report.parse(JSON.parse(line));
    if (pid !== undefined) this.#terminals.set(buffer, new NeovimTerminal(this.neovim, buffer, pid));
    const terminal = this.#terminals.get(buffer);
    if (screen !== undefined) terminal?.drawn(screen);
    if (code !== undefined) terminal?.ended(code);
    this.#changes.notify();
  }
}

/** A `:terminal` of Neovim. */
class NeovimTerminal implements AgentTerminal {
  readonly #watch: ScreenWatch;
  readonly #exited = new Changes();
  #screen = '';
  #code: number | undefined;
  #isLost = false;

  constructor(
    private readonly neovim: Neovim,
    private readonly buffer: number,
    private readonly pid: number,
  ) {
    this.#watch = new ScreenWatch(`terminal ${buffer} of Neovim`, () => this.#screen);
  }

  drawn(screen: string): void {
    this.#screen = screen;
    this.#watch.drawn();
  }

  ended(code: number): void {
    this.#code = code;
    this.#watch.fail(new Error(`the program in terminal ${this.buffer} exited with code ${code}`));
    this.#exited.notify();
  }

  /** Neovim has ended, and reports no end of the program. */
  lost(): void {
    this.#isLost = true;
    this.#watch.fail(new Error(`Neovim has ended, and with it terminal ${this.buffer}`));
    this.#exited.notify();
  }

  screen(): string {
    return this.#screen;
  }

  waitFor(what: string | RegExp | ((screen: string) => boolean), timeout?: number): Promise<void> {
    return this.#watch.waitFor(what, timeout);
  }

  waitUntilQuiet(reason: string, timeout?: number): Promise<void> {
    return this.#watch.waitUntilQuiet(reason, timeout);
  }

  async type(text: string): Promise<void> {
    const typed = `vim.json.decode([==[${JSON.stringify(text)}]==])`;
    await this.neovim.lua(`vim.fn.chansend(vim.bo[${this.buffer}].channel, ${typed})`);
  }

  press(key: Key): Promise<void> {
    return this.type(KEYS[key]);
  }

  submit(line: string): Promise<void> {
    return submitLine(this, line);
  }

  async kill(): Promise<void> {
    if (this.#code !== undefined) return;
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
    await this.#exited.until(() => this.#isLost || this.#code !== undefined, {
      what: `the end of process ${this.pid}`,
    });
  }
}
