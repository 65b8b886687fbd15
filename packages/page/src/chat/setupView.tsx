import { visibleName } from '@tandem/core';
import { LoaderCircle, MessagesSquare, Play, Plug, ShieldAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../primitives/button.js';
import { useChat, useChatState, useModel, usePanel } from './chatContext.js';
import { ConnectForm } from './connectForm.js';
import styles from './setupView.module.css';

/** What stands in place of the conversation while there is none: what to do, or what goes on. */
export function SetupView() {
  const { host, panel } = useChat();
  const setup = useChatState((state) => state.setup);
  const link = useChatState((state) => state.link);
  const failure = usePanel((values) => values.failure);
  const { state, problem } = useModel((model) => model.connection);
  const start = (): void => void panel.attempt('No daemon was started', () => host.start());
  const manageTrust = async (): Promise<void> => host.manageTrust?.();
  if (link === 'waiting') return <Waiting>Connecting…</Waiting>;
  if (setup.isStarting) return <Waiting>Starting a daemon for this folder…</Waiting>;
  if (state === 'connecting')
    return <Waiting>Connecting to {visibleName(setup.url ?? 'the daemon')}…</Waiting>;
  const { connecting } = host;
  const { obstacle } = setup;
  const message = problem?.message ?? setup.problem ?? failure;
  return (
    <div className={styles.view} data-setup>
      {message === undefined ? (
        <>
          <MessagesSquare size={36} className={styles.mark} aria-hidden="true" />
          <h3 className={styles.title}>Chat with Qwen Code</h3>
          <p className={styles.text}>
            Ask about this folder, let Qwen change it, and decide here what it may do. It needs a daemon,{' '}
            <code>qwen serve</code>, on this machine.
          </p>
        </>
      ) : (
        <>
          <TriangleAlert size={28} className={styles.warning} aria-hidden="true" />
          <h3 className={styles.title}>{titles[problem?.kind ?? ''] ?? 'The chat is not connected'}</h3>
          <p className={styles.text} role="alert">
            {visibleName(message)}
          </p>
        </>
      )}
      {obstacle !== undefined && (
        <p className={styles.text}>
          <ShieldAlert size={14} className={styles.shield} aria-hidden="true" /> {visibleName(obstacle)}
        </p>
      )}
      <div className={styles.actions}>
        {obstacle !== undefined && host.manageTrust !== undefined && (
          <Button kind="primary" onClick={() => void panel.attempt('Nothing was opened', manageTrust)}>
            Manage Workspace Trust
          </Button>
        )}
        {message !== undefined && setup.url !== undefined && (
          <Button kind="primary" onClick={() => void panel.attempt('Not connected', () => host.reconnect())}>
            Try again
          </Button>
        )}
        <Button
          kind={
            obstacle === undefined && (message === undefined || setup.url === undefined) ? 'primary' : 'plain'
          }
          isDisabled={obstacle !== undefined}
          onClick={start}
        >
          <Play size={14} aria-hidden="true" />
          Start a daemon for this folder
        </Button>
        {connecting.kind === 'native' && (
          <Button onClick={() => void panel.attempt('Not connected', () => connecting.ask())}>
            <Plug size={14} aria-hidden="true" />
            Connect to a running daemon…
          </Button>
        )}
      </div>
      {connecting.kind === 'form' && (
        <details className={styles.details} open={problem?.kind === 'unauthorized' || undefined}>
          <summary>
            <Plug size={14} aria-hidden="true" /> Connect to a running daemon
          </summary>
          <ConnectForm connect={connecting.connect} />
        </details>
      )}
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
  session_not_found: 'The session no longer exists',
  session_ended: 'The session has ended',
  daemon_stopped: 'The daemon was stopped',
  not_started: 'The daemon did not start',
};

function Waiting({ children }: { readonly children: ReactNode }) {
  return (
    <p className={styles.waiting} role="status">
      <LoaderCircle size={16} className={styles.spinner} aria-hidden="true" />
      {children}
    </p>
  );
}
