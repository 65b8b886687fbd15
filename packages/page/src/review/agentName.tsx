import { visibleName } from '@tandem/core';
import styles from './agentName.module.css';

/** An agent by its name, with a mark in its colour beside it: the name says who it is, the colour only helps. */
export function AgentName({ agent, name }: { readonly agent: string; readonly name: string }) {
  return (
    <span className={styles.agent} data-agent={agent}>
      <span className={styles.mark} aria-hidden="true" />
      {visibleName(name)}
    </span>
  );
}
