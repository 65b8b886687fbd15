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

export function showError(message: string): void {
  void vscode.window.showErrorMessage(plainMessage(message));
}

/** Asks in a modal dialog. Resolves to the button that was chosen. */
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
 * Makes a message safe that contains names of files and words of agents: invisible characters become visible, and links
 * become text, because VS Code would run the command of `[text](command:name)` at a click.
 */
function plainMessage(text: string): string {
  return visibleName(text).replaceAll('](', '] (');
}

/** A name as a label of a list: `$(name)` would be drawn as an icon. */
export function plainLabel(text: string): string {
  return visibleName(text).replaceAll('$(', '\\$(');
}

/** Opens VS Code's editor for workspace trust. */
export async function manageTrust(): Promise<void> {
  await vscode.commands.executeCommand('workbench.trust.manage');
}

/** Reports what does not work in an untrusted workspace, and offers to manage its trust. */
export async function offerTrust(message: string): Promise<void> {
  const manage = vscode.l10n.t('Manage Workspace Trust');
  if ((await inform(message, manage)) === manage) await manageTrust();
}
