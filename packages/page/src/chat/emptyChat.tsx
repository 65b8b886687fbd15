import { AtSign, MessagesSquare, Slash, SquarePen } from 'lucide-react';
import { useModel } from './chatContext.js';
import styles from './setupView.module.css';

/** A new chat: what it is for. */
export function EmptyChat() {
  const hasCommands = useModel((model) => model.commands.length > 0);
  return (
    <div className={styles.view}>
      <MessagesSquare size={36} className={styles.mark} aria-hidden="true" />
      <h3 className={styles.title}>What should Qwen do?</h3>
      <p className={styles.text}>
        It reads this folder, proposes changes and runs commands. Permissions are requested here.
      </p>
      <ul className={styles.hints}>
        <li>
          <AtSign size={14} aria-hidden="true" /> names a file or the selection
        </li>
        {hasCommands && (
          <li>
            <Slash size={14} aria-hidden="true" /> begins a command
          </li>
        )}
        <li>
          <SquarePen size={14} aria-hidden="true" /> changes open as reviews
        </li>
      </ul>
    </div>
  );
}
