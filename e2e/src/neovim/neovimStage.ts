import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, vi } from 'vitest';
import { ClaudeClient } from '../../../packages/agents/test/support/claudeClient.js';
import { pick, pickList, pickText } from '../json.js';
import { Sandbox } from '../sandbox.js';
import { Neovim } from './neovim.js';

export const TEXT = 'one\ntwo\nthree\nfour\nfive\nsix\n';
/** The second line of the only buffer that keeps a text which Tandem does not have, in a list. */
export const KEPT_LINE = 'vim.fn.getbufline(vim.fn.bufnr("tandem://kept"), 2)';
export const PROPOSED = 'one\nTWO\nthree\nfour\nFIVE\nsix\n';

/** A Neovim with the plugin and an agent, for all tests of a file. The creator disposes it. */
export class NeovimStage {
  #files = 0;
  #resets = 0;

  private constructor(
    readonly sandbox: Sandbox,
    readonly workspace: string,
    readonly neovim: Neovim,
    public agent: ClaudeClient,
  ) {}

  static async create(): Promise<NeovimStage> {
    const sandbox = await Sandbox.create();
    let neovim: Neovim | undefined;
    try {
      const workspace = await sandbox.folder('workspace');
      const first = await sandbox.write(`${workspace}/first.txt`, TEXT);
      neovim = await Neovim.start(sandbox, workspace, { args: [first] });
      return new NeovimStage(sandbox, workspace, neovim, await connect(sandbox, neovim));
    } catch (error) {
      await neovim?.dispose();
      await sandbox.dispose();
      throw error;
    }
  }

  /** Connects the agent again, after Tandem has been restarted. */
  async reconnect(): Promise<void> {
    this.agent = await connect(this.sandbox, this.neovim);
  }

  path(name: string): string {
    return `${this.workspace}/${name}`;
  }

  put(name: string, text: string | Buffer = TEXT): Promise<string> {
    return this.sandbox.write(this.path(name), text);
  }

  /** What a tool answers to the agent. */
  async call(tool: string, args: unknown = {}): Promise<readonly unknown[]> {
    return texts(this.agent.call(tool, args));
  }

  /** Proposes a change; `answer` is what the agent receives. It is withdrawn with the test. */
  propose(path: string, content = PROPOSED) {
    const { agent } = this;
    const call = agent.beginOpenDiff(path, content);
    const withdraw = () => agent.call('close_tab', { tab_name: `✻ [Claude Code] ${path} (a1b2c3) ⧉` });
    onTestFinished(async () => {
      if (agent.socket.readyState === agent.socket.OPEN) await withdraw();
    });
    const answer = texts(agent.answer(call));
    answer.catch(() => {});
    return { path, answer, withdraw };
  }

  /** A pending proposal for a file of its own. */
  async pending(text: string | Buffer = TEXT, name = `file${++this.#files}.txt`, content = PROPOSED) {
    return this.propose(await this.put(name, text), content);
  }

  /** Back to one window with one file, in Normal mode. */
  async reset(): Promise<void> {
    const { neovim } = this;
    await neovim.type('\x1c\x0e');
    await neovim.command('silent! fclose!');
    await neovim.command(
      'silent! tabonly! | silent! only! | silent! set nowinfixbuf hidden | edit! first.txt | 3',
    );
    this.#resets += 1;
    await neovim.command(`let g:decided = "" | let g:test = ${this.#resets} | redrawstatus`);
    await neovim.waitFor(`test=${this.#resets} running reviews=0 tabs=1/1`);
  }

  /** Makes a proposal and goes to it. */
  async reviewing(text?: string) {
    await this.reset();
    const proposal = await this.pending(text);
    await this.neovim.waitFor('reviews=1 tabs=1/2');
    await this.neovim.command('Tandem review');
    await this.neovim.waitFor('tabs=2/2');
    return proposal;
  }

  async dispose(): Promise<void> {
    await this.agent.close();
    await this.neovim.dispose();
    await this.sandbox.dispose();
  }
}

/** An agent like Claude Code, with the environment of Neovim's terminals. */
async function connect(sandbox: Sandbox, neovim: Neovim): Promise<ClaudeClient> {
  // Only Claude Code reads numbers as 0.4e5.
  const port = Number(pickText(await neovim.lua('{ port = vim.env.CLAUDE_CODE_SSE_PORT }'), 'port'));
  const lock: unknown = JSON.parse(await readFile(`${sandbox.home}/.claude/ide/${port}.lock`, 'utf8'));
  const agent = await ClaudeClient.connect({
    url: `ws://127.0.0.1:${port}`,
    token: pickText(lock, 'authToken'),
  });
  const isKnown = async () => expect(await neovim.lua('connected()')).toEqual(['claude']);
  await vi.waitFor(isKnown, { timeout: 20_000 });
  return agent;
}

async function texts(answer: ReturnType<ClaudeClient['answer']>): Promise<readonly unknown[]> {
  return pickList((await answer).result, 'content').map((part) => pick(part, 'text'));
}
