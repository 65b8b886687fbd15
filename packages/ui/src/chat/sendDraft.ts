import type { ChatHost } from './chatHost.js';
import type { PanelState } from './panelState.js';

/** Sends what stands in the composer, and puts it back where that fails. */
export async function sendDraft(host: ChatHost, panel: PanelState): Promise<void> {
  const { draft, images, mentions, edited } = panel.values;
  const text = draft.trim();
  if (text === '' && images.length === 0) return;
  if (host.state.model.connection.state !== 'connected') {
    panel.say('Not connected');
    return;
  }
  panel.clearDraft();
  panel.showEnd();
  const isSent = await panel.attempt('The message was not sent', () =>
    host.send({
      text,
      // A mention whose token was taken out of the text is meant no more.
      mentions: mentions
        .filter(({ token }) => hasToken(text, token))
        .map(({ token: _token, ...mention }) => mention),
      images: images.map(({ mimeType, data }) => ({ mimeType, data })),
    }),
  );
  const { draft: typed, images: added } = panel.values;
  if (!isSent && typed === '' && added.length === 0) panel.set({ draft, images, mentions, edited });
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
