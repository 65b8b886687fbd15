import type { Clock, Disposable } from '@tandem/core';
import * as vscode from 'vscode';
import { inform } from '../say.js';
import type { ReviewView } from './reviewView.js';

/** Proposals that come within this time of each other share a message. */
const togetherMs = 500;

/** Tells of proposals that have opened behind what the user is working on, and leads to them. */
export class ProposalNotice implements Disposable {
  readonly #clock: Clock;
  readonly #reveal: (view: ReviewView) => Promise<void>;
  #views: ReviewView[] = [];
  #wait: Disposable | undefined;

  constructor(clock: Clock, reveal: (view: ReviewView) => Promise<void>) {
    this.#clock = clock;
    this.#reveal = reveal;
  }

  add(view: ReviewView): void {
    this.#views.push(view);
    this.#wait?.dispose();
    this.#wait = this.#clock.setTimeout(() => void this.#tell(), togetherMs);
  }

  dispose(): void {
    this.#wait?.dispose();
  }

  async #tell(): Promise<void> {
    const { t } = vscode.l10n;
    const views = this.#views.filter(isPending);
    this.#views = [];
    const [first] = views;
    if (first === undefined) return;
    const agents = [...new Set(views.map(({ agentName }) => agentName))].join(', ');
    const message =
      views.length === 1
        ? t('{0} proposes a change to {1}.', first.agentName, first.fileName)
        : t('{0} new changes are pending, by {1}.', views.length, agents);
    const show = t('Show');
    if ((await inform(message, show)) === show) await this.#reveal(views.find(isPending) ?? first);
  }
}

function isPending({ review }: ReviewView): boolean {
  return review.state === 'pending';
}
