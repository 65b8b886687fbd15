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
 * Sanitises a message with file names and agents' texts: makes invisible characters visible, and turns links into text,
 * because a click on `[text](command:name)` would run the command.
 */
function plainMessage(text: string): string {
  return visibleName(text).replaceAll('](', '] (');
}

/** Escapes a name for the label of a list, which would render `$(name)` as an icon. */
export function plainLabel(text: string): string {
  return visibleName(text).replaceAll('$(', '\\$(');
}

/** As VS Code writes the labels of buttons. */
export function inTitleCase(label: string): string {
  return label.replace(/\b(?!(?:and|with|the)\b)[a-z]/g, (letter) => letter.toUpperCase());
}

/** Opens VS Code's editor for workspace trust. */
export async function manageTrust(): Promise<void> {
  await vscode.commands.executeCommand('workbench.trust.manage');
}

/** Reports that an action needs a trusted workspace, and offers to manage trust. */
export async function offerTrust(message: string): Promise<void> {
  const manage = vscode.l10n.t('Manage Workspace Trust');
  if ((await inform(message, manage)) === manage) await manageTrust();
}
