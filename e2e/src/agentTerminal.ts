import { Changes, DEFAULT_TIMEOUT } from './changes.js';

export type Key = 'enter' | 'escape';

/** A terminal in which a CLI runs, however it is rendered. */
export interface AgentTerminal {
  /** The visible rows, trailing blanks removed. */
  screen(): string;
  /** Waits until the screen contains a text, matches a pattern or satisfies a predicate. */
  waitFor(what: string | RegExp | ((screen: string) => boolean), timeout?: number): Promise<void>;
  /** Waits until the rendered screen has not changed for a moment: the program then awaits input. */
  waitUntilQuiet(reason: string, timeout?: number): Promise<void>;
  /** Types text as it is. */
  type(text: string): Promise<void>;
  press(key: Key): Promise<void>;
  /** Types a line and sends it. */
  submit(line: string): Promise<void>;
  /** Ends the program and what it started in this terminal. Idempotent. */
  kill(): Promise<void>;
}

/** A screen that does not change for this long has been drawn; CLIs redraw in bursts of some 30 ms. */
const SETTLED = 250;

/**
 * Waits for what a screen shows. The owner of the screen calls `drawn()` after each change; nothing is polled, and a
 * timeout quotes the whole screen.
 */
export class ScreenWatch {
  readonly #changes = new Changes();

  constructor(
    readonly title: string,
    /** The visible rows, trailing blanks removed. */
    readonly read: () => string,
  ) {}

  drawn(): void {
    this.#changes.notify();
  }

  /** Ends present and future waits. */
  fail(reason: Error): void {
    this.#changes.fail(reason);
  }

  async waitFor(
    what: string | RegExp | ((screen: string) => boolean),
    timeout = DEFAULT_TIMEOUT,
  ): Promise<void> {
    const matches = (screen: string): boolean => {
      if (typeof what === 'string') return screen.includes(what);
      return what instanceof RegExp ? what.test(screen) : what(screen);
    };
    const named = typeof what === 'function' ? `a condition (${what.name || 'unnamed'})` : String(what);
    await this.#changes.until(() => matches(this.read()), {
      what: `${named} on the screen of ${this.title}`,
      timeout,
      evidence: () => this.#evidence(),
    });
  }

  async waitUntilQuiet(reason: string, timeout = DEFAULT_TIMEOUT): Promise<void> {
    let last = this.read();
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
          const screen = this.read();
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

  #evidence(): string {
    const line = '-'.repeat(160);
    return `screen of ${this.title}:\n${line}\n${this.read()}\n${line}`;
  }
}

/**
 * Types a line and sends it. Presses Enter only when the text is on the screen and the screen no longer changes: all
 * three CLIs treat an Enter that directly follows text as part of a paste.
 */
export async function submitLine(terminal: AgentTerminal, line: string): Promise<void> {
  await typeLine(terminal, line);
  await terminal.waitUntilQuiet('an Enter right behind its text counts as pasted');
  await terminal.press('enter');
}

/** Types a line and waits until all of it is on the screen. */
export async function typeLine(
  terminal: Pick<AgentTerminal, 'screen' | 'type' | 'waitFor'>,
  line: string,
): Promise<void> {
  const before = occurrencesOf(line, terminal.screen());
  await terminal.type(line);
  const isTyped = (screen: string): boolean => {
    const now = occurrencesOf(line, screen);
    return now.count > before.count || now.belowLast < before.belowLast;
  };
  await terminal.waitFor(isTyped);
}

/**
 * How often a screen contains a text, and how many characters follow the last occurrence. Earlier occurrences may be
 * above the prompt or scrolled out of view.
 */
function occurrencesOf(text: string, screen: string): { readonly count: number; readonly belowLast: number } {
  const pieces = screen.split(text);
  const count = pieces.length - 1;
  return { count, belowLast: count === 0 ? Infinity : (pieces.at(-1)?.length ?? 0) };
}
