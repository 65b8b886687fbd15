import { visibleName } from '@tandem/core';
import { TriangleAlert } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useShell } from '../app/shellContext.js';
import { agentsTab } from '../app/tabList.js';
import { usePageState } from '../client/pageContext.js';
import { Button } from '../primitives/button.js';
import type { PageAgent, PageSession } from '../wire/index.js';
import styles from './agentsView.module.css';
import { CopyCommand, lostText } from './copyCommand.js';
import { LastSpoke } from './lastSpoke.js';

const DiagnosisView = lazy(async () => ({
  default: (await import('./diagnosisView.js')).DiagnosisView,
}));
const TraceView = lazy(async () => ({ default: (await import('./traceView.js')).TraceView }));

type Part = 'agents' | 'diagnosis' | 'messages';

/** Every agent that the companion serves: those who are connected and what they wait for, and how to start the others. */
export function AgentsView() {
  const [part, setPart] = useState<Part>('agents');
  const { tabs } = useShell();
  const wish = useStore(tabs.state, (state) => state.wish);
  const view = useRef<HTMLElement>(null);
  useEffect(() => {
    if (wish?.key !== agentsTab.key) return;
    view.current?.focus();
    tabs.granted(wish.serial);
  }, [tabs, wish]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section ref={view} className={styles.view} aria-label="Agents" tabIndex={0} data-part={part}>
      <div className={styles.column}>
        <header className={styles.top}>
          <h2 className={styles.title}>Agents</h2>
          <PartButton part="agents" shown={part} onShow={setPart}>
            Overview
          </PartButton>
          <PartButton part="diagnosis" shown={part} onShow={setPart}>
            Diagnose
          </PartButton>
          <PartButton part="messages" shown={part} onShow={setPart}>
            Messages
          </PartButton>
        </header>
        <Suspense>
          {part === 'agents' && <AgentList />}
          {part === 'diagnosis' && <DiagnosisView />}
          {part === 'messages' && <TraceView />}
        </Suspense>
      </div>
    </section>
  );
}

interface PartButtonProps {
  readonly part: Part;
  readonly shown: Part;
  readonly onShow: (part: Part) => void;
  readonly children: ReactNode;
}

function PartButton({ part, shown, onShow, children }: PartButtonProps) {
  return (
    <Button isPressed={part === shown} onClick={() => onShow(part)}>
      {children}
    </Button>
  );
}

function AgentList() {
  const agents = usePageState((state) => state.agents);
  const connected = agents.filter(({ sessions }) => sessions.length > 0);
  const others = agents.filter(({ sessions }) => sessions.length === 0);
  return (
    <>
      <p className={styles.lead}>
        {connected.length === 0
          ? 'No agent is connected. Start one in a terminal with the command on its card.'
          : 'Connected agents see the file you work on, and their proposals appear here.'}
      </p>
      <ul className={styles.list}>
        {[...connected, ...others].map((agent) => (
          <AgentCard key={agent.id} agent={agent} />
        ))}
      </ul>
    </>
  );
}

/** One agent: its sessions, what it takes, and the command that starts it. */
function AgentCard({ agent }: { readonly agent: PageAgent }) {
  const isConnected = agent.sessions.length > 0;
  return (
    <li className={styles.card} data-agent={agent.id}>
      <header className={styles.header}>
        <span className={styles.mark} aria-hidden="true" />
        <h3 className={styles.name}>{visibleName(agent.displayName)}</h3>
        <span className={styles.state} data-connected={isConnected}>
          {isConnected ? 'Connected' : 'Not connected'}
        </span>
      </header>
      {agent.problem !== undefined && (
        <p className={styles.problem}>
          <TriangleAlert size={16} aria-hidden="true" />
          <span>{visibleName(agent.problem)}</span>
        </p>
      )}
      {agent.lost !== undefined && (
        <div className={styles.lost}>
          <p>{lostText(visibleName(agent.displayName), agent.lost.count)}</p>
          <CopyCommand command={agent.lost.connect} />
        </div>
      )}
      {agent.sessions.map((session) => (
        <SessionPart
          key={session.id}
          session={session}
          agent={agent.id}
          isNamed={agent.sessions.length > 1}
        />
      ))}
      {!isConnected && (
        <>
          <CopyCommand command={agent.command} />
          {agent.byHand !== undefined && (
            <p className={styles.byHand}>
              By hand, in this folder: <code className={styles.code}>{agent.byHand.command}</code>, then type{' '}
              <code className={styles.code}>{agent.byHand.connect}</code>
            </p>
          )}
        </>
      )}
    </li>
  );
}

interface SessionPartProps {
  readonly session: PageSession;
  readonly agent: string;
  /** Whether it takes its name to tell it from the agent's other sessions. */
  readonly isNamed: boolean;
}

function SessionPart({ session, agent, isNamed }: SessionPartProps) {
  const shell = useShell();
  const reviews = usePageState((state) => state.reviews);
  const waiting = reviews.filter(
    (review) => review.state === 'pending' && review.agent === agent && review.session === session.id,
  );
  const { client, name: sessionName } = session;
  const since = new Date(session.connectedAt);
  return (
    <div className={styles.session}>
      <p className={styles.facts}>
        {isNamed && <strong>{visibleName(sessionName)}</strong>}
        <span>
          {visibleName(client.name)} {visibleName(client.version)}
        </span>
        <span>
          since <time dateTime={since.toISOString()}>{clockTime(since)}</time>
        </span>
        {session.lastHeardAt !== undefined && <LastSpoke at={session.lastHeardAt} />}
        {session.pid !== undefined && <span>process {session.pid}</span>}
      </p>
      {waiting.length === 0 ? (
        <p className={styles.quiet}>No pending reviews.</p>
      ) : (
        <>
          <p className={styles.quiet}>Pending:</p>
          <ul className={styles.reviews}>
            {waiting.map((review) => (
              <li key={review.id}>
                <button
                  type="button"
                  className={styles.link}
                  onClick={() => shell.openReview(review.id, { takesFocus: true })}
                >
                  {visibleName(review.label)}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** The time of day; the day as well where it was another one. */
function clockTime(date: Date): string {
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}
