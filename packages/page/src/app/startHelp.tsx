import styles from './startHelp.module.css';
import { TandemMark } from './tandemMark.js';

/** What stands in place of the page when it has no key to its companion, or one that is not taken. */
export function StartHelp({ isRefused }: { readonly isRefused: boolean }) {
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <TandemMark className={styles.mark} />
        <h1 className={styles.title}>
          {isRefused ? 'This address is no longer valid' : 'This page needs its key'}
        </h1>
        <p className={styles.text}>
          {isRefused
            ? 'The companion was restarted and has a different key.'
            : 'The key is part of the address that Tandem prints, and is valid for one browser tab.'}
        </p>
        <ol className={styles.steps}>
          <li>
            In a terminal, go to your project folder and run <code>tandem page</code>.
          </li>
          <li>Open the address that it prints.</li>
        </ol>
        <p className={styles.text}>
          If it says that no companion is running, start one with <code>tandem serve</code>.
        </p>
      </div>
    </main>
  );
}
