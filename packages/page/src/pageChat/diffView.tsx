import { isWholeChange } from '@tandem/chat/model';
import {
  answerRequest,
  ChatContext,
  type ChatDiff,
  PermissionOptions,
  useChat,
  useModel,
} from '@tandem/chat-panel';
import { diffRows } from '@tandem/chat-panel/code';
import { Badge, ChangeCounts, EmptyState, joinClasses, Spacer } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import { useFocusRequest, useShell } from '../app/shell.js';
import type { Tab } from '../app/tabList.js';
import { Comparison } from '../documents/comparison.js';
import styles from '../documents/documents.module.css';
import { pageChat } from './pageChat.js';

/** A read-only diff of the chat, because the daemon accepts an answer but no other text. Also answers its pending permission. */
export function DiffView({ tab }: { readonly tab: Tab }) {
  const shell = useShell();
  const services = pageChat(shell);
  const diff = useStore(shell.state, (state) => state.diffs[tab.key]);
  if (diff === undefined)
    return (
      <EmptyState>
        <p>This change is no longer available after a reload.</p>
      </EmptyState>
    );
  return (
    <ChatContext value={services}>
      <Diff tabKey={tab.key} diff={diff} />
    </ChatContext>
  );
}

function Diff({ tabKey, diff }: { readonly tabKey: string; readonly diff: ChatDiff }) {
  const view = useRef<HTMLElement>(null);
  useFocusRequest(tabKey, () => view.current?.focus());
  const { host, panel } = useChat();
  const { path, oldText = '', newText, toolCallId } = diff;
  const label = visibleName(host.labelOf(path));
  const counts = useMemo(() => diffRows(oldText, newText, 0), [oldText, newText]);
  const asked = useModel(({ pending }) =>
    // The agent chooses the call's id, so the request must also consist of exactly this diff.
    pending.find(
      (request) =>
        request.kind === 'permission' && request.toolCallId === toolCallId && isWholeChange(request, diff),
    ),
  );
  const card = useModel(({ items }) =>
    items.findLast((item) => item.kind === 'tool' && item.toolCallId === toolCallId),
  );
  const state =
    card?.kind !== 'tool' || asked !== undefined
      ? undefined
      : card.decision?.isAllowed === false
        ? 'Rejected'
        : card.status === 'completed'
          ? 'Written'
          : undefined;
  return (
    <section
      ref={view}
      tabIndex={-1}
      className={joinClasses('stack', styles.view)}
      aria-label={`Change to ${label}, from the chat`}
    >
      <header className={joinClasses('line wraps', styles.head)}>
        <h2 title={visibleName(path)}>{label}</h2>
        {diff.oldText === undefined && <Badge>New file</Badge>}
        <ChangeCounts change={counts} />
        {state !== undefined && <Badge>{state}</Badge>}
        <Spacer />
        <span className="muted small">From the chat; read only</span>
      </header>
      {asked?.kind === 'permission' && (
        <fieldset className={styles.permission} aria-label="Permission">
          <PermissionOptions
            request={asked}
            onAnswer={(choice) => void answerRequest(host, panel, asked, choice)}
          />
        </fieldset>
      )}
      <Comparison
        path={path}
        before={diff.oldText}
        after={newText}
        beforeLabel={`Before: ${label}`}
        afterLabel={`After: ${label}`}
      />
    </section>
  );
}
