import * as vscode from 'vscode';
import { inform } from './say.js';

/** Opens where the user says whether they trust the workspace. */
export async function manageTrust(): Promise<void> {
  await vscode.commands.executeCommand('workbench.trust.manage');
}

/** Says what does not work in a workspace that is not trusted, with the way out. */
export async function offerTrust(message: string): Promise<void> {
  const manage = vscode.l10n.t('Manage Workspace Trust');
  if ((await inform(message, manage)) === manage) await manageTrust();
}
