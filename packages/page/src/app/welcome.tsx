import { useCommand, usePageState } from '../client/pageContext.js';
import { Button } from '../primitives/button.js';
import { EmptyState, KeyHint } from '../primitives/layout.js';
import styles from './frame.module.css';
import { useShell } from './shellContext.js';
import { TandemMark } from './startHelp.js';

/** Shown while no tab is open: the next step. */
export function Welcome() {
  const shell = useShell();
  const isKnown = usePageState(({ host }) => host !== undefined);
  const pending = usePageState(({ reviews }) => reviews.filter(({ state }) => state === 'pending').length);
  const hasAgent = usePageState(({ agents }) => agents.some(({ sessions }) => sessions.length > 0));
  const name = useCommand();
  const command = usePageState(({ agents }) => agents[0]?.command) ?? `${name} run claude`;
  if (!isKnown) {
    return (
      <EmptyState role="status">
        <p className="delayed">Connecting to the companion…</p>
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
          Ask your agent to change a file: its proposal appears here. Open a file, and your agent sees which
          one and what you select in it.
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
        <dt>All keys</dt>
        <dd>
          <KeyHint keys="F1" />
        </dd>
      </dl>
    </EmptyState>
  );
}
