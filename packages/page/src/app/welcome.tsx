import { useCommand, usePageState } from '../client/pageContext.js';
import { Button } from '../primitives/button.js';
import { KeyHint } from '../primitives/layout.js';
import styles from './emptyState.module.css';
import { useShell } from './shellContext.js';
import { TandemMark } from './tandemMark.js';

/** What stands where nothing is open: what comes next, by what is there. */
export function Welcome() {
  const shell = useShell();
  const isKnown = usePageState(({ host }) => host !== undefined);
  const waiting = usePageState(({ reviews }) => reviews.filter(({ state }) => state === 'pending').length);
  const hasAgent = usePageState(({ agents }) => agents.some(({ sessions }) => sessions.length > 0));
  const name = useCommand();
  const command = usePageState(({ agents }) => agents[0]?.command) ?? `${name} run claude`;
  if (!isKnown) {
    return (
      <p className={styles.waiting} role="status">
        Connecting to the companion…
      </p>
    );
  }
  return (
    <div className={styles.empty}>
      <TandemMark className={styles.mark} />
      {waiting > 0 ? (
        <>
          <h2 className={styles.title}>
            {waiting === 1 ? '1 pending review' : `${waiting} pending reviews`}
          </h2>
          <Button kind="primary" onClick={() => shell.stepReview(1)}>
            Review
          </Button>
        </>
      ) : hasAgent ? (
        <>
          <h2 className={styles.title}>Nothing to review</h2>
          <p className={styles.text}>
            Ask your agent to change a file: its proposal comes here. Open a file, and your agent sees which
            one and what you select in it.
          </p>
        </>
      ) : (
        <>
          <h2 className={styles.title}>No agent is connected</h2>
          <p className={styles.text}>
            Start one in a terminal: <code>{command}</code>
          </p>
          <Button onClick={() => shell.showAgents()}>Show all agents</Button>
        </>
      )}
      <dl className={styles.keys}>
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
    </div>
  );
}
