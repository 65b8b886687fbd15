import type { ChatModel } from '@tandem/chat/model';
import { visibleName } from '@tandem/core';
import { X } from 'lucide-react';
import { IconButton, joinClasses } from '../primitives/index.js';
import { useChat, useModel, usePanel } from './chatContext.js';
import styles from './chatPanel.module.css';
import type { DraftImage } from './panelState.js';

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
