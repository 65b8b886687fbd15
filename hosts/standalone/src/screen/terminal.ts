import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import type { Disposable } from '@tandem/core';
import type { Line } from './cells.js';
import { drawFrame, type Palette, type ShownRows } from './frame.js';
import { type Input, InputReader } from './input.js';

/** Its own screen, no cursor, no wrapping, the mouse, marks around what is pasted. */
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?1000h\u001b[?1006h\u001b[?2004h\u001b[2J';
const leave = '\u001b[0m\u001b[?2004l\u001b[?1006l\u001b[?1000l\u001b[?7h\u001b[?25h\u001b[?1049l';
const askBackground = '\u001b]11;?\u0007';

/** After a pause this long, in milliseconds, an escape character was the key. */
const escapeMs = 40;

/** A process that still runs after so long was not stopped. */
const notStoppedMs = 100;

const endSignals = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const;

/** What the terminal reports. */
export interface TerminalListener {
  readonly onInput: (input: Input) => void;
  /** It has another size, or its content is unknown: draw again. */
  readonly onRedraw: () => void;
}

/**
 * The terminal as a full screen. However the process ends, except by SIGKILL, it is as before: the shell's screen, cursor and
 * modes. The creator disposes it.
 */
export class FullScreen implements Disposable {
  readonly #listener: TerminalListener;
  readonly #reader = new InputReader();
  #shown: ShownRows = [];
  #isOn = false;
  #escape: NodeJS.Timeout | undefined;
  readonly #onData = (text: string): void => this.#read(text);
  readonly #onResize = (): void => this.redraw();
  readonly #onContinue = (): void => this.resume();
  readonly #onExit = (): void => this.#leave();
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.#leave();
    process.exit(128 + constants.signals[signal]);
  };
  readonly #onFault = (error: unknown): void => {
    this.#leave();
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  };

  constructor(listener: TerminalListener) {
    this.#listener = listener;
    process.on('exit', this.#onExit);
    for (const signal of endSignals) process.on(signal, this.#onSignal);
    process.on('uncaughtException', this.#onFault).on('unhandledRejection', this.#onFault);
    process.on('SIGCONT', this.#onContinue);
    process.stdout.on('resize', this.#onResize);
    process.stdin.setEncoding('utf8');
    this.resume();
    process.stdout.write(askBackground);
  }

  get columns(): number {
    return process.stdout.columns || 80;
  }

  get rows(): number {
    return process.stdout.rows || 24;
  }

  /** Shows these lines. Writes only rows that differ from what is shown. */
  draw(lines: readonly Line[], palette: Palette): void {
    if (!this.#isOn) return;
    const { output, rows } = drawFrame(lines, this.#shown, palette);
    this.#shown = rows;
    if (output !== '') process.stdout.write(output);
  }

  /** Everything is written again with the next `draw`, which this asks for. */
  redraw(): void {
    this.#shown = [];
    if (!this.#isOn) return;
    process.stdout.write('\u001b[0m\u001b[2J');
    this.#listener.onRedraw();
  }

  /** Puts a text into the clipboard, where the terminal can do that. */
  copy(text: string): void {
    process.stdout.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  }

  /** Gives the terminal to another program, until `resume`. */
  release(): void {
    this.#leave();
    process.stdin.off('data', this.#onData).pause();
  }

  /** Takes the terminal again. */
  resume(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#shown = [];
    process.stdin.setRawMode(true);
    process.stdin.off('data', this.#onData).on('data', this.#onData).resume();
    process.stdout.write(enter);
    this.#listener.onRedraw();
  }

  /** Stops this process and those that started it with it, as Ctrl+Z does elsewhere: the shell continues them. */
  suspend(): void {
    this.release();
    process.kill(0, 'SIGTSTP');
    // Without a shell that could continue it, the system stops nothing.
    setTimeout(this.#onContinue, notStoppedMs);
  }

  dispose(): void {
    this.release();
    process.off('exit', this.#onExit).off('SIGCONT', this.#onContinue);
    for (const signal of endSignals) process.off(signal, this.#onSignal);
    process.off('uncaughtException', this.#onFault).off('unhandledRejection', this.#onFault);
    process.stdout.off('resize', this.#onResize);
  }

  /** At once, also while the process ends. */
  #leave(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    clearTimeout(this.#escape);
    try {
      process.stdin.setRawMode(false);
      writeSync(process.stdout.fd, leave);
    } catch {
      // The terminal is gone.
    }
  }

  #read(text: string): void {
    clearTimeout(this.#escape);
    for (const input of this.#reader.push(text)) this.#listener.onInput(input);
    if (!this.#reader.isWaiting) return;
    this.#escape = setTimeout(() => {
      for (const input of this.#reader.flush()) this.#listener.onInput(input);
    }, escapeMs);
  }
}
