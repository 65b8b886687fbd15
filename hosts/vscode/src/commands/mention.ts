import { agentsWithMentions } from '@tandem/companion/agents';
import { type Disposable, DisposableStore, describeError, type Path } from '@tandem/core';
import * as vscode from 'vscode';
import type { CompanionHost } from '../companionHost.js';
import { inform, warn } from '../messages.js';
import { fileOfTab } from '../tabs.js';
import type { WorkspacePaths } from '../workspacePaths.js';

interface Mention {
  readonly uri: vscode.Uri;
  /** Counted from 0, inclusive. */
  readonly lines?: { readonly first: number; readonly last: number };
}

/** A file for the chat's draft. `lines` are 0-based and inclusive. */
export interface MentionedFile {
  readonly path: Path;
  readonly lines?: { readonly first: number; readonly last: number } | undefined;
}

interface MentionTargets {
  readonly host: CompanionHost;
  readonly paths: WorkspacePaths;
  readonly chat: { readonly isInUse: boolean; mention(files: readonly MentionedFile[]): Promise<void> };
}

/** Registers the commands that mention a file, or the selection in it, to agents or in the chat. */
export function registerMentionCommands(targets: MentionTargets): Disposable {
  const store = new DisposableStore();
  const commands = vscode.commands;
  const window = vscode.window;
  store.add(
    commands.registerCommand('tandem.mentionSelection', async () => {
      const editor = window.activeTextEditor;
      if (editor === undefined) return reportNoFile();
      await mention(targets, [{ uri: editor.document.uri, lines: linesOf(editor.selection) }]);
    }),
  );
  store.add(
    commands.registerCommand('tandem.mentionFile', async (uri?: unknown, selected?: unknown) => {
      const tab = window.tabGroups.activeTabGroup.activeTab;
      const meant = uri instanceof vscode.Uri ? uri : tab && fileOfTab(tab);
      if (meant === undefined) return reportNoFile();
      // The explorer passes all selected files.
      const several = Array.isArray(selected) ? selected.filter((each) => each instanceof vscode.Uri) : [];
      await mention(
        targets,
        (several.length > 1 ? several : [meant]).map((each) => ({ uri: each })),
      );
    }),
  );
  return store;
}

async function mention({ host, paths, chat }: MentionTargets, mentions: readonly Mention[]): Promise<void> {
  const { companion } = host;
  const files = mentions.flatMap(({ uri, lines }) => {
    const path = paths.toPath(uri);
    return path === undefined ? [] : [{ path, lines }];
  });
  if (companion === undefined || files.length === 0) return reportNoFile();
  const target = await chooseTarget(companion.agents.connectedWithMentions, chat.isInUse);
  if (target === 'chat') return chat.mention(files);
  if (target === undefined) return;
  try {
    let reached = 0;
    for (const { path, lines } of files) reached += await companion.agents.mention(path, lines);
    if (reached === 0 && (await offerChat())) await chat.mention(files);
  } catch (error) {
    void warn(describeError(error));
  }
}

/** Asks only if there is a choice. */
async function chooseTarget(
  takers: readonly string[],
  isChatInUse: boolean,
): Promise<'agents' | 'chat' | undefined> {
  const { t } = vscode.l10n;
  if (takers.length > 0 && isChatInUse) {
    const choices = [
      { label: `$(hubot) ${takers.join(', ')}`, target: 'agents' as const },
      { label: `$(comment-discussion) ${t('Chat with Qwen Code')}`, target: 'chat' as const },
    ];
    const chosen = await vscode.window.showQuickPick(choices, { placeHolder: t('Mention it to') });
    return chosen?.target;
  }
  return isChatInUse ? 'chat' : 'agents';
}

/** Reports that no agent was reached. Resolves to whether the user wants it in the chat. */
async function offerChat(): Promise<boolean> {
  const { t } = vscode.l10n;
  const inChat = t('Mention It in the Chat');
  const message = t(
    'No connected agent supports mentions. Start {0} in a terminal, or use the chat.',
    agentsWithMentions().join(', '),
  );
  return (await inform(message, inChat)) === inChat;
}

/** The lines of the selection. A selection that ends at the start of a line does not include that line. */
export function linesOf({ start, end, isEmpty }: vscode.Selection): { first: number; last: number } {
  const reachesBack = !isEmpty && end.character === 0 && end.line > start.line;
  return { first: start.line, last: reachesBack ? end.line - 1 : end.line };
}

function reportNoFile(): void {
  void inform(vscode.l10n.t('Open a file that is on disk to mention it.'));
}
