import { X } from 'lucide-react';
import { IconButton } from '../primitives/button.js';
import { useChat, useModel, usePanel } from './chatContext.js';
import styles from './composer.module.css';
import { isPictureDoubtful, pictureObstacle } from './pictureObstacle.js';

/** The pictures that go along with the next message. */
export function DraftImages() {
  const images = usePanel((values) => values.images);
  if (images.length === 0) return null;
  return (
    <>
      <Pictures />
      <PictureNote />
    </>
  );
}

/** What becomes of the pictures, where that is not what the person expects. */
function PictureNote() {
  const obstacle = useModel(pictureObstacle);
  const isDoubtful = useModel(isPictureDoubtful);
  if (obstacle === undefined && !isDoubtful) return null;
  return (
    <p className={styles.pictureNote} role="status">
      {obstacle ?? 'The daemon does not say whether this model accepts pictures. Other models ignore them.'}
    </p>
  );
}

function Pictures() {
  const { panel } = useChat();
  const images = usePanel((values) => values.images);
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
