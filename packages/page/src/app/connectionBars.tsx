import { Banner, Button } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { CloudOff, KeyRound, RefreshCw, RotateCcw, Unplug } from 'lucide-react';
import { useEffect, useState } from 'react';
import { CopyCommand, lostText } from '../agents/copyCommand.js';
import { useCommand, usePage, usePageState } from '../client/pageContext.js';
import type { PageState, RestartReport } from '../client/pageStore.js';
import type { PageAgent } from '../wire/index.js';
import { useShell } from './shell.js';

/** How long the report of a restart stays after its effects are gone. */
const afterwardsMs = 8_000;

/** Banners below the top bar: lost connection, restart, missing agents, new version. */
export function ConnectionBars() {
  const { host, store } = usePage();
  const { notices } = useShell();
  const command = useCommand();
  const connection = usePageState((state) => state.connection);
  const isKnown = usePageState((state) => state.host !== undefined);
  const restart = usePageState((state) => state.restart);
  const isFelt = usePageState((state) => restart !== undefined && isRestartFelt(restart, state));
  const build = usePageState((state) => state.host?.build);
  useEffect(() => {
    if (!isKnown) return;
    if (connection === 'lost') notices.announce('The companion cannot be reached. What you type is kept.');
    if (connection === 'open') notices.announce('Connected.');
  }, [connection, isKnown, notices]);
  useEffect(() => {
    if (restart === undefined || isFelt || restart.failed.length > 0) return;
    const timer = window.setTimeout(() => store.setState({ restart: undefined }), afterwardsMs);
    return () => window.clearTimeout(timer);
  }, [restart, isFelt, store]);
  return (
    <>
      {connection === 'lost' && (
        <Banner
          kind="warning"
          label="Connection"
          icon={CloudOff}
          actions={<Button onClick={() => host.retry()}>Retry</Button>}
        >
          <p>
            <strong>The companion cannot be reached.</strong> Reconnecting… What you type is kept. If it has
            ended, run <code>{command}</code> in its folder.
          </p>
        </Banner>
      )}
      {connection === 'refused' && (
        <Banner kind="warning" label="Connection" icon={KeyRound}>
          <p>
            <strong>This page's key is no longer valid:</strong> another program or another companion answers
            at this address. Copy unsaved text: it exists only here. Then run <code>{command} page</code> in a
            terminal and open the address that it prints.
          </p>
        </Banner>
      )}
      {restart !== undefined && (
        <Banner label="Message" icon={RotateCcw} onDismiss={() => store.setState({ restart: undefined })}>
          {describeRestart(restart)}
        </Banner>
      )}
      <LostAgentBars />
      {isOtherBuild(build) && (
        <Banner
          label="Message"
          icon={RefreshCw}
          actions={<Button onClick={() => location.reload()}>Reload</Button>}
        >
          Tandem was updated. Reload the page to use the new version.
        </Banner>
      )}
    </>
  );
}

/** Whether the host serves another build of the page. Neither is known while Tandem is being developed. */
function isOtherBuild(build: string | undefined): boolean {
  const own = document.querySelector<HTMLMetaElement>('meta[name="tandem-build"]')?.content ?? '';
  const isKnown = (value: string | undefined): value is string => !!value && !value.startsWith('__');
  return isKnown(own) && isKnown(build) && own !== build;
}

/**
 * One banner for each kind of agent that a restart of the companion has disconnected, with the command that reconnects
 * it. It stays until all sessions of its kind are back, or until it is dismissed.
 */
function LostAgentBars() {
  const agents = usePageState((state) => state.agents);
  const instance = usePageState((state) => state.host?.instance ?? '');
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set());
  const keyOf = (agent: PageAgent): string => `${instance} ${agent.id}`;
  return agents
    .filter((agent) => !dismissed.has(keyOf(agent)))
    .map((agent) => (
      <LostAgentBar
        key={keyOf(agent)}
        agent={agent}
        onDismiss={() => setDismissed((keys) => new Set([...keys, keyOf(agent)]))}
      />
    ));
}

interface LostAgentBarProps {
  readonly agent: PageAgent;
  readonly onDismiss: () => void;
}

function LostAgentBar({ agent: { displayName, lost }, onDismiss }: LostAgentBarProps) {
  const { notices } = useShell();
  const name = visibleName(displayName);
  const text = lost && lostText(name, lost.count);
  const connect = lost?.connect;
  useEffect(() => {
    if (text !== undefined) notices.announce(`${text} ${connect}`);
  }, [text, connect, notices]);
  if (text === undefined || connect === undefined) return null;
  return (
    <Banner
      kind="warning"
      label={`${name} has not reconnected`}
      icon={Unplug}
      actions={<CopyCommand command={connect} />}
      onDismiss={onDismiss}
      dismissLabel={`Dismiss: ${name} has not reconnected`}
    >
      {text}
    </Banner>
  );
}

/** Whether something that a restart left is still there: a pending review, an unsaved file, an interrupted text. */
export function isRestartFelt(
  { pendingIds, restored }: RestartReport,
  now: Pick<PageState, 'reviews' | 'documents' | 'interrupted' | 'keptHere'>,
): boolean {
  return (
    now.reviews.some(({ id, state }) => state === 'pending' && pendingIds.includes(id)) ||
    now.documents.some(({ label, isDirty }) => isDirty && restored.includes(label)) ||
    now.interrupted.length + now.keptHere.length > 0
  );
}

/** What a restart of the companion did to what was open here. */
export function describeRestart({ reviews, waiting, restored, failed }: RestartReport): string {
  const sentences = ['The companion was restarted.'];
  if (waiting === 1) sentences.push('One pending review was restored as you left it.');
  if (waiting > 1) sentences.push(`${waiting} pending reviews were restored as you left them.`);
  if (reviews === 1) sentences.push('One proposal has lost its agent. Your edits are kept.');
  if (reviews > 1) sentences.push(`${reviews} proposals have lost their agents. Your edits are kept.`);
  if (restored.length > 0)
    sentences.push(`Your unsaved changes are still here: ${restored.map(visibleName).join(', ')}.`);
  for (const { label, message } of failed) {
    sentences.push(
      `${visibleName(label)} could not be reopened: ${message} Your text is in Reviews, under Interrupted.`,
    );
  }
  if (reviews + waiting === 0 && restored.length === 0 && failed.length === 0)
    sentences.push('Nothing was lost.');
  return sentences.join(' ');
}
