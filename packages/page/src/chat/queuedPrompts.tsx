import type { ChatQueuedPrompt } from '@tandem/chat/model';
import { Pencil, X } from 'lucide-react';
import { IconButton } from '../primitives/button.js';
import { useChat, useModel } from './chatContext.js';
import styles from './queuedPrompts.module.css';
import { takeBack } from './takeBack.js';

/** The messages that are sent after the running answer, the next one first. Each can be read, edited and removed. */
export function QueuedPrompts() {
  const queued = useModel((model) => model.turn.queued);
  if (queued.length === 0) return null;
  return (
    <section className={styles.queue} aria-label="Sent after this answer">
      <h3 className={styles.head}>Sent after this answer</h3>
      <ol className={styles.list}>
        {queued.map((prompt, index) => (
          <Queued key={prompt.promptId} prompt={prompt} number={index + 1} />
        ))}
      </ol>
    </section>
  );
}

function Queued({ prompt, number }: { readonly prompt: ChatQueuedPrompt; readonly number: number }) {
  const { host, panel } = useChat();
  const take = (way: 'edit' | 'remove'): void => {
    panel.focusComposer();
    void takeBack(host, panel, prompt, way);
  };
  return (
    <li className={styles.prompt}>
      <p className={styles.text}>{prompt.text || 'An attachment'}</p>
      <IconButton icon={Pencil} label={`Edit waiting message ${number}`} onClick={() => take('edit')} />
      <IconButton icon={X} label={`Remove waiting message ${number}`} onClick={() => take('remove')} />
    </li>
  );
}
