import { basename } from 'node:path';
import type { InterruptedReview } from '@tandem/companion';
import * as vscode from 'vscode';
import { nameOfAgent } from '../settings.js';

/** An agent that goes away takes its proposals along, but not what the person made of them. */
export async function offerEdits({
  agent,
  path,
  content,
}: Pick<InterruptedReview, 'agent' | 'path' | 'content'>): Promise<void> {
  const open = vscode.l10n.t('Open Your Text');
  const message = vscode.l10n.t(
    '{0} no longer waits for its change to {1}, which you were editing. Your text is kept, also for when it proposes the same again.',
    nameOfAgent(agent),
    basename(path),
  );
  if ((await vscode.window.showWarningMessage(message, open)) !== open) return;
  const document = await vscode.workspace.openTextDocument({ content });
  await vscode.window.showTextDocument(document, { preview: false });
}
