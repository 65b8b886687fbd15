import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Agent } from './agents/agent.js';
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

  constructor(sandbox: Sandbox) {
    this.#socket = join(sandbox.temporary, 'tmux');
  }

  /** The command that starts an agent in the pane. */
  commandLine(agent: Agent): [file: string, ...args: string[]] {
    const command = [...agent.executable, ...agent.connectFlags, ...agent.approvalFlags];
    return ['tmux', '-S', this.#socket, '-f', '/dev/null', 'new-session', ...command];
  }

  async run(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('tmux', ['-S', this.#socket, ...args]);
    return stdout;
  }

  async dispose(): Promise<void> {
    await this.run('kill-server').catch(() => {});
  }
}
