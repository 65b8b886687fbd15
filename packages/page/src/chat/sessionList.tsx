import { visibleName } from '@tandem/core';
import { ArrowLeft, MessageSquare } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from '../primitives/button.js';
import type { ChatSession } from '../wire/index.js';
import { useChat, useModel } from './chatContext.js';
import { ago } from './chatWords.js';
import styles from './sessionList.module.css';

/** The daemon's sessions in this folder, the latest first, to go back to one. */
export function SessionList() {
  const { host, panel } = useChat();
  const current = useModel((model) => model.session?.id);
  const [sessions, setSessions] = useState<readonly ChatSession[]>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    let isGone = false;
    host.sessions().then(
      (found) => {
        if (!isGone) setSessions(found);
      },
      (error: unknown) => {
        if (!isGone) setFailure(error instanceof Error ? error.message : String(error));
      },
    );
    return () => {
      isGone = true;
    };
  }, [host]);
  const back = (): void => panel.focusComposer();
  const open = async (id: string): Promise<void> => {
    back();
    if (id !== current) await panel.attempt('The chat was not opened', () => host.openSession(id));
  };
  return (
    <section
      className={styles.view}
      aria-label="Chats"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        back();
      }}
    >
      <header className={styles.head}>
        <IconButton icon={ArrowLeft} label="Back to the chat" onClick={back} ref={focusOnce} />
        <h3 className={styles.title}>Chats in this folder</h3>
      </header>
      {failure !== undefined && (
        <p className={styles.empty} role="alert">
          The chats could not be listed: {failure}
        </p>
      )}
      {sessions?.length === 0 && <p className={styles.empty}>No chats yet.</p>}
      <ul className={styles.list}>
        {sessions?.map(({ id, title, updatedAt, isRunning, isWaiting }) => (
          <li key={id}>
            <button
              type="button"
              className={styles.session}
              aria-current={id === current ? 'true' : undefined}
              onClick={() => void open(id)}
            >
              <MessageSquare size={14} className={styles.icon} aria-hidden="true" />
              <span className={styles.name}>{visibleName(title)}</span>
              {isWaiting ? (
                <span className={styles.badge}>asks</span>
              ) : (
                isRunning && <span className={styles.badge}>running</span>
              )}
              {updatedAt !== undefined && <span className={styles.time}>{ago(updatedAt, Date.now())}</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function focusOnce(element: HTMLElement | null): void {
  element?.focus();
}
