import styles from './startHelp.module.css';
import { TandemMark } from './tandemMark.js';

/** What stands in place of the page when it has no key to its companion, or one that is not taken. */
export function StartHelp({ isRefused }: { readonly isRefused: boolean }) {
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <TandemMark className={styles.mark} />
        <h1 className={styles.title}>
          {isRefused ? 'This address is not valid any more' : 'This page needs its key'}
        </h1>
        <p className={styles.text}>
          {isRefused
            ? 'The companion was started anew since, and has another key.'
            : 'The key is a part of the address that Tandem prints, and holds for one tab of the browser.'}
        </p>
        <ol className={styles.steps}>
          <li>
            In a terminal, go to the folder that you work in and run <code>tandem page</code>.
          </li>
          <li>Open the address that it prints.</li>
        </ol>
        <p className={styles.text}>
          Does it say that no companion runs? Start one with <code>tandem serve</code>.
        </p>
      </div>
    </main>
  );
}
