import { visibleName } from '@tandem/core';
import * as vscode from 'vscode';

/** Resolves to the button that was chosen. */
export function inform(message: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showInformationMessage(plainMessage(message), ...buttons);
}

/** Resolves to the button that was chosen. */
export function warn(message: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(plainMessage(message), ...buttons);
}

export function tellError(message: string): void {
  void vscode.window.showErrorMessage(plainMessage(message));
}

/** Asks in a dialog that stands in front of everything. Resolves to the button that was chosen. */
export async function ask(
  message: string,
  detail: string,
  ...buttons: readonly (string | vscode.MessageItem)[]
): Promise<string | undefined> {
  const items = buttons.map((button) => (typeof button === 'string' ? { title: button } : button));
  const options = { modal: true, detail };
  return (await vscode.window.showWarningMessage(plainMessage(message), options, ...items))?.title;
}

/**
 * Everything that this extension says in a notification or asks in a dialog. Names of files and words of agents stand in
 * it: what is not seen or turns the direction becomes visible, and a link is none, for VS Code runs the command of
 * `[text](command:name)` at a click.
 */
function plainMessage(text: string): string {
  return visibleName(text).replaceAll('](', '] (');
}

/** A name as a label of a list: `$(name)` would be drawn as an icon. */
export function plainLabel(text: string): string {
  return visibleName(text).replaceAll('$(', '\\$(');
}

/** Opens where the user says whether they trust the workspace. */
export async function manageTrust(): Promise<void> {
  await vscode.commands.executeCommand('workbench.trust.manage');
}

/** Says what does not work in a workspace that is not trusted, with the way out. */
export async function offerTrust(message: string): Promise<void> {
  const manage = vscode.l10n.t('Manage Workspace Trust');
  if ((await inform(message, manage)) === manage) await manageTrust();
}
