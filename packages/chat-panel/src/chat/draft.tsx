import type { ChatModel, ChatQueuedPrompt } from '@tandem/chat/model';
import { visibleName } from '@tandem/core';
import { X } from 'lucide-react';
import { IconButton, joinClasses } from '../primitives/index.js';
import type { ChatHost, ChatSelection } from './chatHost.js';
import styles from './chatPanel.module.css';
import { mentionItem } from './completion.js';
import type { Draft, DraftImage, PanelState } from './panelState.js';
import { useChat, useModel, usePanel } from './panelState.js';

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

/** The pictures of the next message, with a note if the model may not receive them. */
export function DraftImages() {
  const { panel } = useChat();
  const images = usePanel((values) => values.images);
  const takesImages = useModel((model) => currentModel(model)?.takesImages);
  const obstacle = useModel(pictureObstacle);
  if (images.length === 0) return null;
  return (
    <>
      <ul className={joinClasses('line wraps', styles.pictures)} aria-label="Pictures to send">
        {images.map(({ key, mimeType, data }, index) => (
          <li key={key} className={styles.picture}>
            <img src={`data:${mimeType};base64,${data}`} alt={`Number ${index + 1}`} />
            <IconButton
              icon={X}
              label={`Remove picture ${index + 1}`}
              className={styles.remove}
              onClick={() => panel.set({ images: images.filter((image) => image.key !== key) })}
            />
          </li>
        ))}
      </ul>
      {takesImages !== true && (
        <p className={joinClasses('muted small', styles.note)} role="status">
          {obstacle ??
            'The daemon does not report whether this model accepts pictures. A model that does not ignores them.'}
        </p>
      )}
    </>
  );
}

/** Why the current model receives no pictures. Undefined if it does or the daemon does not report it. */
export function pictureObstacle(model: ChatModel): string | undefined {
  const chosen = currentModel(model);
  if (chosen?.takesImages !== false) return undefined;
  return `${visibleName(chosen.name)} does not accept pictures, according to the daemon. Choose another model to send one.`;
}

function currentModel({ models }: ChatModel) {
  return models.available.find(({ id }) => id === models.current);
}

export const pictureTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** All providers refuse larger pictures. */
const mostBytes = 8 * 1024 * 1024;
let lastKey = 0;

/** Reads pictures for a prompt. Rejects with a message for the user. */
export function readPictures(files: readonly File[]): Promise<readonly DraftImage[]> {
  return Promise.all(
    files.map(async (file) => {
      if (!pictureTypes.includes(file.type))
        throw new Error(`${file.name} is not a PNG, JPEG, GIF or WebP file.`);
      if (file.size > mostBytes) throw new Error(`${file.name} is larger than 8 MB.`);
      lastKey += 1;
      return { key: lastKey, mimeType: file.type, data: await readBase64(file) };
    }),
  );
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`, { cause: reader.error }));
    reader.readAsDataURL(file);
  });
}
