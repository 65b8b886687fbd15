import { visibleName } from '@tandem/core';
import { CloudOff, Download, History, MessageSquarePlus, Unplug } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { Banner, Button, IconButton, joinClasses, LiveRegion, StatusDot } from '../primitives/index.js';
import { PlanList, QueuedPrompts } from './aboveComposer.js';
import { ChatContext, useChat, useChatState, useModel, usePanel, useSending } from './chatContext.js';
import type { ChatHost } from './chatHost.js';
import styles from './chatPanel.module.css';
import { chatTitle } from './chatWords.js';
import { Composer } from './composer.js';
import { exportMarkdown, exportName } from './exportMarkdown.js';
import { MessageList } from './messageList.js';
import type { PanelState } from './panelState.js';
import { RequestCards } from './requestCards.js';
import { SessionList } from './sessionList.js';
import { EmptyChat, SetupView } from './setupView.js';

interface ChatPanelProps {
  readonly host: ChatHost;
  /** Owned by the caller, so that a draft survives closing the panel. */
  readonly panel: PanelState;
  /** Controls at the end of the header, such as a close button. */
  readonly children?: ReactNode;
}

/** A chat with a daemon. Its host provides what it needs of a page or an editor. */
export function ChatPanel({ host, panel, children }: ChatPanelProps) {
  const services = useMemo(() => ({ host, panel }), [host, panel]);
  return (
    <ChatContext value={services}>
      <div className={joinClasses('stack grow', styles.panel)} data-chat>
        <ChatHeader>{children}</ChatHeader>
        <ChatBody />
        <Announcer />
      </div>
    </ChatContext>
  );
}

const states = {
  connected: { text: 'Connected', dot: 'good' },
  connecting: { text: 'Connecting', dot: 'pending' },
  reconnecting: { text: 'Reconnecting', dot: 'bad' },
  disconnected: { text: 'Not connected', dot: 'pending' },
} as const;

function ChatHeader({ children }: { readonly children?: ReactNode }) {
  const { host, panel } = useChat();
  const title = visibleName(useModel(chatTitle));
  const connection = useModel((model) => model.connection.state);
  const hasItems = useModel((model) => model.items.length > 0);
  const url = useChatState(({ setup }) => setup.url);
  const { text, dot } = states[connection];
  const start = async (): Promise<void> => {
    if (await panel.attempt('No new chat was started', () => host.call('chat.new', {})))
      panel.focusComposer();
  };
  const save = (): void => {
    const { model } = host.state;
    void panel.attempt('The chat was not saved', () =>
      host.saveText(exportName(model), exportMarkdown(model)),
    );
  };
  return (
    <header className={joinClasses('line', styles.header)}>
      <span className="line" title={url && `${text}: ${url}`}>
        <StatusDot state={dot} />
      </span>
      <h2 className="grow truncate" title={title}>
        {title}
        <span className="visually-hidden">, {text}</span>
      </h2>
      {connection === 'connected' && (
        <>
          <IconButton icon={MessageSquarePlus} label="New chat" onClick={() => void start()} />
          <IconButton
            icon={History}
            label="Chats in this folder"
            onClick={() => panel.set({ view: 'sessions' })}
          />
        </>
      )}
      {hasItems && <IconButton icon={Download} label="Save the chat as markdown" onClick={save} />}
      {url !== undefined && (
        <IconButton
          icon={Unplug}
          label="Disconnect from the daemon"
          onClick={() =>
            void panel.attempt('The chat was not disconnected', () => host.call('chat.disconnect', {}))
          }
        />
      )}
      {children}
    </header>
  );
}

function ChatBody() {
  const { panel } = useChat();
  const isSending = useSending().length > 0;
  const view = usePanel((values) => values.view);
  const state = useModel((model) => model.connection.state);
  const hasItems = useModel((model) => model.items.length > 0);
  const hasSession = useModel((model) => model.session !== undefined);
  const isStarting = useChatState(({ setup }) => setup.isStarting);
  const hasDaemon = useChatState(({ setup }) => setup.url !== undefined);
  const isOn = state === 'connected' || state === 'reconnecting';
  // After a disconnection the conversation stays readable while the same daemon is configured.
  const showsChat = !isStarting && hasSession && (isOn || (hasItems && hasDaemon));
  if (view === 'sessions' && state === 'connected') return <SessionList />;
  return (
    <div className="stack grow">
      {showsChat ? (
        <>
          <ConnectionBanner />
          <FailureBanner />
          {hasItems || isSending ? <MessageList /> : <EmptyChat />}
          <PlanList />
          <QueuedPrompts />
          <RequestCards onDone={() => panel.focusComposer()} />
          <Composer />
        </>
      ) : (
        <SetupView />
      )}
    </div>
  );
}

function ConnectionBanner() {
  const { host, panel } = useChat();
  const { state, problem } = useModel((model) => model.connection);
  const link = useChatState((each) => each.link);
  const lost =
    link === 'lost'
      ? 'The companion cannot be reached. Reconnecting…'
      : state === 'reconnecting'
        ? 'The connection to the daemon was lost. Reconnecting…'
        : undefined;
  return (
    <>
      {lost !== undefined && (
        <Banner kind="warning" icon={CloudOff} role="status">
          {lost}
        </Banner>
      )}
      {state === 'connecting' && <Banner>Connecting…</Banner>}
      {state === 'disconnected' && (
        <Banner
          kind="warning"
          role="alert"
          actions={
            <Button
              onClick={() => void panel.attempt('Not connected', () => host.call('chat.reconnect', {}))}
            >
              Connect again
            </Button>
          }
        >
          {visibleName(problem?.message ?? 'Not connected.')}
        </Banner>
      )}
    </>
  );
}

function FailureBanner() {
  const { panel } = useChat();
  const failure = usePanel((values) => values.failure);
  if (failure === undefined) return null;
  return (
    <Banner kind="error" onDismiss={() => panel.set({ failure: undefined })}>
      {visibleName(failure)}
    </Banner>
  );
}

/** Announces events to screen readers: the end of an answer, not each of its words. */
export function Announcer() {
  const announcement = usePanel((values) => values.announcement);
  return <LiveRegion label="Chat" announcement={announcement} />;
}
