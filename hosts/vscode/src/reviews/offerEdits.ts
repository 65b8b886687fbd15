import { basename } from 'node:path';
import * as vscode from 'vscode';
import { warn } from '../say.js';
import { nameOfAgent } from '../settings.js';
import { InterruptedText } from './interruptedText.js';

/** An agent that goes away takes its proposals along, but not what the person made of them. */
export async function offerEdits({
  agent,
  path,
  content,
}: Pick<InterruptedText, 'agent' | 'path' | 'content'>): Promise<void> {
  const open = vscode.l10n.t('Show Your Text');
  const message = vscode.l10n.t(
    '{0} withdrew its change to {1}, which you were editing. Your text is kept in the view "Reviews", and is restored if it proposes the same again.',
    nameOfAgent(agent),
    basename(path),
  );
  if ((await warn(message, open)) !== open) return;
  await vscode.commands.executeCommand('tandem.showInterrupted', new InterruptedText(agent, path, content));
}
