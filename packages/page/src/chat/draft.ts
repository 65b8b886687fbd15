import type { ChatQueuedPrompt } from '@tandem/chat/model';
import type { ChatHost, ChatSelection } from './chatHost.js';
import { mentionItem } from './completion.js';
import type { Draft, PanelState } from './panelState.js';
import { pictureObstacle } from './pictures.js';

/** Sends the draft, and restores it on failure. */
export async function sendDraft(host: Pick<ChatHost, 'state' | 'call'>, panel: PanelState): Promise<void> {
  const { draft, images, mentions, edited } = panel.values;
  const text = draft.trim();
  if (text === '' && images.length === 0) return;
  if (host.state.model.connection.state !== 'connected') {
    panel.announce('Not connected');
    return;
  }
  const obstacle = images.length > 0 ? pictureObstacle(host.state.model) : undefined;
  if (obstacle !== undefined) {
    panel.announce(obstacle);
    return;
  }
  // Read before sending: a rewind removes it.
  const replaced = edited === undefined ? undefined : host.state.model.items[edited];
  const sending = { text, items: host.state.model.items.length };
  panel.clearDraft();
  panel.set({ sending: [...panel.values.sending, sending] });
  panel.showEnd();
  let isRewound = false;
  const isSent = await panel.attempt('The message was not sent', async () => {
    ({ isRewound } = await host.call('chat.send', {
      text,
      // A mention without its token was deleted.
      mentions: mentions
        .filter(({ token }) => hasToken(text, token))
        .map(({ token: _token, ...mention }) => mention),
      images: images.map(({ mimeType, data }) => ({ mimeType, data })),
      ...(replaced?.promptId !== undefined && { replaces: replaced.promptId }),
    }));
  });
  panel.set({ sending: panel.values.sending.filter((each) => each !== sending) });
  if (isSent) panel.keepSent({ draft, images, mentions });
  if (isSent && replaced !== undefined) reportEdit(panel, isRewound);
  if (!isSent) restoreDraft(panel, { draft, images, mentions, edited });
}

/** Puts an unsent or removed message back into the composer, before the text that the user typed meanwhile. */
function restoreDraft(panel: PanelState, unsent: Draft): void {
  const { draft, images, mentions } = panel.values;
  const isEmpty = draft.trim() === '' && images.length === 0;
  panel.set({
    draft: isEmpty
      ? unsent.draft
      : [unsent.draft.trimEnd(), draft].filter((part) => part !== '').join('\n\n'),
    images: [...unsent.images, ...images],
    mentions: [...unsent.mentions, ...mentions],
    // A combined draft edits no earlier message.
    ...(isEmpty && { edited: unsent.edited }),
  });
}

function reportEdit(panel: PanelState, isRewound: boolean): void {
  if (isRewound) panel.announce('The chat returned to your message.');
  else {
    const text = 'The chat could not return to that message. Your edit was sent as a new message.';
    panel.set({ failure: text });
    panel.announce(text);
  }
}

/** Whether the text contains the token as a whole: `@a.ts` is not in `@a.tsx`. */
export function hasToken(text: string, token: string): boolean {
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) {
    const next = text[at + token.length];
    if (next === undefined || /[\s,;!?)\]]/.test(next) || /^[.:](\s|$)/.test(text.slice(at + token.length)))
      return true;
  }
  return false;
}

/** Removes a queued message. To edit it, puts it back into the composer with its attachments. Never rejects. */
export async function withdrawQueued(
  host: Pick<ChatHost, 'call'>,
  panel: PanelState,
  { promptId, text }: ChatQueuedPrompt,
  way: 'edit' | 'remove',
): Promise<void> {
  await panel.attempt('The message was not removed from the queue', async () => {
    const { isRemoved } = await host.call('chat.unqueue', { id: promptId });
    if (!isRemoved) {
      panel.announce('The message is no longer queued.');
      return;
    }
    if (way === 'edit') restoreDraft(panel, panel.sentAs(text) ?? { draft: text, images: [], mentions: [] });
    panel.announce(way === 'edit' ? 'The message is back in the field.' : 'The message was removed.');
  });
}

/** Adds a mention at the end of the draft and moves the cursor behind it. */
export function mentionInDraft(panel: PanelState, selection: ChatSelection): void {
  const { insert, mention } = mentionItem(selection);
  const { draft, mentions } = panel.values;
  const token = insert.trimEnd();
  const isApart = draft === '' || /\s$/.test(draft);
  panel.set({
    view: 'chat',
    draft: `${draft}${isApart ? '' : ' '}${insert}`,
    mentions: [...mentions.filter((each) => each.token !== token), { ...mention, token }],
  });
  panel.focusComposer();
}
