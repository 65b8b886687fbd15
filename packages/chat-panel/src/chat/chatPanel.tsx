import { visibleName } from '@tandem/core';
import {
  ChevronRight,
  Circle,
  CircleCheck,
  CircleDot,
  CloudOff,
  Download,
  History,
  MessageSquarePlus,
  Pencil,
  Unplug,
  X,
} from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import {
  Banner,
  Button,
  IconButton,
  joinClasses,
  LiveRegion,
  RowButton,
  StatusDot,
} from '../primitives/index.js';
import type { ChatHost } from './chatHost.js';
import styles from './chatPanel.module.css';
import { chatTitle } from './chatWords.js';
import { Composer } from './composer.js';
import { withdrawQueued } from './draft.js';
import { exportMarkdown, exportName } from './exportMarkdown.js';
import { MessageList } from './messageList.js';
import {
  ChatContext,
  type PanelState,
  useChat,
  useChatState,
  useModel,
  usePanel,
  useSending,
} from './panelState.js';
import { RequestCards } from './requestCards.js';
import { EmptyChat, SessionList, SetupView } from './setupView.js';

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
  const asks = useModel((model) => model.pending.length > 0);
  const isOn = state === 'connected' || state === 'reconnecting';
  // After a disconnection the conversation stays readable while the same daemon is configured.
  const showsChat = !isStarting && hasSession && (isOn || (hasItems && hasDaemon));
  if (view === 'sessions' && state === 'connected') return <SessionList />;
  return (
    <div className={joinClasses('stack grow', styles.body)} data-asks={asks || undefined}>
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
              Retry
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

const statuses = {
  pending: { icon: Circle, text: 'to do' },
  in_progress: { icon: CircleDot, text: 'in progress' },
  completed: { icon: CircleCheck, text: 'done' },
};

/** The agent's plan as a checklist. Folded, it shows the progress and the current entry. */
function PlanList() {
  const plan = useModel((model) => model.plan);
  const [isOpen, setOpen] = useState(true);
  if (plan.length === 0) return null;
  const done = plan.filter(({ status }) => status === 'completed').length;
  const current = plan.find(({ status }) => status === 'in_progress');
  return (
    <section className={joinClasses('stack small', styles.section)} aria-label="Plan">
      <RowButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={14} className="chevron" aria-hidden="true" />
        <strong>Plan</strong>
        <span className="muted">
          {done} of {plan.length}
        </span>
        {!isOpen && current !== undefined && (
          <span className="muted truncate">{visibleName(current.content)}</span>
        )}
      </RowButton>
      {isOpen && (
        <ul className={styles.entries}>
          {plan.map(({ content, status }, index) => {
            const { icon: Icon, text } = statuses[status];
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a plan is replaced as a whole.
              <li key={index} className={styles.entry} data-status={status}>
                <Icon size={14} aria-hidden="true" />
                <span>
                  <span className="visually-hidden">{text}: </span>
                  {visibleName(content)}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

/** The messages that are sent after the running answer, the next one first. Each can be edited and removed. */
function QueuedPrompts() {
  const { host, panel } = useChat();
  const queued = useModel((model) => model.turn.queued);
  if (queued.length === 0) return null;
  return (
    <section
      className={joinClasses('stack small', styles.section, styles.queue)}
      aria-label="Queued messages"
    >
      <h3 className={joinClasses('muted', styles.sectionTitle)}>Queued messages</h3>
      <ol className={styles.entries}>
        {queued.map((prompt, index) => {
          const take = (way: 'edit' | 'remove'): void => {
            panel.focusComposer();
            void withdrawQueued(host, panel, prompt, way);
          };
          return (
            <li key={prompt.promptId} className="line">
              <p className={joinClasses('grow', styles.prompt)}>{prompt.text || 'An attachment'}</p>
              <IconButton
                icon={Pencil}
                label={`Edit queued message ${index + 1}`}
                onClick={() => take('edit')}
              />
              <IconButton
                icon={X}
                label={`Remove queued message ${index + 1}`}
                onClick={() => take('remove')}
              />
            </li>
          );
        })}
      </ol>
    </section>
  );
}
