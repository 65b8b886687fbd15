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
        <h1 className={styles.title}>That was the demo</h1>
        <p className={styles.text}>
          Its agent received your answers, and its scratch folder is removed. None of your files was touched.
        </p>
        <ol className={styles.steps}>
          <li>
            Serve a project of yours: <code>{command} serve FOLDER</code>
          </li>
          <li>Connect an agent, as it shows you there.</li>
          <li>Ask the agent for a change, and review it in a page like this one.</li>
        </ol>
        <p className={styles.text}>You can close this tab.</p>
      </div>
    </main>
  );
}
