import type { ReactNode } from 'react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useShell } from '../app/shellContext.js';
import { agentsTab } from '../app/tabList.js';
import { usePageState } from '../client/pageContext.js';
import { Button } from '../primitives/button.js';
import { AgentCard } from './agentCard.js';
import styles from './agentsView.module.css';

const DiagnosisView = lazy(async () => ({
  default: (await import('../help/diagnosisView.js')).DiagnosisView,
}));
const TraceView = lazy(async () => ({ default: (await import('../help/traceView.js')).TraceView }));

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
