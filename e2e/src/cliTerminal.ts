import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { type AgentTerminal, type Key, ScreenWatch, submitLine } from './agentTerminal.js';

/** What to run in a terminal, with its complete environment: nothing is inherited. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Of the terminal. */
  readonly size?: TerminalSize;
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

const KEYS: Readonly<Record<Key, string>> = { enter: '\r', escape: '\x1b' };

/** Large enough for a diff and a permission prompt, without scrolling and without wrapping a path. */
const SIZE = { cols: 160, rows: 60 };

/**
 * A program in a real pseudo-terminal, with its screen rendered as a user sees it. Waits react to the program's output,
 * and a timeout quotes the whole screen. The creator kills it.
 */
export class CliTerminal implements AgentTerminal {
  readonly exited: Promise<number>;
  readonly #pty: IPty;
  readonly #terminal: xterm.Terminal;
  readonly #watch: ScreenWatch;
  #hasExited = false;

  private constructor(
    readonly title: string,
    program: Program,
  ) {
    const size = program.size ?? SIZE;
    this.#terminal = new xterm.Terminal({ ...size, scrollback: 5000, allowProposedApi: true });
    this.#watch = new ScreenWatch(title, () => this.screen());
    this.#pty = spawn(program.file, [...program.args], {
      name: 'xterm-256color',
      ...size,
      cwd: program.cwd,
      env: { ...program.env },
    });
    this.#pty.onData((data) => this.#terminal.write(data, () => this.#watch.drawn()));
    // The emulator answers queries for the terminal type, the colours and the cursor position.
    this.#terminal.onData((reply) => this.#pty.write(reply));
    this.exited = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => {
        this.#hasExited = true;
        // The emulator may still be processing output; an empty write completes after all of it.
        this.#terminal.write('', () => {
          this.#watch.drawn();
          this.#watch.fail(new Error(`${title} exited with code ${exitCode}`));
          resolve(exitCode);
        });
      });
    });
  }

  static spawn(title: string, program: Program): CliTerminal {
    return new CliTerminal(title, program);
  }

  screen(): string {
    const buffer = this.#terminal.buffer.active;
    const rows = Array.from({ length: this.#terminal.rows }, (_, row) => {
      return buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? '';
    });
    return rows.join('\n').trimEnd();
  }

  /** The screen with its colours: what a picture of it needs. */
  get buffer(): xterm.IBuffer {
    return this.#terminal.buffer.active;
  }

  get size(): TerminalSize {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  resize({ cols, rows }: TerminalSize): void {
    this.#terminal.resize(cols, rows);
    this.#pty.resize(cols, rows);
  }

  /** Sends a signal to the program. */
  signal(name: NodeJS.Signals): void {
    process.kill(this.#pty.pid, name);
  }

  waitFor(what: string | RegExp | ((screen: string) => boolean), timeout?: number): Promise<void> {
    return this.#watch.waitFor(what, timeout);
  }

  waitUntilQuiet(reason: string, timeout?: number): Promise<void> {
    return this.#watch.waitUntilQuiet(reason, timeout);
  }

  async type(text: string): Promise<void> {
    this.#pty.write(text);
  }

  async press(key: Key): Promise<void> {
    this.#pty.write(KEYS[key]);
  }

  submit(line: string): Promise<void> {
    return submitLine(this, line);
  }

  async kill(): Promise<void> {
    if (!this.#hasExited) {
      // The program leads its own process group, because `tandem run` and CLIs that relaunch themselves have children.
      try {
        process.kill(-this.#pty.pid, 'SIGKILL');
      } catch {
        // It has just ended.
      }
    }
    await this.exited;
    this.#terminal.dispose();
  }
}
