import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import * as z from 'zod';
import type { ContextAgent } from '../agents/agent.js';
import type { EditorUser } from '../editorReviews.js';
import type { RunningAgent } from '../runningAgent.js';
import type { Sandbox } from '../sandbox.js';
import { AgentTerminals } from './agentTerminals.js';
import { Neovim } from './neovim.js';

let used = 0;

/** A user at a Neovim, with agents in its terminals. The creator disposes it. */
export class NeovimUser implements EditorUser {
  /** Runs after the command that starts an agent, before the agent looks for its editor. */
  beforeAgentLooks: () => Promise<void> = async () => {};

  private constructor(
    readonly sandbox: Sandbox,
    readonly folder: string,
    readonly neovim: Neovim,
    readonly terminals: AgentTerminals,
  ) {}

  static async start(sandbox: Sandbox, folder: string): Promise<NeovimUser> {
    const neovim = await Neovim.start(sandbox, folder);
    return new NeovimUser(sandbox, folder, neovim, await AgentTerminals.open(neovim));
  }

  /** Starts an agent in a terminal beside the only window, and goes back there. */
  async startAgent<Kind extends ContextAgent>(
    agent: Kind,
    flags: readonly string[] = [],
  ): Promise<RunningAgent<Kind>> {
    await this.neovim.command('only');
    const { sandbox, folder, beforeAgentLooks } = this;
    const running = await this.terminals.run(agent, sandbox, folder, beforeAgentLooks, flags);
    if (agent.connectCommand !== undefined) await running.terminal.submit(agent.connectCommand);
    await this.neovim.type('\x1c\x0e\x17p');
    return running;
  }

  /** The agents that are connected to this window. */
  async connected(): Promise<readonly string[]> {
    return z.array(z.string()).parse(await this.neovim.lua('connected()'));
  }

  /** Makes this window the one that was used last. */
  async use(): Promise<void> {
    const variable = 'vim.env.CLAUDE_CODE_SSE_PORT';
    // Only Claude Code reads numbers as 0.4e5.
    const port = Number(z.tuple([z.string()]).parse(await this.neovim.lua(`{ ${variable} }`))[0]);
    const folder = join(this.sandbox.home, '.claude/ide');
    const find = async (): Promise<void> => {
      const names = await readdir(folder);
      const times = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).mtimeMs));
      if (names[times.indexOf(Math.max(...times))] === `${port}.lock`) return;
      used += 1;
      await this.openFile(await this.sandbox.write(`${this.folder}/used-${used}.txt`, 'one\ntwo\nthree\n'));
      throw new Error('Another window was used last.');
    };
    // Tandem notes the use after a pause, and perhaps that of the other window later.
    await vi.waitFor(find, { interval: 600, timeout: 20_000 });
  }

  async openFile(path: string): Promise<void> {
    await this.neovim.command(`edit ${path} | 3`);
    await this.waitFor(/^three/m);
  }

  situation(): Promise<unknown> {
    return this.neovim.situation();
  }

  waitForReviews(count: number): Promise<void> {
    return this.waitFor(`reviews=${count} tabs=1/${count + 1}`);
  }

  async reviewedFile(): Promise<string> {
    return z.tuple([z.string()]).parse(await this.neovim.lua('pending()'))[0];
  }

  async openReview(): Promise<void> {
    await this.neovim.command('Tandem review');
    await this.waitFor('tabs=2/2');
  }

  async typeBehindTwo(text: string): Promise<void> {
    await this.neovim.type(`/TWO\rea${text}\x1b`);
    await this.waitFor(`TWO${text}`);
  }

  async dropHunk(): Promise<void> {
    await this.neovim.type('do');
    // Equal lines are folded.
    await this.waitFor((screen) => !/line 2\b/.test(screen));
  }

  accept(): Promise<void> {
    return this.neovim.command('Tandem accept');
  }

  save(): Promise<void> {
    return this.neovim.command('w');
  }

  reject(): Promise<void> {
    return this.neovim.command('Tandem reject');
  }

  applyInterrupted(path: string): Promise<void> {
    return this.neovim.applyInterrupted(path);
  }

  selectWord(): Promise<void> {
    return this.neovim.type('2G0wvE\x17l');
  }

  comeBack(): Promise<void> {
    return this.neovim.type('\x17h');
  }

  mention(): Promise<void> {
    return this.neovim.command('2Tandem mention');
  }

  waitFor(what: string | RegExp | ((screen: string) => boolean)): Promise<void> {
    return this.neovim.terminal.waitFor(what, 20_000);
  }

  /** Idempotent. */
  async dispose(): Promise<void> {
    await this.neovim.dispose();
    await this.terminals.dispose();
  }
}
