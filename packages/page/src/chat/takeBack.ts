import type { ChatQueuedPrompt } from '@tandem/chat/model';
import type { ChatHost } from './chatHost.js';
import type { PanelState } from './panelState.js';
import { restoreDraft } from './sendDraft.js';

/** Removes a queued message; to be edited, it goes back into the composer with all that went along. Never rejects. */
export async function takeBack(
  host: Pick<ChatHost, 'unqueue'>,
  panel: PanelState,
  { promptId, text }: ChatQueuedPrompt,
  way: 'edit' | 'remove',
): Promise<void> {
  await panel.attempt('The message is still queued', async () => {
    if ((await host.unqueue(promptId)) === 'started') {
      panel.say('The message is not queued any more.');
      return;
    }
    if (way === 'edit') restoreDraft(panel, panel.sentAs(text) ?? { draft: text, images: [], mentions: [] });
    panel.say(way === 'edit' ? 'The message is back in the field.' : 'The message was removed.');
  });
}
