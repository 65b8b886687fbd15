import type { Companion } from '@tandem/companion';
import type { CompanionEvent } from '@tandem/companion/control';
import type { Disposable } from '@tandem/core';
import { visibleName } from '@tandem/core';
import { commandName, paint, print, redrawStandingLine, showStandingLine } from './output.js';
import { shortPath } from './reviewText.js';
import type { ServeView } from './serveView.js';
import { lostLine, returnedLine, summaryLine, timeOf } from './statusText.js';

/** How often the last line is brought up to date when nothing happens: it says when agents last spoke. */
const tickMs = 30_000;

/**
 * What `tandem serve` shows a person: a line for everything that happens, and on a terminal a last line that always
 * says how things stand.
 */
export class LiveStatus implements ServeView {
  readonly #companion: Companion;
  readonly #subscriptions: readonly Disposable[];
  readonly #onResize = (): void => {
    redrawStandingLine();
    this.#stand();
  };
  readonly #tick: NodeJS.Timeout;
  #standing: Promise<void> | undefined;
  #isStale = false;
  #isDisposed = false;

  private constructor(companion: Companion) {
    this.#companion = companion;
    this.#subscriptions = [
      companion.feed.onDidChange(() => this.#stand()),
      companion.reviews.onDidChange(() => this.#stand()),
    ];
    process.stdout.on('resize', this.#onResize);
    this.#tick = setInterval(() => this.#stand(), tickMs);
    this.#tick.unref();
  }

  /** Goes on until it is disposed. */
  static start(companion: Companion): LiveStatus {
    const live = new LiveStatus(companion);
    live.#stand();
    return live;
  }

  tell(event: CompanionEvent): void {
    print(`${paint('dim', timeOf(Date.now()))}  ${eventLine(event, this.#companion)}`);
    this.#stand();
  }

  dispose(): void {
    this.#isDisposed = true;
    clearInterval(this.#tick);
    process.stdout.off('resize', this.#onResize);
    for (const subscription of this.#subscriptions) subscription.dispose();
    showStandingLine('');
    print('Stopped. Discovery files are removed.');
  }

  /** Brings the last line up to date. One at a time, so that an older answer never overwrites a newer one. */
  #stand(): void {
    this.#isStale = true;
    if (process.stdout.isTTY) this.#standing ??= this.#keepStanding();
  }

  async #keepStanding(): Promise<void> {
    try {
      while (this.#isStale && !this.#isDisposed) {
        this.#isStale = false;
        // Not the whole status: that compares the texts of the pending reviews, and agents would wait for it.
        const sharing = await this.#companion.sharing.status();
        const standing = {
          agents: this.#companion.agents.status(),
          reviews: this.#companion.reviews.pending,
          sharing,
        };
        if (!this.#isDisposed) {
          showStandingLine(summaryLine(standing, process.cwd(), (process.stdout.columns || 80) - 1));
        }
      }
    } finally {
      this.#standing = undefined;
    }
  }
}

/** One line for one event. */
function eventLine(event: CompanionEvent, companion: Companion): string {
  switch (event.event) {
    case 'session.connected':
    case 'session.closed': {
      const isConnected = event.event === 'session.connected';
      const what = isConnected ? paint('green', 'connected') : paint('dim', 'gone     ');
      return `${what}  ${event.agent}  ${visibleName(`${event.client.name} ${event.client.version}`)}`;
    }
    case 'session.lost':
      return `${paint('yellow', 'lost     ')}  ${event.agent}  ${lostLine(event)}`;
    case 'session.returned':
      return `${paint('green', 'back     ')}  ${event.agent}  ${returnedLine(event)}`;
    case 'review.opened': {
      const what = paint('bold', `review ${event.id}`.padEnd(9));
      const show = paint('cyan', `${commandName} review show ${event.id}`);
      return `${what}  ${event.agent}  ${shortPath(event.path, process.cwd())}  ${show}`;
    }
    case 'review.decided': {
      const review = companion.reviews.get(event.id);
      // A companion that stops can be asked for nothing; it says itself where it put the text.
      const isKept =
        review?.isEdited && review.outcome?.kind === 'withdrawn' && review.outcome.reason !== 'stopped';
      const kept = isKept ? `  your text is kept: ${commandName} review show ${event.id} --content` : '';
      return `${`review ${event.id}`.padEnd(9)}  ${event.outcome}${kept}`;
    }
    case 'sharing.paused':
      return 'sharing is paused';
    case 'sharing.resumed':
      return 'sharing is resumed';
  }
}
