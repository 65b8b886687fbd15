import { Button, Card, EmptyState, joinClasses, KeyHint } from '@tandem/chat-panel/primitives';
import type { ReactNode } from 'react';
import { servedCommand, useCommand, usePageState } from '../client/pageContext.js';
import styles from './frame.module.css';
import { useShell } from './shell.js';

/** Tandem's logo. */
export function TandemMark({ size = 22 }: { readonly size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#4f46e5" />
      <g fill="none" stroke="#fff" strokeWidth="2.6">
        <circle cx="10.5" cy="19.5" r="5" />
        <circle cx="21.5" cy="19.5" r="5" />
        <path d="M10.5 19.5 14 10h5.5M21.5 19.5 18 10" strokeWidth="2.2" strokeLinecap="round" />
      </g>
    </svg>
  );
}

/** Replaces the page when it has no key for its companion, or an invalid one. */
export function StartHelp({ isRefused }: { readonly isRefused: boolean }) {
  const command = servedCommand();
  return (
    <LonePage
      title={isRefused ? 'This address is no longer valid' : 'This page needs its key'}
      lead={
        isRefused
          ? 'The companion was restarted and has a different key.'
          : 'The key is part of the address that Tandem prints.'
      }
      end={
        <>
          If it says that no companion is running, start one: <code>{command}</code>
        </>
      }
    >
      <li>
        In a terminal, go to your project folder and run <code>{command} page</code>.
      </li>
      <li>Open the address that it prints.</li>
    </LonePage>
  );
}

/** The last page of the demo, whose companion has ended. */
export function DemoEnd() {
  const command = useCommand();
  return (
    <LonePage
      title="The demo is over"
      lead="The agent received your decisions, and the scratch folder was removed. None of your files were touched."
      end="You can close this tab."
    >
      <li>
        In your own project, run <code>{command}</code>
      </li>
      <li>Connect an agent with one of the commands that it prints.</li>
      <li>Ask the agent for a change, and review it in a page like this one.</li>
    </LonePage>
  );
}

interface LonePageProps {
  readonly title: string;
  readonly lead: string;
  /** Numbered steps. */
  readonly children: ReactNode;
  readonly end: ReactNode;
}

function LonePage({ title, lead, children, end }: LonePageProps) {
  return (
    <main className={joinClasses('scrolls', styles.lone)}>
      <Card>
        <TandemMark size={40} />
        <h1>{title}</h1>
        <p className="muted">{lead}</p>
        <ol>{children}</ol>
        <p className="muted">{end}</p>
      </Card>
    </main>
  );
}

/** Shown while no tab is open: the next step. */
export function Welcome() {
  const shell = useShell();
  const isConnected = usePageState(({ host }) => host !== undefined);
  const isListed = usePageState((state) => state.isListed);
  const pending = usePageState(({ reviews }) => reviews.filter(({ state }) => state === 'pending').length);
  const hasAgent = usePageState(({ agents }) => agents.some(({ sessions }) => sessions.length > 0));
  const name = useCommand();
  const command = usePageState(({ agents }) => agents[0]?.command) ?? `${name} run claude`;
  if (!isListed) {
    return (
      <EmptyState role="status">
        <p className="delayed">{isConnected ? 'Loading…' : 'Connecting to the companion…'}</p>
      </EmptyState>
    );
  }
  const title =
    pending > 0
      ? `${pending} pending ${pending === 1 ? 'review' : 'reviews'}`
      : hasAgent
        ? 'Nothing to review'
        : 'No agent is connected';
  return (
    <EmptyState mark={<TandemMark size={44} />} title={title}>
      {pending > 0 ? (
        <Button kind="primary" onClick={() => shell.stepReview(1)}>
          Review
        </Button>
      ) : hasAgent ? (
        <p>
          Ask your agent to change a file: its proposal appears here. Your agent sees which file you open and
          what you select in it.
        </p>
      ) : (
        <>
          <p>
            Start one in a terminal: <code>{command}</code>
          </p>
          <Button onClick={() => shell.showAgents()}>Show all agents</Button>
        </>
      )}
      <dl className={styles.hints}>
        <dt>Quick open</dt>
        <dd>
          <KeyHint keys="Mod+P" />
        </dd>
        <dt>Next review</dt>
        <dd>
          <KeyHint keys="Alt+PageDown" />
        </dd>
        <dt>Keyboard shortcuts</dt>
        <dd>
          <KeyHint keys="F1" />
        </dd>
      </dl>
    </EmptyState>
  );
}
