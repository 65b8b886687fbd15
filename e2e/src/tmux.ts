import { execFile, execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Agent } from './agents/agent.js';
import type { AgentStart } from './runningAgent.js';
import type { Sandbox } from './sandbox.js';

/** Why the tests in tmux cannot run; undefined if it is installed. */
export function missingTmux(): string | undefined {
  try {
    execFileSync('tmux', ['-V']);
    return undefined;
  } catch {
    return 'tmux is not installed (Debian: sudo apt-get install tmux)';
  }
}

/** A tmux server of one sandbox, with one pane. The creator ends it. */
export class Tmux {
  readonly #socket: string;
  /** A process group that would not end with its terminal. */
  #suspended: number | undefined;

  constructor(sandbox: Sandbox) {
    this.#socket = join(sandbox.temporary, 'tmux');
  }

  /** The command that starts an agent in the pane. */
  commandLine(agent: Agent): [file: string, ...args: string[]] {
    const command = [...agent.executable, ...agent.connectFlags, ...agent.approvalFlags];
    return ['tmux', '-S', this.#socket, '-f', '/dev/null', 'new-session', ...command];
  }

  /** The same behind a shell with job control. */
  inShell(agent: Agent): Pick<AgentStart, 'commandLine' | 'env'> {
    const words = [...agent.executable, ...agent.connectFlags, ...agent.approvalFlags];
    const shell = ['bash', '--norc', '--noprofile', '-i'];
    return {
      commandLine: ['tmux', '-S', this.#socket, '-f', '/dev/null', 'new-session', ...shell],
      env: { PROMPT_COMMAND: `unset PROMPT_COMMAND; ${words.map((word) => `'${word}'`).join(' ')}` },
    };
  }

  /** Suspends the foreground process of the shell, as Ctrl+Z does. */
  async suspend(): Promise<void> {
    const shell = (await this.run('list-panes', '-F', '#{pane_pid}')).trim();
    const stat = await readFile(`/proc/${shell}/stat`, 'utf8');
    const foreground = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[5]);
    this.#suspended = foreground;
    process.kill(-foreground, 'SIGSTOP');
  }

  async run(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('tmux', ['-S', this.#socket, ...args]);
    return stdout;
  }

  /** Kills what runs in the pane: Gemini CLI survives the end of its terminal. */
  async dispose(): Promise<void> {
    const panes = await this.run('list-panes', '-a', '-F', '#{pane_pid}').catch(() => '');
    const groups = [
      ...panes
        .split('\n')
        .filter((pid) => pid !== '')
        .map(Number),
      this.#suspended,
    ];
    for (const group of groups) {
      try {
        if (group !== undefined) process.kill(-group, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    await this.run('kill-server').catch(() => {});
  }
}
