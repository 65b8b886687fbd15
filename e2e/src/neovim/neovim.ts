import { execFile } from 'node:child_process';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { CliTerminal } from '../cliTerminal.js';
import { parseJson } from '../json.js';
import { tandemCommand } from '../pinnedPrograms.js';
import type { Sandbox } from '../sandbox.js';
import { neovimPath, neovimPlugin } from './neovimPrograms.js';

export interface NeovimStart {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

let started = 0;

/** A real Neovim with the plugin, in a terminal, with `tandem editor` behind it. The creator ends it. */
export class Neovim {
  private constructor(
    readonly terminal: CliTerminal,
    private readonly program: string,
    readonly socket: string,
  ) {}

  /** Starts Neovim in a folder and waits until agents can find it. */
  static async start(
    sandbox: Sandbox,
    cwd: string,
    { args = [], env = {} }: NeovimStart = {},
  ): Promise<Neovim> {
    started += 1;
    const program = neovimPath();
    const socket = join(sandbox.temporary, `nvim-${started}`);
    const user = `${neovimPlugin}/test/user.lua`;
    const terminal = CliTerminal.spawn('Neovim', {
      file: program,
      args: ['--clean', '-u', user, '--cmd', 'set loadplugins', '--listen', socket, ...args],
      cwd,
      env: {
        ...sandbox.environment(),
        TANDEM_EDITOR_COMMAND: JSON.stringify([process.execPath, tandemCommand, 'editor']),
        ...env,
      },
    });
    const neovim = new Neovim(terminal, program, socket);
    try {
      await terminal.waitFor(' running ');
    } catch (error) {
      await terminal.kill();
      throw error;
    }
    return neovim;
  }

  /** Types keys as a user does; `\x1b` is Escape. */
  async type(keys: string): Promise<void> {
    await this.terminal.type(keys);
  }

  /** Runs an Ex command, in Normal mode. */
  async command(line: string): Promise<void> {
    await this.type(`:${line}\r`);
  }

  /** The value of a Lua expression, which is evaluated whatever mode Neovim is in. */
  async lua(expression: string): Promise<unknown> {
    const quoted = `vim.json.encode(${expression})`.replaceAll("'", "''");
    const args = ['--clean', '--headless', '--server', this.socket, '--remote-expr', `luaeval('${quoted}')`];
    const { stdout } = await promisify(execFile)(this.program, args);
    return parseJson(stdout);
  }

  /** Writes the interrupted review of a file to it, as a user chooses in two lists. */
  async applyInterrupted(path: string): Promise<void> {
    await this.#chooseInterrupted(path, 2);
    await this.waitFor(`Written to ${basename(path)}`);
  }

  /** Shows the interrupted review of a file by the user's command. */
  async showInterrupted(path: string): Promise<void> {
    await this.#chooseInterrupted(path, 1);
    await this.waitFor('was never sent');
  }

  async #chooseInterrupted(path: string, choice: number): Promise<void> {
    await this.command('Tandem interrupted');
    const item = new RegExp(`^(\\d+): .*${basename(path)}`, 'm');
    await this.waitFor(item);
    await this.type(`${item.exec(this.terminal.screen())?.[1]}\r`);
    await this.waitFor('2: Apply');
    await this.type(`${choice}\r`);
  }

  /** What a review must not change. */
  situation(): Promise<unknown> {
    return this.lua('situation()');
  }

  /** Waits for what the status line of test/user.lua shows. */
  async waitFor(what: string | RegExp): Promise<void> {
    await this.terminal.waitFor(what, 30_000);
  }

  async dispose(): Promise<void> {
    await this.terminal.kill();
  }
}
