import { Badge, Banner, Button, Card, joinClasses, List } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { hookModes, hookWords } from '@tandem/reviews';
import { lazy, Suspense, useRef, useState } from 'react';
import { useFocusRequest, useShell } from '../app/shell.js';
import { agentsTab } from '../app/tabList.js';
import { usePage, usePageState } from '../client/pageContext.js';
import { AgentName, Since, useNow } from '../review/reviewParts.js';
import { hasConflict } from '../review/reviewWords.js';
import type { PageAgent, PageSession } from '../wire/index.js';
import styles from './agents.module.css';
import { CopyCommand, lostText } from './copyCommand.js';

const DiagnosisView = lazy(async () => ({
  default: (await import('./diagnosisView.js')).DiagnosisView,
}));
const TraceView = lazy(async () => ({ default: (await import('./traceView.js')).TraceView }));

type Part = 'agents' | 'diagnosis' | 'messages';

/** All agents: the connected ones with their sessions, and how to start the others. */
export function AgentsView() {
  const [part, setPart] = useState<Part>('agents');
  const view = useRef<HTMLElement>(null);
  useFocusRequest(agentsTab.key, () => view.current?.focus());
  const partButton = (name: Part, text: string) => (
    <Button isPressed={name === part} onClick={() => setPart(name)}>
      {text}
    </Button>
  );
  return (
    <section
      ref={view}
      className={joinClasses('scrolls', styles.view)}
      aria-label="Agents"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by the keyboard.
      tabIndex={0}
      data-part={part}
    >
      <div className={joinClasses('stack', styles.column)}>
        <header className="line wraps">
          <h2 className="grow">Agents</h2>
          {partButton('agents', 'Overview')}
          {partButton('diagnosis', 'Diagnose')}
          {partButton('messages', 'Messages')}
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

function AgentList() {
  const agents = usePageState((state) => state.agents);
  const connected = agents.filter(({ sessions }) => sessions.length > 0);
  const others = agents.filter(({ sessions }) => sessions.length === 0);
  return (
    <>
      <p className="muted">
        {connected.length === 0
          ? 'No agent is connected. Start one in a terminal with the command on its card.'
          : 'Connected agents see the file you work on, and their proposals appear here.'}
      </p>
      <List>
        {[...connected, ...others].map((agent) => (
          <AgentCard key={agent.id} agent={agent} />
        ))}
      </List>
    </>
  );
}

/** One agent: its sessions, or the commands that start it. */
function AgentCard({ agent }: { readonly agent: PageAgent }) {
  const { id, displayName, receivesOnly, problem, lost, sessions, command, byHand } = agent;
  const isConnected = sessions.length > 0;
  const isAway = isConnected && sessions.every((session) => session.isAway);
  return (
    <Card as="li">
      <header className="line wraps">
        <h3 className="grow">
          <AgentName agent={id} name={displayName} />
        </h3>
        <Badge kind={isAway ? 'warning' : isConnected ? 'good' : undefined}>
          {isAway ? 'Connection lost' : isConnected ? 'Connected' : 'Not connected'}
        </Badge>
      </header>
      {receivesOnly !== undefined && (
        <p className="muted">Receives {receivesOnly}. You decide about its changes in its terminal.</p>
      )}
      {problem !== undefined && (
        <Banner kind="warning" shape="inset">
          {visibleName(problem)}
        </Banner>
      )}
      {lost !== undefined && (
        <Banner kind="warning" shape="inset">
          <p>{lostText(visibleName(displayName), lost.count)}</p>
          <CopyCommand command={lost.connect} />
        </Banner>
      )}
      {sessions.map((session) => (
        <Session key={session.id} session={session} agent={agent} isNamed={sessions.length > 1} />
      ))}
      {!isConnected && <CopyCommand command={command} />}
      {!isConnected && byHand !== undefined && (
        <p className="muted">
          Or start it yourself in this folder: <code>{byHand.command}</code>
          {byHand.connect !== undefined && (
            <>
              , then type <code>{byHand.connect}</code>
            </>
          )}
        </p>
      )}
    </Card>
  );
}

interface SessionProps {
  readonly session: PageSession;
  readonly agent: PageAgent;
  /** Whether to show its name, which distinguishes it from the agent's other sessions. */
  readonly isNamed: boolean;
}

function Session({ session, agent: { id: agent, polls, receivesOnly, command }, isNamed }: SessionProps) {
  const shell = useShell();
  const now = useNow(polls ? 1_000 : undefined);
  const reviews = usePageState((state) => state.reviews);
  const pending = reviews.filter(
    (review) => review.state === 'pending' && review.agent === agent && review.session === session.id,
  );
  const { client, name, title, lastMessageAt, pid, isAway, hooks } = session;
  const since = new Date(session.connectedAt);
  return (
    <div className={joinClasses('stack', styles.session)}>
      <p className={joinClasses('line wraps', styles.facts)}>
        {isNamed && <strong>{visibleName(name)}</strong>}
        {title && <span>{visibleName(title)}</span>}
        <span>
          {visibleName(client.name)} {visibleName(client.version)}
        </span>
        <span className="muted">
          connected since <time dateTime={since.toISOString()}>{clockTime(since)}</time>
        </span>
        {lastMessageAt !== undefined && (
          <span className="muted">
            {polls ? 'last request' : 'last message'}{' '}
            <Since at={lastMessageAt} now={now} after="ago" hasSeconds={polls} />
          </span>
        )}
        {pid !== undefined && <span className="muted">process ID {pid}</span>}
      </p>
      {hooks !== undefined && <Hooks session={session.id} hooks={hooks} command={command} />}
      {isAway && <p className="muted">The agent has ended, or will reconnect soon.</p>}
      {receivesOnly === undefined && (
        <p className="muted">{pending.length === 0 ? 'No pending reviews.' : 'Pending:'}</p>
      )}
      {pending.length > 0 && (
        <ul className={joinClasses('line wraps', styles.facts)}>
          {pending.map((review) => (
            <li key={review.id} className="line">
              <Button kind="link" onClick={() => shell.openReview(review.id, { takesFocus: true })}>
                {visibleName(review.label)}
              </Button>
              {hasConflict(review) && <Badge kind="warning">Conflict</Badge>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface HooksProps {
  readonly session: string;
  /** Starts the agent with hooks. */
  readonly command: string;
  readonly hooks: NonNullable<PageSession['hooks']>;
}

/** Which edits of a session wait for the user, and buttons to change it. */
function Hooks({ session, command, hooks }: HooksProps) {
  const { host } = usePage();
  if (hooks === 'none') {
    return (
      <p className="muted">
        {hookWords.none.label}. {hookWords.none.sentence} To review each edit, start it with{' '}
        <code>{command}</code>.
      </p>
    );
  }
  return (
    <div className={joinClasses('line wraps', styles.facts)}>
      <fieldset aria-label="Which edits wait for you" className="line wraps">
        {hookModes.map((mode) => (
          <Button
            key={mode}
            isPressed={mode === hooks}
            tip={hookWords[mode].sentence}
            onClick={() => void host.request('session.hooks', { session, hooks: mode })}
          >
            {hookWords[mode].label}
          </Button>
        ))}
      </fieldset>
      <span className="muted">{hookWords[hooks].sentence}</span>
    </div>
  );
}

/** The time of day, with the date unless it is today. */
function clockTime(date: Date): string {
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}
