import { RpcError } from '@tandem/rpc';
import * as vscode from 'vscode';
import type { Desk } from '../desk.js';
import { ask, inform, warn } from '../messages.js';
import type { ReviewView } from './reviewView.js';

/**
 * Sends the comments on a review, with a remark that it asks for, and rejects the review if `rejects`. Resolves to
 * where the text went, or undefined if nothing was sent.
 */
export async function sendFeedback(
  view: ReviewView,
  desk: Desk,
  { rejects }: { readonly rejects: boolean },
): Promise<'prompt' | 'clipboard' | undefined> {
  const { t } = vscode.l10n;
  view.text.flush();
  const { length } = view.review.comments;
  const title = rejects
    ? t('Reject the proposal for {0} with feedback', view.fileName)
    : t('Feedback on the proposal for {0}', view.fileName);
  const prompt =
    length === 0
      ? t('What {0} should change. Press Enter to send it.', view.agentName)
      : length === 1
        ? t('1 comment will be sent. Add a remark, or press Enter.')
        : t('{0} comments will be sent. Add a remark, or press Enter.', length);
  // Leaving the window must not lose what was typed.
  const text = await vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true });
  return text === undefined ? undefined : deliver(view, desk, { rejects, text });
}

/** Offers to send the comments on a decided review, which its agent has not received. */
export async function offerFeedback(view: ReviewView, desk: Desk): Promise<void> {
  const { t } = vscode.l10n;
  const { length } = view.review.comments;
  if (length === 0) return;
  const send = t('Send Feedback');
  const message =
    length === 1
      ? t('Your comment on {0} was not sent to {1}.', view.fileName, view.agentName)
      : t('Your {0} comments on {1} were not sent to {2}.', length, view.fileName, view.agentName);
  if ((await inform(message, send)) === send) await deliver(view, desk, { rejects: false, text: '' });
}

async function deliver(
  { review: { id } }: ReviewView,
  desk: Desk,
  { rejects, text }: { readonly rejects: boolean; readonly text: string },
): Promise<'prompt' | 'clipboard' | undefined> {
  const { t } = vscode.l10n;
  const { clipboard } = vscode.env;
  const copy = t('Copy Feedback');
  try {
    const location = vscode.ProgressLocation.Window;
    const title = t('Tandem: sending feedback');
    const sent = await vscode.window.withProgress({ location, title }, () =>
      desk.call('review.feedback', { id, rejects, ...(text.trim() !== '' && { text }) }),
    );
    const isCopied = sent.delivery === 'clipboard';
    if (isCopied) await clipboard.writeText(sent.text);
    const message = isCopied ? t('The feedback is on the clipboard. {0}', sent.note) : sent.note;
    void inform(message, copy).then(async (answer) => {
      if (answer === copy) await clipboard.writeText(sent.text);
    });
    return sent.delivery;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (text === '') void warn(error.message);
    // The input is closed: this is the only copy.
    else if ((await ask(error.message, text, t('Copy'))) !== undefined) await clipboard.writeText(text);
    return undefined;
  }
}
