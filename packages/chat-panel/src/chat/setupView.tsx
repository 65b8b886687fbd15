import { visibleName } from '@tandem/core';
import {
  ArrowLeft,
  AtSign,
  LoaderCircle,
  MessageSquare,
  MessagesSquare,
  Play,
  Plug,
  ShieldAlert,
  Slash,
  SquarePen,
  TriangleAlert,
} from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import {
  Badge,
  Button,
  Card,
  EmptyState,
  Field,
  IconButton,
  joinClasses,
  RowButton,
} from '../primitives/index.js';
import { useLoaded } from '../primitives/loading.js';
import type { ChatHost } from './chatHost.js';
import styles from './chatPanel.module.css';
import { ago } from './chatWords.js';
import { useChat, useChatState, useModel, usePanel } from './panelState.js';

/** Shown without a connection: what to do, or what is in progress. */
export function SetupView() {
  const { host, panel } = useChat();
  const setup = useChatState((state) => state.setup);
  const link = useChatState((state) => state.link);
  const failure = usePanel((values) => values.failure);
  const { state, problem } = useModel((model) => model.connection);
  if (link === 'waiting') return <Progress>Connecting…</Progress>;
  if (setup.isStarting) return <Progress>Starting a daemon for this folder…</Progress>;
  if (state === 'connecting') {
    return <Progress>Connecting to {visibleName(setup.url ?? 'the daemon')}…</Progress>;
  }
  const { connecting, manageTrust } = host;
  const { obstacle } = setup;
  const message = problem?.message ?? setup.problem ?? failure;
  const canRetry = message !== undefined && setup.url !== undefined;
  return (
    <div className="stack grow" data-setup>
      <EmptyState
        mark={
          message === undefined ? (
            <MessagesSquare size={36} className={styles.mark} aria-hidden="true" />
          ) : (
            <TriangleAlert size={28} className={styles.warning} aria-hidden="true" />
          )
        }
        title={
          message === undefined
            ? 'Chat with Qwen Code'
            : (titles[problem?.kind ?? ''] ?? 'The chat is not connected')
        }
      >
        {message === undefined ? (
          <p>
            Ask about this folder, let Qwen change it, and decide here what it may do. The chat needs a
            daemon, <code>qwen serve</code>, on this machine.
          </p>
        ) : (
          <p role="alert">{visibleName(message)}</p>
        )}
        {obstacle !== undefined && (
          <p className="line">
            <ShieldAlert size={14} className={styles.warning} aria-hidden="true" /> {visibleName(obstacle)}
          </p>
        )}
        <div className={joinClasses('line wraps', styles.actions)}>
          {obstacle !== undefined && manageTrust !== undefined && (
            <Button
              kind="primary"
              onClick={() => void panel.attempt('Workspace Trust was not opened', () => manageTrust())}
            >
              Manage Workspace Trust
            </Button>
          )}
          {canRetry && (
            <Button
              kind="primary"
              onClick={() => void panel.attempt('Not connected', () => host.call('chat.reconnect', {}))}
            >
              Retry
            </Button>
          )}
          <Button
            kind={obstacle === undefined && !canRetry ? 'primary' : 'plain'}
            icon={Play}
            isDisabled={obstacle !== undefined}
            onClick={() => void panel.attempt('No daemon was started', () => host.call('chat.start', {}))}
          >
            Start a daemon for this folder
          </Button>
          {connecting.kind === 'native' && (
            <Button icon={Plug} onClick={() => void panel.attempt('Not connected', () => connecting.ask())}>
              Connect to a running daemon…
            </Button>
          )}
        </div>
        {connecting.kind === 'form' && (
          <details className={styles.details} open={problem?.kind === 'unauthorized' || undefined}>
            <summary className="line">
              <Plug size={14} aria-hidden="true" /> Connect to a running daemon
            </summary>
            <ConnectForm connect={connecting.connect} />
          </details>
        )}
      </EmptyState>
    </div>
  );
}

const titles: Readonly<Record<string, string>> = {
  not_loopback: 'The address is not on this machine',
  unreachable: 'No daemon answers',
  unauthorized: 'The daemon does not accept the token',
  workspace_mismatch: 'The daemon works in another folder',
  no_auth_configured: 'The daemon has no model',
  incompatible: 'The daemon is incompatible',
  session_not_found: 'The chat no longer exists',
  session_ended: 'The chat has ended',
  daemon_stopped: 'The daemon was stopped',
  not_started: 'The daemon did not start',
};

function Progress({ children }: { readonly children: ReactNode }) {
  return (
    <EmptyState role="status">
      <p className="line">
        <LoaderCircle size={16} className="spins" aria-hidden="true" />
        {children}
      </p>
    </EmptyState>
  );
}

type FormConnecting = Extract<ChatHost['connecting'], { kind: 'form' }>;

/** Asks for a daemon's address and token. The token goes to the host and is not stored here. */
function ConnectForm({ connect }: Pick<FormConnecting, 'connect'>) {
  const { panel } = useChat();
  const known = useChatState(({ setup }) => (setup.isOwn ? undefined : setup.url));
  // In the panel's state, because the form disappears while it connects.
  const typed = usePanel((values) => values.address);
  const url = typed ?? known ?? 'http://127.0.0.1:4170';
  const [token, setToken] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setToken('');
    void panel.attempt('Not connected', () => connect({ url: url.trim(), token }));
  };
  return (
    <Card as="form" className={styles.form} onSubmit={submit}>
      <Field
        label="Address"
        type="url"
        required
        spellCheck={false}
        autoComplete="off"
        value={url}
        onChange={(event) => panel.set({ address: event.target.value })}
        hint={
          <>
            The address that <code>qwen serve</code> prints. The daemon must run on this machine.
          </>
        }
      />
      <Field
        label="Token"
        type="password"
        autoComplete="off"
        value={token}
        placeholder="Empty if the daemon has none"
        onChange={(event) => setToken(event.target.value)}
        hint="The page does not store the token."
      />
      <Button kind="primary" type="submit">
        Connect
      </Button>
    </Card>
  );
}

/** A chat without messages: what it is for. */
export function EmptyChat() {
  const hasCommands = useModel((model) => model.commands.length > 0);
  return (
    <EmptyState
      mark={<MessagesSquare size={36} className={styles.mark} aria-hidden="true" />}
      title="What should Qwen do?"
    >
      <p>It reads this folder, proposes changes and runs commands. It asks for permission here.</p>
      <ul className={joinClasses('small', styles.hints)}>
        <li>
          <AtSign size={14} className={styles.mark} aria-hidden="true" /> names a file or the selection
        </li>
        {hasCommands && (
          <li>
            <Slash size={14} className={styles.mark} aria-hidden="true" /> begins a command
          </li>
        )}
        <li>
          <SquarePen size={14} className={styles.mark} aria-hidden="true" /> opens a change as a diff
        </li>
      </ul>
    </EmptyState>
  );
}

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
