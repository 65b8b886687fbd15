import { basename } from 'node:path';
import type { InterruptedReview } from '@tandem/companion';
import { nameOfAgent } from '@tandem/companion/agents';
import type { Path } from '@tandem/core';
import * as vscode from 'vscode';
import { warn } from '../messages.js';

/** The user's text of an ended review, with which a command finds the interrupted review. */
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

/** Reports that an agent withdrew a proposal that the user edited or only commented on, and offers the text. */
export async function offerEdits(
  { agent, path, content }: Pick<InterruptedText, 'agent' | 'path' | 'content'>,
  isEdited: boolean,
): Promise<void> {
  const { t } = vscode.l10n;
  const names = [nameOfAgent(agent), basename(path)] as const;
  const open = isEdited ? t('Show Your Text') : t('Show');
  const message = isEdited
    ? t(
        '{0} withdrew its proposal for {1}, which you were editing. Your text is kept in the view "Reviews", and is restored if it proposes the same again.',
        ...names,
      )
    : t(
        '{0} withdrew its proposal for {1}, on which you commented. Your comments are kept in the view "Reviews", and are restored if it proposes the same again.',
        ...names,
      );
  if ((await warn(message, open)) !== open) return;
  await vscode.commands.executeCommand('tandem.showInterrupted', new InterruptedText(agent, path, content));
}
