import { createInterface, type Interface } from 'node:readline';
import type { Disposable } from '@tandem/core';
import { onceDecided, type Review } from '@tandem/reviews';
import { print } from './output.js';

/** The user's input during the demo, one word per line. Lines that arrive early are kept. */
export class DemoKeyboard implements Disposable {
  readonly #lines: string[] = [];
  readonly #reader: Interface;
  readonly #onEnd: (hasInput: boolean) => void;
  #hasInput: boolean;
  #isEnded = false;
  #isDisposed = false;
  #isAsking = false;
  #wake = (): void => {};

  /**
   * Calls `onEnd` when the user ends the input of a terminal, or when input that is no terminal ends before its first line:
   * `hasInput` is then false.
   */
  constructor(onEnd: (hasInput: boolean) => void) {
    this.#onEnd = onEnd;
    this.#hasInput = process.stdin.isTTY;
    this.#reader = createInterface({ input: process.stdin, output: process.stdout });
    this.#reader.on('line', (line) => {
      this.#hasInput = true;
      this.#lines.push(line.trim().toLowerCase());
      this.#wake();
    });
    this.#reader.once('close', () => {
      this.#isEnded = true;
      this.#wake();
      if (process.stdin.isTTY && !this.#isDisposed) onEnd(true);
    });
  }

  /** The next word; `undefined` once the review has ended or there is no more input. */
  async ask(prompt: string, review: Review): Promise<string | undefined> {
    if (!this.#isEnded) {
      this.#reader.setPrompt(prompt);
      this.#reader.prompt();
      this.#isAsking = true;
    }
    const waiting = onceDecided(review, () => this.#wake());
    while (this.#lines.length === 0 && !this.#isEnded && review.state === 'pending') {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    waiting.dispose();
    if (review.state === 'pending' && this.#lines.length > 0) {
      this.#isAsking = false;
      return this.#lines.shift();
    }
    this.#endPrompt();
    if (!this.#hasInput && review.state === 'pending') this.#onEnd(false);
    return undefined;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#endPrompt();
    this.#reader.close();
  }

  /** Ends the line of an unanswered prompt. */
  #endPrompt(): void {
    if (this.#isAsking) print();
    this.#isAsking = false;
  }
}
