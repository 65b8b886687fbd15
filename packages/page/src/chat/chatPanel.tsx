import { visibleName } from '@tandem/core';
import { CloudOff, TriangleAlert, X } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { Button, IconButton } from '../primitives/button.js';
import { Announcer } from './announcer.js';
import { ChatContext, useChat, useChatState, useModel, usePanel } from './chatContext.js';
import { ChatHeader } from './chatHeader.js';
import type { ChatHost } from './chatHost.js';
import styles from './chatPanel.module.css';
import { Composer } from './composer.js';
import { EmptyChat } from './emptyChat.js';
import { MessageList } from './messageList.js';
import type { PanelState } from './panelState.js';
import { PlanList } from './planList.js';
import { QueuedPrompts } from './queuedPrompts.js';
import { RequestCards } from './requestCards.js';
import { SessionList } from './sessionList.js';
import { SetupView } from './setupView.js';

interface ChatPanelProps {
  readonly host: ChatHost;
  /** Kept by whoever shows the panel, so that a draft outlives its closing. */
  readonly panel: PanelState;
  /** What stands at the end of the header, such as a button that closes the panel. */
  readonly children?: ReactNode;
}

/** A chat with a daemon. It knows neither a page nor an editor: what it needs of them is in its host. */
export function ChatPanel({ host, panel, children }: ChatPanelProps) {
  const services = useMemo(() => ({ host, panel }), [host, panel]);
  return (
    <ChatContext value={services}>
      <div className={styles.panel} data-chat>
        <ChatHeader>{children}</ChatHeader>
        <ChatBody />
        <Announcer />
      </div>
    </ChatContext>
  );
}

function ChatBody() {
  const { host, panel } = useChat();
  const view = usePanel((values) => values.view);
  const state = useModel((model) => model.connection.state);
  const problem = useModel((model) => model.connection.problem);
  const link = useChatState((each) => each.link);
  const hasItems = useModel((model) => model.items.length > 0);
  const hasSession = useModel((model) => model.session !== undefined);
  const isStarting = useChatState(({ setup }) => setup.isStarting);
  const hasDaemon = useChatState(({ setup }) => setup.url !== undefined);
  const isOn = state === 'connected' || state === 'reconnecting';
  // What was said stays to be read after the connection is gone, as long as its daemon is the one that is set.
  const showsChat = !isStarting && hasSession && (isOn || (hasItems && hasDaemon));
  if (view === 'sessions' && state === 'connected') return <SessionList />;
  if (!showsChat) {
    return (
      <div className={styles.body}>
        <SetupView />
      </div>
    );
  }
  return (
    <div className={styles.body}>
      {link === 'lost' && (
        <p className={styles.bar} role="status">
          <CloudOff size={14} aria-hidden="true" />
          The companion cannot be reached. Reconnecting…
        </p>
      )}
      {state === 'reconnecting' && link === 'open' && (
        <p className={styles.bar} role="status">
          <CloudOff size={14} aria-hidden="true" />
          The connection to the daemon was lost. Reconnecting…
        </p>
      )}
      {state === 'connecting' && <p className={styles.bar}>Connecting…</p>}
      {state === 'disconnected' && (
        <div className={styles.bar} role="alert">
          <TriangleAlert size={14} aria-hidden="true" />
          <span className={styles.barText}>{visibleName(problem?.message ?? 'Not connected.')}</span>
          <Button onClick={() => void panel.attempt('Not connected', () => host.reconnect())}>
            Connect again
          </Button>
        </div>
      )}
      <FailureBar />
      {hasItems ? <MessageList /> : <EmptyChat />}
      <PlanList />
      <QueuedPrompts />
      <RequestCards onDone={() => panel.focusComposer()} />
      <Composer />
    </div>
  );
}

/** What the person asked for and did not work. */
function FailureBar() {
  const { panel } = useChat();
  const failure = usePanel((values) => values.failure);
  if (failure === undefined) return null;
  return (
    <div className={styles.bar} data-kind="error">
      <TriangleAlert size={14} aria-hidden="true" />
      <span className={styles.barText}>{visibleName(failure)}</span>
      <IconButton icon={X} label="Dismiss" onClick={() => panel.set({ failure: undefined })} />
    </div>
  );
}
