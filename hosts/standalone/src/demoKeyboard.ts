import { createInterface, type Interface } from 'node:readline';
import { type Disposable, onceDecided, type Review } from '@tandem/core';
import { print } from './output.js';

/** What a person types during the demo, a word a line. Lines that come before they are asked for are kept. */
export class DemoKeyboard implements Disposable {
  readonly #lines: string[] = [];
  readonly #reader: Interface;
  #isEnded = false;
  #isDisposed = false;
  #isAsking = false;
  #wake = (): void => {};

  /** `onLeave` is called when the person ends the input of a terminal. A pipe that ends just says no more. */
  constructor(onLeave: () => void) {
    this.#reader = createInterface({ input: process.stdin, output: process.stdout });
    this.#reader.on('line', (line) => {
      this.#lines.push(line.trim().toLowerCase());
      this.#wake();
    });
    this.#reader.once('close', () => {
      this.#isEnded = true;
      this.#wake();
      if (process.stdin.isTTY && !this.#isDisposed) onLeave();
    });
  }

  /** The next word, or `undefined` once the review has ended or no more words can come. */
  async ask(prompt: string, review: Review): Promise<string | undefined> {
    if (this.#isEnded && this.#lines.length === 0) return undefined;
    if (!this.#isEnded) {
      this.#reader.setPrompt(prompt);
      this.#reader.prompt();
    }
    this.#isAsking = true;
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
    return undefined;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#endPrompt();
    this.#reader.close();
  }

  /** What is said next must not stand behind a prompt that got no answer. */
  #endPrompt(): void {
    if (this.#isAsking) print();
    this.#isAsking = false;
  }
}
