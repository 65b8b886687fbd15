import { basename } from 'node:path';
import type { Companion } from '@tandem/companion';
import { nameOfAgent } from '@tandem/companion/agents';
import { type Disposable, DisposableStore, type Event, type Path, visibleName } from '@tandem/core';
import type { InterruptedReview } from '@tandem/reviews';
import type { ReviewFacts } from '@tandem/rpc';
import * as vscode from 'vscode';
import type { CompanionHost } from '../companionHost.js';
import type { Desk, OpenDesk } from '../desk.js';
import { inform, warn } from '../messages.js';
import { findTabs } from '../tabs.js';

/** Scheme of the texts of reviews apart from the pending ones. */
const interruptedScheme = 'tandem-interrupted';
/** The query of the empty text that is shown instead of a file that does not exist. */
const nothing = 'nothing';

interface Services {
  readonly host: Pick<CompanionHost, 'companion' | 'onDidChange'>;
  readonly toUri: (path: Path) => vscode.Uri;
  readonly openDesk: OpenDesk;
}

/**
 * The reviews apart from the pending ones: shown beside their file, read-only, with what the user can do with them. To edit
 * an interrupted one, the user applies it first.
 */
export class InterruptedTexts implements vscode.TextDocumentContentProvider, Disposable {
  readonly #host: Services['host'];
  readonly #toUri: Services['toUri'];
  readonly #openDesk: OpenDesk;
  readonly #owned = new DisposableStore();

  constructor({ host, toUri, openDesk }: Services) {
    this.#host = host;
    this.#toUri = toUri;
    this.#openDesk = openDesk;
    this.#owned.add(vscode.workspace.registerTextDocumentContentProvider(interruptedScheme, this));
    this.#owned.add(this.onDidChangeList(() => void this.#closeDecided()));
    const register = (name: string, run: (review: ReviewFacts) => Promise<void>): void => {
      const command = async (what?: unknown): Promise<void> => {
        const review = this.find(what);
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
    register('applyInterrupted', (review) => this.run(review, 'apply'));
    register('discardInterrupted', (review) => this.run(review, 'discard'));
  }

  /** `all` may have changed. */
  get onDidChangeList(): Event<void> {
    return this.#host.onDidChange;
  }

  /** The oldest first. */
  get all(): readonly ReviewFacts[] {
    const { companion } = this.#host;
    return companion?.apart.map((review) => companion.present.facts(review)) ?? [];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    if (uri.query === nothing) return '';
    return (
      this.#record(uri.query)?.content ??
      vscode.l10n.t('This interrupted review no longer exists: it was applied, discarded or proposed again.')
    );
  }

  /** The review for the argument of a command: a row of the list, an id, or a document; without one, of the active document. */
  find(what: unknown = vscode.window.activeTextEditor?.document.uri): ReviewFacts | undefined {
    const id =
      what instanceof InterruptedNode
        ? what.review.id
        : what instanceof vscode.Uri && what.scheme === interruptedScheme
          ? what.query
          : what;
    const found = typeof id === 'string' ? this.#record(id) : undefined;
    return found && this.#host.companion?.present.facts(found);
  }

  /** Does one of the actions of a review, and shows the file that it changes. */
  async run(review: ReviewFacts, action: string): Promise<void> {
    const { id, path } = review;
    const desk = await this.#openDesk();
    const done = await desk?.ask('review.run', { id, action }, () => this.#show(review));
    if (desk === undefined || done?.note === undefined) return;
    await vscode.window.showTextDocument(this.#toUri(path), { preview: false });
    if (done.restoration !== undefined) void this.#offerUndo(done.note, done.restoration, desk);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #record(id: string): Companion['apart'][number] | undefined {
    return this.#host.companion?.apart.find((review) => review.id === id);
  }

  async #show(review: ReviewFacts): Promise<void> {
    const { id, path, agentName, group } = review;
    const file = this.#toUri(path);
    const text = this.#uriOf(review);
    const original = (await exists(file)) ? file : text.with({ query: nothing });
    const kind = group?.label.toLowerCase() ?? '';
    const title = vscode.l10n.t('{0} ({1} change by {2})', visibleName(basename(path)), kind, agentName);
    const isOpen = findTabs(({ input }) => idOfText(input) === id).length > 0;
    await vscode.commands.executeCommand('vscode.diff', original, text, title, { preview: isOpen });
  }

  async #offerUndo(note: string, restoration: string, desk: Desk): Promise<void> {
    const undo = vscode.l10n.t('Undo');
    if ((await inform(note, undo)) === undo) await desk.attempt('changes.restore', { ids: [restoration] });
  }

  /** Closes the tabs of reviews that no longer exist: applied, discarded, or proposed again by the agent. */
  async #closeDecided(): Promise<void> {
    if (this.#host.companion === undefined) return;
    const tabs = findTabs(({ input }) => {
      const id = idOfText(input);
      return id !== undefined && this.#record(id) === undefined;
    });
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true).then(undefined, () => undefined);
  }

  /** Uses the file's path, for name, icon and language. A review that is interrupted again may have another text. */
  #uriOf({ id, path, openedAt }: ReviewFacts): vscode.Uri {
    return vscode.Uri.file(path).with({ scheme: interruptedScheme, query: id, fragment: String(openedAt) });
  }
}

/** Reports that an agent withdrew a proposal that the user edited or only commented on, and offers the text. */
export async function offerEdits(
  { id, agent, path }: Pick<InterruptedReview, 'id' | 'agent' | 'path'>,
  isEdited: boolean,
): Promise<void> {
  const { t } = vscode.l10n;
  const names = [nameOfAgent(agent), basename(path)] as const;
  const open = isEdited ? t('Show Your Text') : t('Show');
  const message = isEdited
    ? t(
        '{0} withdrew its proposal for {1}, which you were editing. Your text is kept in the view "Reviews", and is restored if it proposes the same again.',
        ...names,
      )
    : t(
        '{0} withdrew its proposal for {1}, on which you commented. Your comments are kept in the view "Reviews", and are restored if it proposes the same again.',
        ...names,
      );
  if ((await warn(message, open)) !== open) return;
  await vscode.commands.executeCommand('tandem.showInterrupted', id);
}

/** A row of the list of reviews. */
export class InterruptedNode {
  readonly review: ReviewFacts;

  constructor(review: ReviewFacts) {
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
