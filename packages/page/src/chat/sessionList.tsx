import { visibleName } from '@tandem/core';
import { ArrowLeft, MessageSquare } from 'lucide-react';
import { useLoaded } from '../client/loading.js';
import { Badge, IconButton, joinClasses, RowButton } from '../primitives/index.js';
import { useChat, useModel } from './chatContext.js';
import styles from './chatPanel.module.css';
import { ago } from './chatWords.js';

/** The daemon's sessions in this folder, the latest first. */
export function SessionList() {
  const { host, panel } = useChat();
  const current = useModel((model) => model.session?.id);
  const { value, failure } = useLoaded(() => host.call('chat.sessions', {}), [host]);
  const sessions = value?.sessions;
  const back = (): void => panel.focusComposer();
  const open = async (id: string): Promise<void> => {
    back();
    if (id !== current) await panel.attempt('The chat was not opened', () => host.call('chat.open', { id }));
  };
  return (
    <section
      className="stack grow"
      aria-label="Chats"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        back();
      }}
    >
      <header className={joinClasses('line', styles.header)}>
        <IconButton icon={ArrowLeft} label="Back to the chat" onClick={back} ref={focusOnce} />
        <h3>Chats in this folder</h3>
      </header>
      {failure !== undefined && (
        <p className={styles.message} role="alert">
          The chats could not be listed: {failure}
        </p>
      )}
      {sessions?.length === 0 && <p className={styles.message}>No chats yet.</p>}
      <ul className={joinClasses('grow scrolls', styles.sessions)}>
        {sessions?.map(({ id, title, updatedAt, isRunning, isWaiting }) => (
          <li key={id}>
            <RowButton
              icon={MessageSquare}
              aria-current={id === current ? 'true' : undefined}
              onClick={() => void open(id)}
            >
              <span className="grow truncate">{visibleName(title)}</span>
              {isWaiting ? <Badge>needs your answer</Badge> : isRunning && <Badge>running</Badge>}
              {updatedAt !== undefined && <span className="muted small">{ago(updatedAt, Date.now())}</span>}
            </RowButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

function focusOnce(element: HTMLElement | null): void {
  element?.focus();
}
