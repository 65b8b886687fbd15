import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { useShell } from '../app/shellContext.js';
import { agentsTab } from '../app/tabList.js';
import { usePageState } from '../client/pageContext.js';
import { AgentCard } from './agentCard.js';
import styles from './agentsView.module.css';

/** Every agent that the companion serves: those who are connected and what they wait for, and how to start the others. */
export function AgentsView() {
  const agents = usePageState((state) => state.agents);
  const { tabs } = useShell();
  const wish = useStore(tabs.state, (state) => state.wish);
  const view = useRef<HTMLElement>(null);
  useEffect(() => {
    if (wish?.key !== agentsTab.key) return;
    view.current?.focus();
    tabs.granted(wish.serial);
  }, [tabs, wish]);
  const connected = agents.filter(({ sessions }) => sessions.length > 0);
  const others = agents.filter(({ sessions }) => sessions.length === 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section ref={view} className={styles.view} aria-label="Agents" tabIndex={0}>
      <div className={styles.column}>
        <h2 className={styles.title}>Agents</h2>
        <p className={styles.lead}>
          {connected.length === 0
            ? 'No agent is connected. Start one in a terminal with its command.'
            : 'Agents that are connected see the file you work in, and their proposals come here.'}
        </p>
        <ul className={styles.list}>
          {[...connected, ...others].map((agent) => (
            <AgentCard key={agent.id} agent={agent} />
          ))}
        </ul>
      </div>
    </section>
  );
}
