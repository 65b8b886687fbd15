import { readFile } from 'node:fs/promises';
import type { ElementHandle } from 'playwright-core';
import {
  type AgentTerminal,
  type Key,
  ScreenWatch,
  submitLine,
  typeLine,
} from '../../e2e/src/agentTerminal.js';
import { shellPrompt } from './editorServer.js';
import type { EditorWindow } from './editorWindow.js';

const keys: Readonly<Record<Key, string>> = { enter: 'Enter', escape: 'Escape' };

/** How long a terminal may take to be shown once its tab was chosen. */
const showLimit = 10_000;

/** The number of terminals so far: each needs a unique name in its page. */
let adopted = 0;

/**
 * A terminal with a shell in the panel of an editor's window. The page reports each redraw, so waits do not poll. Only
 * the visible terminal is drawn: `show()` makes another one visible.
 */
export class TerminalPane implements AgentTerminal {
  readonly #watch: ScreenWatch;
  #screen = '';
  #pidFile: string | undefined;
  #runs = 0;

  private constructor(
    private readonly window: EditorWindow,
    private readonly wrapper: ElementHandle<SVGElement | HTMLElement>,
    /** The number of the terminal in its window, from 1. */
    readonly number: number,
  ) {
    this.#watch = new ScreenWatch(`terminal ${number}`, () => this.#screen);
  }

  /** The terminal that was just opened. */
  static async adopt(window: EditorWindow, number: number): Promise<TerminalPane> {
    const { page } = window;
    const wrapper = await page
      .locator('.terminal-wrapper.active:not([data-tandem-test]) .xterm-rows')
      .elementHandle();
    if (wrapper === null) throw new Error('the terminal went away while it was opened');
    const pane = new TerminalPane(window, wrapper, number);
    adopted += 1;
    const name = `tandemTerminal${adopted}Draws`;
    await page.exposeFunction(name, (screen: string) => {
      pane.#screen = screen;
      pane.#watch.drawn();
    });
    await wrapper.evaluate((rows, callback) => {
      rows.closest('.terminal-wrapper')?.setAttribute('data-tandem-test', callback);
      const notify = (): void => {
        const text = Array.from(rows.children, (row) =>
          (row.textContent ?? '').replaceAll('\u00a0', ' ').trimEnd(),
        );
        // An exposed function is a member of the page's window.
        (Reflect.get(globalThis, callback) as (screen: string) => void)(text.join('\n').trimEnd());
      };
      new MutationObserver(notify).observe(rows, { subtree: true, childList: true, characterData: true });
      notify();
    }, name);
    await pane.waitFor(isAtPrompt);
    // It is drawn before it has the focus.
    await page.waitForFunction(hasFocusWithin, wrapper);
    return pane;
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

  /** Whether the terminal has the focus. */
  async hasFocus(): Promise<boolean> {
    return this.wrapper.evaluate(hasFocusWithin);
  }

  /** Shows the terminal and gives it the focus. */
  async show(): Promise<void> {
    const { page } = this.window;
    const entries = page.locator('.terminal-tabs-entry');
    for (let at = this.number - 1; !(await this.wrapper.isVisible()); at++) {
      // A window that has just started sometimes opens a terminal of its own before this one. A single terminal is not listed.
      const count = await entries.count();
      const entry = entries.nth(at % Math.max(count, 1));
      if (count > 0 && (await entry.isVisible())) await entry.click();
      else await this.window.command('Terminal: Focus Terminal');
      await this.wrapper.waitForElementState('visible', { timeout: showLimit }).catch(() => {});
    }
    await this.wrapper.click({ position: { x: 2, y: 2 }, force: true });
    await page.waitForFunction(hasFocusWithin, this.wrapper);
  }

  async type(text: string): Promise<void> {
    await this.window.page.keyboard.type(text);
  }

  async press(key: Key): Promise<void> {
    await this.window.page.keyboard.press(keys[key]);
  }

  /** Sends a line to what runs in the terminal. */
  submit(line: string): Promise<void> {
    return submitLine(this, line);
  }

  /**
   * Runs a line in the shell. A window that just started may move the focus for a moment, and keys would change the file in
   * the editor; so the line goes to this terminal, wherever the focus is.
   */
  async start(line: string): Promise<void> {
    const direct = {
      screen: () => this.#screen,
      type: (text: string) => this.#insert(text),
      waitFor: (what: (screen: string) => boolean, timeout?: number) => this.waitFor(what, timeout),
    };
    await this.waitFor(isAtPrompt);
    await typeLine(direct, line);
    await this.#insert('\r');
  }

  /** Sends text to the terminal as an input method does. */
  async #insert(text: string): Promise<void> {
    await this.wrapper.evaluate((rows, data) => {
      const input = rows.closest('.terminal-wrapper')?.querySelector('.xterm-helper-textarea');
      if (!input) throw new Error('the terminal has no field for its input');
      input.dispatchEvent(new InputEvent('input', { data, inputType: 'insertText', bubbles: true }));
    }, text);
  }

  /** Runs a shell command that ends by itself, and returns its output. */
  async run(commandLine: string): Promise<string> {
    // The marks are numbered, because the screen still shows earlier commands. The shell joins their parts, so that the
    // typed line contains neither mark.
    this.#runs += 1;
    const number = this.#runs;
    await this.start(`clear; echo '[begun ''${number}]'; ${commandLine}; echo '[ended ''${number}]'`);
    const output = new RegExp(`^\\[begun ${number}\\]\\n([\\s\\S]*?)^\\[ended ${number}\\]$`, 'm');
    await this.waitFor(output);
    return output.exec(this.#screen)?.[1]?.trimEnd() ?? '';
  }

  /** Sets the file that contains the process id of the program that will run here, for `kill`. */
  willRun(pidFile: string): void {
    this.#pidFile = pidFile;
  }

  /** Ends the program and what it started; the shell stays. Idempotent. */
  async kill(): Promise<void> {
    if (this.#pidFile === undefined) return;
    try {
      // The shell runs each line in its own process group.
      process.kill(-Number(await readFile(this.#pidFile, 'utf8')), 'SIGKILL');
    } catch {
      // It never started, or has ended.
    }
  }
}

/** Runs in the page. */
function hasFocusWithin(rows: Element): boolean {
  return rows.closest('.terminal-wrapper')?.contains(document.activeElement) ?? false;
}

function isAtPrompt(screen: string): boolean {
  return screen.endsWith(shellPrompt.trimEnd());
}
