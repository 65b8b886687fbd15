import { basename } from 'node:path';
import { type Disposable, DisposableStore, messageOf, type Path, visibleName } from '@tandem/core';
import { isHunkInLines, textOf } from '@tandem/reviews';
import type { WaitingHunk } from '@tandem/rpc';
import * as vscode from 'vscode';
import { contextKey } from '../contextKeys.js';
import type { OpenDesk } from '../desk.js';
import { ask, inform, showError } from '../messages.js';
import type { ChangeList } from './changeList.js';

/** Scheme of the texts of files without what waits in them. */
const writtenScheme = 'tandem-written';
/** A question shows this many lines of each change. */
const mostLines = 10;

/** What VS Code passes to a command of its peek view of changes. Lines from 1; an end of 0: none. */
interface LineChange {
  readonly modifiedStartLineNumber: number;
  readonly modifiedEndLineNumber: number;
}

interface Services {
  readonly list: ChangeList;
  readonly openDesk: OpenDesk;
  readonly paths: {
    toUri(path: Path): vscode.Uri;
    toPath(uri: vscode.Uri): Path | undefined;
  };
}

/**
 * Marks what waits beside its lines in ordinary editors, as VS Code does for Git, with *Keep* and *Undo* in its peek view. There is a source
 * control only while something waits: it lists the files, and is not counted. The creator disposes it.
 */
export class WrittenLines implements Disposable {
  readonly #of: Services;
  readonly #owned = new DisposableStore();
  readonly #didChange = this.#owned.add(new vscode.EventEmitter<vscode.Uri>());
  /** By URI, the paths of the files with changes that wait. */
  #waiting: ReadonlyMap<string, Path> = new Map();
  readonly #setWaits = contextKey('tandem.linesWait');
  #control: Disposable | undefined;

  constructor(of: Services) {
    this.#of = of;
    this.#owned.add(
      vscode.workspace.registerTextDocumentContentProvider(writtenScheme, {
        onDidChange: this.#didChange.event,
        provideTextDocumentContent: (uri) => this.#textBefore(uri),
      }),
    );
    for (const verb of ['keep', 'undo'] as const) this.#register(verb);
    this.#owned.add(of.list.onDidChange(() => this.#update()));
    this.#owned.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('tandem.changes.markLines')) this.#update();
      }),
    );
    this.#update();
  }

  dispose(): void {
    this.#control?.dispose();
    this.#owned.dispose();
  }

  #update(): void {
    const { list, paths } = this.#of;
    const isOn = vscode.workspace.getConfiguration('tandem').get('changes.markLines') !== false;
    const found = isOn ? [...(list.companion?.changes.waitingPaths() ?? [])] : [];
    const before = this.#waiting;
    this.#waiting = new Map(found.map((path) => [paths.toUri(path).toString(), path]));
    this.#setWaits(found.length > 0);
    if (found.length === 0) {
      this.#control?.dispose();
      this.#control = undefined;
      return;
    }
    const isSame =
      before.size === this.#waiting.size && [...before.keys()].every((uri) => this.#waiting.has(uri));
    // VS Code asks for the earlier texts of open files only when there is another provider.
    if (!isSame) this.#control?.dispose();
    if (!isSame || this.#control === undefined) {
      this.#control = createControl([...this.#waiting.keys()], {
        provideOriginalResource: (uri) => this.#original(uri),
      });
    }
    for (const { uri } of vscode.workspace.textDocuments)
      if (uri.scheme === writtenScheme) this.#didChange.fire(uri);
  }

  #original(uri: vscode.Uri): vscode.Uri | undefined {
    return this.#waiting.has(uri.toString()) ? uri.with({ scheme: writtenScheme }) : undefined;
  }

  async #textBefore(uri: vscode.Uri): Promise<string> {
    const path = this.#waiting.get(uri.with({ scheme: 'file' }).toString());
    if (path === undefined) return '';
    try {
      return textOf(
        (await this.#of.list.companion?.changes.file(path, { waits: true }))?.before ?? { kind: 'missing' },
      );
    } catch {
      // Meanwhile decided elsewhere: then it is as its file, and nothing is marked.
      return vscode.workspace.textDocuments.find((each) => each.uri.path === uri.path)?.getText() ?? '';
    }
  }

  #register(verb: 'keep' | 'undo'): void {
    const run = async (uri: unknown, changes: unknown, at: unknown): Promise<void> => {
      try {
        await this.#decide(verb, uri, rangeOf(changes, at));
      } catch (error) {
        showError(messageOf(error));
      }
    };
    this.#owned.add(vscode.commands.registerCommand(`tandem.${verb}Lines`, run));
  }

  /** Keeps or undoes the change in the lines, or in those of the selection. */
  async #decide(
    verb: 'keep' | 'undo',
    uri: unknown,
    lines: { readonly first: number; readonly last: number } | undefined,
  ): Promise<void> {
    const { t } = vscode.l10n;
    const editor = vscode.window.activeTextEditor;
    const document = uri instanceof vscode.Uri ? documentAt(uri) : editor?.document;
    const path = document && this.#of.paths.toPath(document.uri);
    const desk = await this.#of.openDesk();
    if (document === undefined || path === undefined || desk === undefined) return;
    if (document.isDirty) return void inform(t('Save {0} first.', visibleName(basename(path))));
    const selected = lines ?? linesOf(editor);
    const { hunks } = await desk.call('changes.hunks', { path });
    const chosen = hunks.filter((hunk) => selected && isHunkInLines({ proposed: hunk }, selected));
    const [first] = chosen;
    if (first === undefined) return void inform(t('No change of an agent waits in these lines.'));
    if (chosen.some(({ group }) => group !== first.group))
      return void inform(t('These lines have changes of several turns. Choose those of one.'));
    const { group, stamp } = first;
    const selection = { path, group, stamp, waits: true, hunks: chosen.map(({ index }) => index) };
    if (verb === 'keep') return void (await desk.call('changes.keep', selection));
    const uncertain = chosen.filter(({ isCertain }) => !isCertain);
    const undo = t('Undo');
    const question = t('Something else may have written these lines. Undo them?');
    if (uncertain.length > 0 && (await ask(question, uncertain.map(describe).join('\n\n'), undo)) !== undo)
      return;
    const [undone] = await desk.call('changes.restore', selection);
    if (undone?.restoration === undefined) return void showError(undone?.reason ?? undone?.note ?? '');
    const redo = t('Redo');
    const done = t('Changes of {0} undone.', visibleName(basename(path)));
    if ((await inform(done, redo)) === redo)
      await desk.call('changes.restore', { ids: [undone.restoration] });
  }
}

function createControl(uris: readonly string[], quickDiff: vscode.QuickDiffProvider): Disposable {
  const source = vscode.scm.createSourceControl('tandem', 'Tandem');
  source.inputBox.visible = false;
  source.count = 0;
  source.quickDiffProvider = quickDiff;
  const group = source.createResourceGroup('waiting', vscode.l10n.t('Written by agents, to review'));
  group.resourceStates = uris.map((uri) => stateOf(vscode.Uri.parse(uri, true)));
  return source;
}

function stateOf(resourceUri: vscode.Uri): vscode.SourceControlResourceState {
  const title = vscode.l10n.t('Open the file');
  return { resourceUri, command: { command: 'vscode.open', title, arguments: [resourceUri] } };
}

function documentAt(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
}

/** The lines of one of the changes of a peek view, from 0. */
function rangeOf(
  changes: unknown,
  at: unknown,
): { readonly first: number; readonly last: number } | undefined {
  if (!Array.isArray(changes) || typeof at !== 'number') return undefined;
  const change: Partial<LineChange> | undefined = changes[at];
  const { modifiedStartLineNumber: start, modifiedEndLineNumber: end } = change ?? {};
  if (start === undefined || end === undefined) return undefined;
  // Removed lines are below the line `start`.
  return end === 0
    ? { first: Math.max(start - 1, 0), last: Math.max(start - 1, 0) }
    : { first: start - 1, last: end - 1 };
}

function linesOf(editor: vscode.TextEditor | undefined) {
  return editor && { first: editor.selection.start.line, last: editor.selection.end.line };
}

/** Whose a change is, how that is known, and the lines before it. */
function describe({ label, evidence, removed, removedCount }: WaitingHunk): string {
  const shown = removed.slice(0, mostLines);
  const more = removedCount - shown.length;
  return [label, ...evidence, ...shown.map((line) => `- ${line}`)]
    .map(visibleName)
    .concat(more > 0 ? [vscode.l10n.t('and {0} more lines', more)] : [])
    .join('\n');
}
