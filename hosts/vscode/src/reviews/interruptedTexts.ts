import { basename } from 'node:path';
import type { InterruptedReview } from '@tandem/companion';
import { nameOfAgent } from '@tandem/companion/agents';
import {
  type Disposable,
  DisposableStore,
  type Event,
  messageOf,
  type Path,
  visibleName,
} from '@tandem/core';
import * as vscode from 'vscode';
import { askFirst, showFirst } from '../askFirst.js';
import type { CompanionHost } from '../companionHost.js';
import { ask, inform, showError, warn } from '../messages.js';
import { findTabs } from '../tabs.js';
import { InterruptedText } from './interruptedText.js';

/** Scheme of the texts of interrupted reviews. */
const interruptedScheme = 'tandem-interrupted';
/** The query of the empty text that is shown instead of a file that does not exist. */
const nothing = 'nothing';

interface Services {
  readonly host: CompanionHost;
  readonly toUri: (path: Path) => vscode.Uri;
}

/**
 * Interrupted reviews with the user's edits: shown beside their file, applied to it, or discarded. They are read-only: to
 * edit one, the user applies it first.
 */
export class InterruptedTexts implements vscode.TextDocumentContentProvider, Disposable {
  readonly #host: CompanionHost;
  readonly #toUri: Services['toUri'];
  readonly #owned = new DisposableStore();

  constructor({ host, toUri }: Services) {
    this.#host = host;
    this.#toUri = toUri;
    this.#owned.add(vscode.workspace.registerTextDocumentContentProvider(interruptedScheme, this));
    this.#owned.add(this.onDidChangeList(() => void this.#closeDecided()));
    const register = (name: string, run: (review: InterruptedReview) => Promise<void>): void => {
      const command = async (what?: unknown): Promise<void> => {
        const review = this.#find(what);
        if (review === undefined)
          void inform(
            vscode.l10n.t(
              'This interrupted review no longer exists: it was applied, discarded or proposed again.',
            ),
          );
        else await run(review);
      };
      this.#owned.add(vscode.commands.registerCommand(`tandem.${name}`, command));
    };
    register('showInterrupted', (review) => this.#show(review));
    register('applyInterrupted', (review) => this.#apply(review));
    register('discardInterrupted', (review) => this.#discard(review));
  }

  /** `all` may have changed. */
  get onDidChangeList(): Event<void> {
    return this.#host.onDidChange;
  }

  /** The oldest first. */
  get all(): readonly InterruptedReview[] {
    return this.#host.companion?.interrupted.all ?? [];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    if (uri.query === nothing) return '';
    return (
      this.#find(uri)?.content ??
      vscode.l10n.t('This interrupted review no longer exists: it was applied, discarded or proposed again.')
    );
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** The review for the argument of a command: a row of the list, an id, a text, or the active document. */
  #find(what: unknown): InterruptedReview | undefined {
    if (what instanceof InterruptedNode) return this.#host.companion?.interrupted.get(what.review.id);
    if (what instanceof InterruptedText) return this.all.find((review) => what.isOf(review));
    const uri = what instanceof vscode.Uri ? what : vscode.window.activeTextEditor?.document.uri;
    const id = typeof what === 'string' ? what : uri?.scheme === interruptedScheme ? uri.query : undefined;
    return id === undefined ? undefined : this.#host.companion?.interrupted.get(id);
  }

  async #show(review: InterruptedReview): Promise<void> {
    const { id, path, agent } = review;
    const file = this.#toUri(path);
    const text = this.#uriOf(review);
    const original = (await exists(file)) ? file : text.with({ query: nothing });
    const title = vscode.l10n.t(
      '{0} (interrupted change by {1})',
      visibleName(basename(path)),
      nameOfAgent(agent),
    );
    const isOpen = findTabs(({ input }) => idOfText(input) === id).length > 0;
    await vscode.commands.executeCommand('vscode.diff', original, text, title, { preview: isOpen });
  }

  async #apply({ id, path }: InterruptedReview): Promise<void> {
    const { t } = vscode.l10n;
    const { companion } = this.#host;
    if (companion === undefined) return;
    const name = basename(path);
    try {
      let applied = await companion.interruptedFiles.apply(id);
      while (applied.kind === 'question') {
        const answer = await askFirst(applied.question);
        if (answer === undefined) return;
        if (answer === showFirst) {
          const review = companion.interrupted.get(id);
          return review && (await this.#show(review));
        }
        applied = await companion.interruptedFiles.apply(id, answer);
      }
      const { conflicts, restoration } = applied;
      await vscode.window.showTextDocument(this.#toUri(path), { preview: false });
      if (restoration === undefined) return;
      void this.#offerUndo(
        restoration,
        conflicts > 0
          ? warn(
              t('{0} now contains both texts, with conflict markers. Resolve them there.', name),
              t('Undo'),
            )
          : inform(t('The change is written to {0}.', name), t('Undo')),
      );
    } catch (error) {
      showError(t('The change was not applied: {0}', messageOf(error)));
    }
  }

  async #offerUndo(restoration: string, answer: Thenable<string | undefined>): Promise<void> {
    const { t } = vscode.l10n;
    if ((await answer) !== t('Undo')) return;
    try {
      await this.#host.companion?.changes.restore({ ids: [restoration] });
    } catch (error) {
      showError(t('The change was not undone: {0}', messageOf(error)));
    }
  }

  async #discard(review: InterruptedReview): Promise<void> {
    const { t } = vscode.l10n;
    const discard = t('Discard');
    const message = t('Discard the interrupted review of {0}?', basename(review.path));
    if ((await ask(message, t('There is no other copy.'), discard)) !== discard) return;
    this.#host.companion?.interrupted.remove(review.id);
  }

  /** Closes the tabs of reviews that no longer exist: applied, discarded, or proposed again by the agent. */
  async #closeDecided(): Promise<void> {
    const { companion } = this.#host;
    if (companion === undefined) return;
    const tabs = findTabs(({ input }) => {
      const id = idOfText(input);
      return id !== undefined && companion.interrupted.get(id) === undefined;
    });
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true).then(undefined, () => undefined);
  }

  /** Uses the file's path, for name, icon and language. A review that is interrupted again may have another text. */
  #uriOf({ id, path, interruptedAt }: InterruptedReview): vscode.Uri {
    return vscode.Uri.file(path).with({
      scheme: interruptedScheme,
      query: id,
      fragment: String(interruptedAt),
    });
  }
}

/** A row of the list of reviews. */
export class InterruptedNode {
  readonly review: InterruptedReview;

  constructor(review: InterruptedReview) {
    this.review = review;
  }
}

/** Which interrupted review a tab shows. */
function idOfText(input: unknown): string | undefined {
  const uri =
    input instanceof vscode.TabInputTextDiff
      ? input.modified
      : input instanceof vscode.TabInputText
        ? input.uri
        : undefined;
  return uri?.scheme === interruptedScheme ? uri.query : undefined;
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
