import type { Path } from '@tandem/core';
import * as vscode from 'vscode';
import { findTabs, loadedDocument } from '../tabs.js';

/** The content of a diff. */
export interface DiffSides {
  readonly original: vscode.Uri;
  readonly proposal: vscode.Uri;
  readonly title: string;
}

/** How a diff opens. */
export interface DiffOpening {
  readonly column: vscode.ViewColumn;
  readonly takesFocus: boolean;
  /** Its tab stays behind the active one. */
  readonly isBehind: boolean;
}

/** The proposal in a tab: in our diff, with its sides swapped by the user, or alone. */
export function proposalOfTab({ input }: vscode.Tab): vscode.Uri | undefined {
  if (input instanceof vscode.TabInputText) return isProposal(input.uri) ? input.uri : undefined;
  if (!(input instanceof vscode.TabInputTextDiff)) return undefined;
  return [input.modified, input.original].find(isProposal);
}

function isProposal(uri: vscode.Uri): boolean {
  return reviewKeyOf(uri) !== undefined;
}

/** The tabs that show a proposal: the user can split one. */
export function tabsOfProposal(proposal: vscode.Uri): vscode.Tab[] {
  const wanted = proposal.toString();
  return findTabs((tab) => proposalOfTab(tab)?.toString() === wanted);
}

/** The proposal in the active tab. */
export function activeProposal(): vscode.Uri | undefined {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab && proposalOfTab(tab);
}

/** The group that already shows reviews, otherwise the active one. */
export function groupForReviews(): vscode.TabGroup {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  const shows = ({ tabs }: vscode.TabGroup): boolean => tabs.some((tab) => proposalOfTab(tab) !== undefined);
  return shows(activeTabGroup) ? activeTabGroup : (all.find(shows) ?? activeTabGroup);
}

/** Opens the diff. Resolves when VS Code has opened it; rejects if it cannot show it. */
export async function openDiff({ original, proposal, title }: DiffSides, how: DiffOpening): Promise<void> {
  await vscode.commands.executeCommand('vscode.diff', original, proposal, title, {
    viewColumn: how.column,
    preserveFocus: !how.takesFocus,
    background: how.isBehind,
    preview: false,
  });
}

/** Closes the tabs of a proposal and leaves the focus where it is. Saves it first, because VS Code would ask. */
export async function closeDiff(proposal: vscode.Uri): Promise<void> {
  // The user may type while it is saved.
  for (let attempt = 1; attempt <= saveAttempts; attempt++) {
    const document = loadedDocument(proposal);
    if (document === undefined || document.isClosed) break;
    // VS Code reports late that a document is unsaved. Saving a saved document does nothing.
    await saveOrWait(document);
    if (!document.isDirty && !tabsOfProposal(proposal).some(({ isDirty }) => isDirty)) break;
  }
  const tabs = tabsOfProposal(proposal);
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}

/** How often unsaved text is saved before the tab closes. */
const saveAttempts = 3;

/** How long a running save may take, with formatters and other extensions. */
const saveLimitMs = 5000;

/** Saves a document. VS Code refuses a second save while one runs; then this waits for the end of that one. */
async function saveOrWait(document: vscode.TextDocument): Promise<void> {
  if ((await document.save()) || !document.isDirty) return;
  await new Promise<void>((resolve) => {
    const listener = vscode.workspace.onDidSaveTextDocument((saved) => {
      if (saved === document) end();
    });
    const timer = setTimeout(end, saveLimitMs);
    function end(): void {
      clearTimeout(timer);
      listener.dispose();
      resolve();
    }
  });
}

/** Scheme of the documents of reviews. */
export const reviewScheme = 'tandem-review';

/**
 * The document of a proposal. It has the file's path, for breadcrumbs, icon and language; the query distinguishes
 * reviews of the same file.
 */
export function proposalUri(key: string, path: Path): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: reviewScheme, query: `review=${key}` });
}

/** The other side for a file that VS Code cannot show: one that does not exist yet, or is not text. */
export function standInUri(key: string, path: Path): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: reviewScheme, query: `file=${key}` });
}

/** The review whose proposal a document is. */
export function reviewKeyOf(uri: vscode.Uri): string | undefined {
  if (uri.scheme !== reviewScheme) return undefined;
  return /^review=(.+)$/.exec(uri.query)?.[1];
}
