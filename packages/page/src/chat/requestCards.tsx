import { visibleName } from '@tandem/core';
import { CircleCheck, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { IconButton } from '../primitives/button.js';
import { answerRequest } from './answerRequest.js';
import { useChat, useModel, usePanel } from './chatContext.js';
import { PermissionCard, startledMs } from './permissionCard.js';
import { QuestionsCard } from './questionsCard.js';
import { RefusalCard } from './refusalCard.js';
import styles from './requestCards.module.css';

/**
 * What waits for an answer, the oldest first; one at a time is open. It never takes the focus by itself. Where the focus
 * was in a card that is gone, it goes on to the next one, or to where `onDone` puts it.
 */
export function RequestCards({ onDone }: { readonly onDone: () => void }) {
  const { host, panel } = useChat();
  const pending = useModel((model) => model.pending);
  const elsewhere = usePanel((values) => values.elsewhere);
  const [first] = pending;
  const area = useRef<HTMLElement>(null);
  const hadFocus = useRef(false);
  const firstId = first?.requestId;
  const last = useRef({ id: firstId, goneAt: Number.NEGATIVE_INFINITY });
  const { id: lastId, goneAt } = last.current;
  const isSudden = (lastId !== undefined && lastId !== firstId) || performance.now() - goneAt < startledMs;
  useEffect(() => {
    last.current.id = firstId;
    return () => {
      if (firstId !== undefined) last.current.goneAt = performance.now();
    };
  }, [firstId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another request took the place of the one with the focus.
  useEffect(() => {
    if (!hadFocus.current || area.current?.contains(document.activeElement)) return;
    hadFocus.current = false;
    // Somebody may have gone elsewhere meanwhile.
    if (document.activeElement !== document.body && document.activeElement !== null) return;
    const next = area.current?.querySelector<HTMLElement>('[data-first="true"]');
    if (next) next.focus();
    else onDone();
  }, [firstId]);
  if (first === undefined && elsewhere.length === 0) return null;
  return (
    <section
      ref={area}
      className={styles.area}
      aria-label="Waiting for your answer"
      onFocus={() => {
        hadFocus.current = true;
      }}
      onBlur={(event) => {
        // A browser tells of the focus that went with a card, without a place where it went to.
        if (event.relatedTarget !== null) hadFocus.current = false;
      }}
    >
      {elsewhere.map(({ requestId, title }) => (
        <p key={requestId} className={styles.elsewhere}>
          <CircleCheck size={14} aria-hidden="true" />
          <span className={styles.elsewhereText}>
            <strong>Answered elsewhere</strong> {visibleName(title)}
          </span>
          <IconButton icon={X} label="Dismiss" onClick={() => panel.dismissElsewhere(requestId)} />
        </p>
      ))}
      {first?.kind === 'permission' && (
        <PermissionCard
          key={first.requestId}
          request={first}
          more={pending.length - 1}
          isSudden={isSudden}
          onAnswer={(choice) => void answerRequest(host, panel, first, choice)}
        />
      )}
      {first?.kind === 'refused' && (
        <RefusalCard
          key={first.requestId}
          request={first}
          onReject={() => void answerRequest(host, panel, first, {})}
        />
      )}
      {first?.kind === 'questions' && (
        <QuestionsCard
          key={first.requestId}
          request={first}
          more={pending.length - 1}
          onAnswer={(choice) => void answerRequest(host, panel, first, choice)}
        />
      )}
    </section>
  );
}
