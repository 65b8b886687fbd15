import type { FoundCompanion } from '@tandem/companion/control';
import { findCompanionFor } from '../connectCompanion.js';
import { CommandError } from '../exitCode.js';
import { CompanionLink } from './companionLink.js';
import type { InkOf } from './diffPane.js';
import { withCursorShown } from './geometry.js';
import type { Input } from './input.js';
import { afterInput } from './keys.js';
import { layout } from './layout.js';
import { createPalette, guessIsLight, isLightColour } from './palette.js';
import { editElsewhere } from './programs.js';
import { afterEvent, type Effect, initialState, type ScreenEvent, type Shown, type State } from './state.js';
import { FullScreen } from './terminal.js';

export interface ScreenOptions {
  /** It ends when nothing is pending any more. */
  readonly isPopup: boolean;
}

/** Reviews in the whole terminal, until the user leaves. */
export async function runReviewScreen(companion: FoundCompanion, options: ScreenOptions): Promise<void> {
  const link = new CompanionLink({
    companion,
    find: () => findCompanionFor(process.cwd()),
    report: (event) => screen?.report(event),
  });
  // Read before the terminal shows anything, so that the first picture is whole.
  const [reviews, sessions] = await Promise.all([
    companion.client.call('review.list', {}),
    companion.client.call('session.list', {}),
  ]);
  let screen: ReviewScreen | undefined;
  const ended = new Promise<void>((resolve) => {
    screen = new ReviewScreen(link, options, resolve);
  });
  screen?.report({ kind: 'lists', reviews, sessions });
  const following = link.follow();
  await ended;
  link.stop();
  await following;
}

class ReviewScreen {
  readonly #link: CompanionLink;
  readonly #options: ScreenOptions;
  readonly #end: () => void;
  readonly #terminal: FullScreen;
  #state: State;
  #isLight = guessIsLight(process.env.COLORFGBG);
  #palette = this.#newPalette();
  #isDue = false;
  #hasReviews = false;
  #syntax: InkOf | undefined;
  #coloured: Shown['diff'] | undefined;
  #colouring = new AbortController();
  /** Calls that have not answered yet. */
  #calls = 0;
  /** What the user typed meanwhile: it is about what comes then. */
  readonly #early: Input[] = [];

  constructor(link: CompanionLink, options: ScreenOptions, end: () => void) {
    this.#link = link;
    this.#options = options;
    this.#end = end;
    this.#state = initialState(process.stdout.columns, process.stdout.rows);
    this.#terminal = new FullScreen({
      onInput: (input) => this.#onInput(input),
      onRedraw: () => this.#onRedraw(),
    });
  }

  report(event: ScreenEvent): void {
    const { state, effects } = afterEvent(this.#state, event);
    this.#state = withCursorShown(state);
    if (event.kind === 'done' && event.copied !== undefined) this.#terminal.copy(event.copied);
    // Only a question on the screen can be answered.
    if (event.kind === 'asked' || event.kind === 'failed') this.#early.length = 0;
    this.#drawSoon();
    this.#perform(effects);
    this.#takeEarly();
    if (event.kind !== 'lists' || !this.#options.isPopup) return;
    const isEmpty = state.reviews.length === 0;
    if (isEmpty && this.#hasReviews) this.#quit();
    this.#hasReviews = !isEmpty;
  }

  #newPalette() {
    return createPalette({ depth: process.stdout.getColorDepth(), isLight: this.#isLight });
  }

  #onInput(input: Input): void {
    if (input.kind === 'background') {
      this.#isLight = isLightColour(input.colour) ?? this.#isLight;
      this.#palette = this.#newPalette();
      this.#drawSoon();
      return;
    }
    const leaves = input.kind === 'key' && (input.name === 'q' || input.name === 'ctrl+c');
    if (this.#isBusy && !leaves) {
      this.#early.push(input);
      return;
    }
    this.#take(input);
  }

  get #isBusy(): boolean {
    const { selected, shown, connection } = this.#state;
    return connection === 'live' && (this.#calls > 0 || (selected !== undefined && shown === undefined));
  }

  #take(input: Input): void {
    const { state, effects } = afterInput(this.#state, input);
    this.#state = state;
    this.#drawSoon();
    this.#perform(effects);
  }

  #takeEarly(): void {
    while (!this.#isBusy) {
      const input = this.#early.shift();
      if (input === undefined) return;
      this.#take(input);
    }
  }

  #onRedraw(): void {
    // The terminal reports its first state while it is made.
    queueMicrotask(() => {
      const { columns, rows } = this.#terminal;
      this.report({ kind: 'resized', columns, rows });
    });
  }

  /** Once for all that happens in a task. */
  #drawSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      const diff = this.#state.shown?.diff;
      this.#terminal.draw(
        layout(this.#state, diff === this.#coloured ? this.#syntax : undefined),
        this.#palette,
      );
      if (diff !== this.#coloured) void this.#colour(this.#state.shown);
    });
  }

  /** Loaded and read after the text is on the screen. */
  async #colour(shown: Shown | undefined): Promise<void> {
    this.#colouring.abort();
    this.#colouring = new AbortController();
    const { signal } = this.#colouring;
    this.#coloured = shown?.diff;
    this.#syntax = undefined;
    if (shown === undefined || process.stdout.getColorDepth() < 4) return;
    const { syntaxOf } = await import('./syntax.js');
    const syntax = await syntaxOf(shown.details.path, shown.diff, signal).catch(() => undefined);
    if (signal.aborted || syntax === undefined) return;
    this.#syntax = syntax;
    this.#drawSoon();
  }

  #perform(effects: readonly Effect[]): void {
    for (const effect of effects) {
      switch (effect.kind) {
        case 'load':
          void this.#link.load(effect.id);
          break;
        case 'edit':
          void this.#edit(effect);
          break;
        case 'suspend':
          this.#terminal.suspend();
          break;
        case 'quit':
          this.#quit();
          break;
        default:
          void this.#call(effect);
      }
    }
  }

  async #call(effect: Effect): Promise<void> {
    this.#calls += 1;
    await this.#link.perform(effect);
    this.#calls -= 1;
    this.#takeEarly();
  }

  #quit(): void {
    this.#terminal.dispose();
    this.#end();
  }

  /** The text is read before and compared after: what another view changed meanwhile is not overwritten. */
  async #edit({ id, line, isDiff }: Extract<Effect, { kind: 'edit' }>): Promise<void> {
    const { client } = this.#link.companion;
    try {
      const before = await client.call('review.show', { id });
      this.#terminal.release();
      const edited = await editElsewhere(before, { line, isDiff }).finally(() => this.#terminal.resume());
      const { content } = edited;
      if (content === undefined) return edited.discard();
      const after = await this.#link.companion.client.call('review.show', { id });
      if (after.state !== 'pending' || after.content !== before.content) {
        const message = `The proposal has changed meanwhile. Your text is in ${edited.file}.`;
        return this.report({ kind: 'failed', message });
      }
      const undo: Effect = { kind: 'setText', id, content: before.content };
      await this.#link.perform({ kind: 'setText', id, content });
      this.report({ kind: 'done', effect: { kind: 'setText', id, content }, undo });
      edited.discard();
    } catch (error) {
      if (error instanceof CommandError) return this.report({ kind: 'failed', message: error.message });
      const message = error instanceof Error ? error.message : String(error);
      this.report({ kind: 'failed', message });
    }
  }
}
