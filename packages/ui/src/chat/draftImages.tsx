import { X } from 'lucide-react';
import { IconButton } from '../app/iconButton.js';
import { useChat, usePanel } from './chatContext.js';
import styles from './composer.module.css';

/** The pictures that go along with the next message. */
export function DraftImages() {
  const { panel } = useChat();
  const images = usePanel((values) => values.images);
  if (images.length === 0) return null;
  return (
    <ul className={styles.images} aria-label="Pictures to send">
      {images.map(({ key, mimeType, data }, index) => (
        <li key={key} className={styles.image}>
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
  );
}
