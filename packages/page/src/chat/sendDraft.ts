import type { ChatHost } from './chatHost.js';
import type { Draft, PanelState } from './panelState.js';
import { pictureObstacle } from './pictureObstacle.js';

/** Sends what stands in the composer, and puts it back where that fails. */
export async function sendDraft(host: Pick<ChatHost, 'state' | 'send'>, panel: PanelState): Promise<void> {
  const { draft, images, mentions, edited } = panel.values;
  const text = draft.trim();
  if (text === '' && images.length === 0) return;
  if (host.state.model.connection.state !== 'connected') {
    panel.say('Not connected');
    return;
  }
  const obstacle = images.length > 0 ? pictureObstacle(host.state.model) : undefined;
  if (obstacle !== undefined) {
    panel.say(obstacle);
    return;
  }
  // It is gone where the chat went back and the message could not be sent then.
  const replaced = edited === undefined ? undefined : host.state.model.items[edited];
  panel.clearDraft();
  panel.showEnd();
  let how: 'sent' | 'rewound' = 'sent';
  const isSent = await panel.attempt('The message was not sent', async () => {
    how = await host.send({
      text,
      // A mention whose token was taken out of the text is meant no more.
      mentions: mentions
        .filter(({ token }) => hasToken(text, token))
        .map(({ token: _token, ...mention }) => mention),
      images: images.map(({ mimeType, data }) => ({ mimeType, data })),
      ...(replaced?.promptId !== undefined && { replaces: replaced.promptId }),
    });
  });
  if (isSent) panel.keepSent({ draft, images, mentions });
  if (isSent && replaced !== undefined) tellEdit(panel, how);
  if (!isSent) restoreDraft(panel, { draft, images, mentions, edited });
}

/** Puts a message that was not sent, or was taken back, into the composer, before what the user typed there meanwhile. */
export function restoreDraft(panel: PanelState, unsent: Draft): void {
  const { draft, images, mentions } = panel.values;
  const isEmpty = draft.trim() === '' && images.length === 0;
  panel.set({
    draft: isEmpty
      ? unsent.draft
      : [unsent.draft.trimEnd(), draft].filter((part) => part !== '').join('\n\n'),
    images: [...unsent.images, ...images],
    mentions: [...unsent.mentions, ...mentions],
    // Both together answer no earlier message.
    ...(isEmpty && { edited: unsent.edited }),
  });
}

function tellEdit(panel: PanelState, how: 'sent' | 'rewound'): void {
  if (how === 'rewound') panel.say('The chat returned to your message.');
  else {
    const text = 'The chat could not return to that message. Yours was sent as a new one.';
    panel.set({ failure: text });
    panel.say(text);
  }
}

/** Whether the token stands by itself: `@a.ts` is no part of `@a.tsx`. */
export function hasToken(text: string, token: string): boolean {
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) {
    const next = text[at + token.length];
    if (next === undefined || /[\s,;!?)\]]/.test(next) || /^[.:](\s|$)/.test(text.slice(at + token.length)))
      return true;
  }
  return false;
}
