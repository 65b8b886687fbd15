import { basename } from 'node:path';
import type { InterruptedReview } from '@tandem/companion';
import type { Path } from '@tandem/core';
import * as vscode from 'vscode';
import { warn } from '../messages.js';
import { nameOfAgent } from '../settings.js';

/** What a person typed, for a command that is to find where it is kept. */
export class InterruptedText {
  readonly agent: string;
  readonly path: Path;
  readonly content: string;

  constructor(agent: string, path: Path, content: string) {
    this.agent = agent;
    this.path = path;
    this.content = content;
  }

  isOf({ agent, path, content }: InterruptedReview): boolean {
    return agent === this.agent && path === this.path && content === this.content;
  }
}

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
