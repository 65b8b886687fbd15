import type { ChatRequest } from '@tandem/chat/model';
import { visibleName } from '@tandem/core';
import { useEffect, useRef } from 'react';
import { Banner, joinClasses } from '../primitives/index.js';
import styles from './cards.module.css';
import { useChat, useModel, usePanel } from './chatContext.js';
import type { ChatAnswerChoice, ChatHost } from './chatHost.js';
import { requestTitle } from './chatWords.js';
import type { PanelState } from './panelState.js';
import { PermissionCard, protectedMs, RefusalCard } from './permissionCard.js';
import { QuestionsCard } from './questionsCard.js';

/**
 * The oldest pending request. It never takes the focus. If the focus was in a card that disappears, it moves to the next
 * card, or `onDone` moves it.
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
  const replacesCard =
    (lastId !== undefined && lastId !== firstId) || performance.now() - goneAt < protectedMs;
  useEffect(() => {
    last.current.id = firstId;
    return () => {
      if (firstId !== undefined) last.current.goneAt = performance.now();
    };
  }, [firstId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another request replaces the focused one.
  useEffect(() => {
    if (!hadFocus.current || area.current?.contains(document.activeElement)) return;
    hadFocus.current = false;
    // The user may have moved the focus meanwhile.
    if (document.activeElement !== document.body && document.activeElement !== null) return;
    const next = area.current?.querySelector<HTMLElement>('[data-first="true"]');
    if (next) next.focus();
    else onDone();
  }, [firstId]);
  if (first === undefined && elsewhere.length === 0) return null;
  const answer = (choice: ChatAnswerChoice): void => {
    if (first !== undefined) void answerRequest(host, panel, first, choice);
  };
  const shared = { more: pending.length - 1, onAnswer: answer };
  return (
    <section
      ref={area}
      className={joinClasses('stack', styles.area)}
      aria-label="Waiting for your answer"
      onFocus={() => {
        hadFocus.current = true;
      }}
      onBlur={(event) => {
        // Without a related target, the focused card was removed.
        if (event.relatedTarget !== null) hadFocus.current = false;
      }}
    >
      {elsewhere.map(({ requestId, title }) => (
        <Banner key={requestId} kind="good" shape="inset" onDismiss={() => panel.dismissElsewhere(requestId)}>
          <strong>Answered elsewhere</strong> {visibleName(title)}
        </Banner>
      ))}
      {first?.kind === 'permission' && (
        <PermissionCard {...shared} key={firstId} request={first} replacesCard={replacesCard} />
      )}
      {first?.kind === 'refused' && <RefusalCard {...shared} key={firstId} request={first} />}
      {first?.kind === 'questions' && <QuestionsCard {...shared} key={firstId} request={first} />}
    </section>
  );
}

/** Answers a request. Shows if another client was first or the answer was not sent. Never rejects. */
export async function answerRequest(
  host: ChatHost,
  panel: PanelState,
  request: ChatRequest,
  choice: ChatAnswerChoice,
): Promise<void> {
  const { requestId } = request;
  panel.markAnswered(requestId);
  await panel.attempt('The answer was not sent', async () => {
    const { isElsewhere } = await host.call('chat.answer', { requestId, ...choice });
    if (isElsewhere) panel.showElsewhere({ requestId, title: requestTitle(request) });
  });
}
