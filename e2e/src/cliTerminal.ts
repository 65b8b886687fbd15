import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { Changes, DEFAULT_TIMEOUT } from './changes.js';

/** What to run in a terminal, with the whole environment spelled out: nothing is inherited. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const KEYS = { enter: '\r', escape: '\x1b' } as const;

export type Key = keyof typeof KEYS;

/** Tall and wide enough that a diff and a permission prompt fit without scrolling or wrapping a path. */
const SIZE = { cols: 160, rows: 60 };

/** A screen that does not change for this long has been drawn; CLIs redraw in bursts of some 30 ms. */
const SETTLED = 250;

/**
 * A program in a real pseudo-terminal whose screen is rendered as a person would see it. Every wait is driven by
 * output of the program, and a timeout quotes the whole screen. The creator kills it.
 */
export class CliTerminal {
  readonly exited: Promise<number>;
  readonly #pty: IPty;
  readonly #terminal = new xterm.Terminal({ ...SIZE, scrollback: 5000, allowProposedApi: true });
  readonly #changes = new Changes();
  #hasExited = false;

  private constructor(
    readonly title: string,
    program: Program,
  ) {
    this.#pty = spawn(program.file, [...program.args], {
      name: 'xterm-256color',
      ...SIZE,
      cwd: program.cwd,
      env: { ...program.env },
    });
    this.#pty.onData((data) => this.#terminal.write(data, () => this.#changes.notify()));
    // The emulator answers what programs ask of a terminal: its kind, its colours, where the cursor is.
    this.#terminal.onData((reply) => this.#pty.write(reply));
    this.exited = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => {
        this.#hasExited = true;
        // Output may still be on its way through the emulator; a zero-length write comes after all of it.
        this.#terminal.write('', () => {
          this.#changes.notify();
          this.#changes.fail(new Error(`${title} exited with code ${exitCode}`));
          resolve(exitCode);
        });
      });
    });
  }

  static spawn(title: string, program: Program): CliTerminal {
    return new CliTerminal(title, program);
  }

  /** The visible rows, trailing blanks removed. */
  screen(): string {
    const buffer = this.#terminal.buffer.active;
    const rows = Array.from({ length: this.#terminal.rows }, (_, row) => {
      return buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? '';
    });
    return rows.join('\n').trimEnd();
  }

  /** Waits until the screen contains a text, matches a pattern or satisfies a predicate. */
  async waitFor(
    what: string | RegExp | ((screen: string) => boolean),
    timeout = DEFAULT_TIMEOUT,
  ): Promise<void> {
    const matches = (screen: string): boolean => {
      if (typeof what === 'string') return screen.includes(what);
      return what instanceof RegExp ? what.test(screen) : what(screen);
    };
    const named = typeof what === 'function' ? `a condition (${what.name || 'unnamed'})` : String(what);
    await this.#changes.until(() => matches(this.screen()), {
      what: `${named} on the screen of ${this.title}`,
      timeout,
      evidence: () => this.#evidence(),
    });
  }

  /** Waits until the rendered screen has stayed the same for a moment, that is, the program awaits the person. */
  async waitUntilQuiet(reason: string, timeout = DEFAULT_TIMEOUT): Promise<void> {
    let last = this.screen();
    let isQuiet = false;
    const settle = (): NodeJS.Timeout =>
      setTimeout(() => {
        isQuiet = true;
        this.#changes.notify();
      }, SETTLED);
    let timer = settle();
    try {
      await this.#changes.until(
        () => {
          const screen = this.screen();
          if (screen === last) return isQuiet;
          last = screen;
          clearTimeout(timer);
          timer = settle();
          return false;
        },
        { what: `${this.title} to be quiet (${reason})`, timeout, evidence: () => this.#evidence() },
      );
    } finally {
      clearTimeout(timer);
    }
  }

  /** Types text as it is. */
  type(text: string): void {
    this.#pty.write(text);
  }

  press(key: Key): void {
    this.#pty.write(KEYS[key]);
  }

  /**
   * Types a line and sends it. The Enter waits until the text is on the screen and the screen is at rest: all
   * three CLIs take an Enter that follows its text at once for part of a paste.
   */
  async submit(line: string): Promise<void> {
    this.type(line);
    await this.waitFor(line);
    await this.waitUntilQuiet('an Enter right behind its text counts as pasted');
    this.press('enter');
  }

  /** Ends the program and what it started in this terminal. Idempotent. */
  async kill(): Promise<void> {
    if (!this.#hasExited) {
      // The program leads a process group of its own; `tandem run` and the CLIs that relaunch themselves have children.
      process.kill(-this.#pty.pid, 'SIGKILL');
    }
    await this.exited;
    this.#terminal.dispose();
  }

  #evidence(): string {
    const line = '-'.repeat(SIZE.cols);
    return `screen of ${this.title}:\n${line}\n${this.screen()}\n${line}`;
  }
}
