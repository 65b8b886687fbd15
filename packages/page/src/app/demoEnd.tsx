import { useCommand } from '../client/pageContext.js';
import styles from './startHelp.module.css';
import { TandemMark } from './tandemMark.js';

/** The last page of the demo, whose companion has ended. */
export function DemoEnd() {
  const command = useCommand();
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <TandemMark className={styles.mark} />
        <h1 className={styles.title}>The demo is over</h1>
        <p className={styles.text}>
          The agent received your answers, and the scratch folder was removed. None of your files were
          touched.
        </p>
        <ol className={styles.steps}>
          <li>
            Serve your own project: <code>{command} serve FOLDER</code>
          </li>
          <li>Connect an agent as shown there.</li>
          <li>Ask the agent for a change, and review it in a page like this one.</li>
        </ol>
        <p className={styles.text}>You can close this tab.</p>
      </div>
    </main>
  );
}
