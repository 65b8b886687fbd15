import { useState } from 'react';
import { useShell } from '../app/shellContext.js';
import { visibleName } from '../app/visibleName.js';
import { usePage, usePageState } from '../client/pageContext.js';
import type { InterruptedReview } from '../client/pageStore.js';
import buttons from './buttons.module.css';
import { ConfirmDialog } from './confirmDialog.js';
import styles from './interruptedTexts.module.css';
import { messageOf } from './useReview.js';

/** Texts that a person edited and that a restart of the companion ended. They are nowhere but here. */
export function InterruptedTexts() {
  const { store } = usePage();
  const interrupted = usePageState((state) => state.interrupted);
  if (interrupted.length === 0) return null;
  const dismiss = (key: string): void =>
    store.setState((state) => ({ interrupted: state.interrupted.filter((text) => text.key !== key) }));
  return (
    <section className={styles.section} aria-label="Your texts from before the restart">
      <h3 className={styles.title}>Kept from before the restart</h3>
      <ul className={styles.list}>
        {interrupted.map((text) => (
          <InterruptedText key={text.key} text={text} onDismiss={() => dismiss(text.key)} />
        ))}
      </ul>
    </section>
  );
}

function InterruptedText({
  text,
  onDismiss,
}: {
  readonly text: InterruptedReview;
  readonly onDismiss: () => void;
}) {
  const { host } = usePage();
  const shell = useShell();
  const [said, setSaid] = useState('');
  const [isAsking, setAsking] = useState(false);
  const label = visibleName(text.label);
  const copy = (): void => {
    navigator.clipboard.writeText(text.content).then(
      () => setSaid('Copied.'),
      () => setSaid('The browser did not let it be copied.'),
    );
  };
  const restore = (): void => {
    host.request('document.restore', { path: text.path, content: text.content }).then(
      () => {
        onDismiss();
        void shell.openDocument(text.path);
      },
      (error: unknown) => setSaid(messageOf(error)),
    );
  };
  return (
    <li className={styles.text}>
      <span className={styles.label}>{label}</span>
      {text.agentName !== '' && (
        <span className={styles.from}>your edit of what {visibleName(text.agentName)} proposed</span>
      )}
      <div className={styles.actions}>
        <button
          type="button"
          className={buttons.button}
          onClick={restore}
          aria-label={`Open ${label} with this text`}
        >
          Open
        </button>
        <button
          type="button"
          className={buttons.button}
          onClick={copy}
          aria-label={`Copy the text of ${label}`}
        >
          Copy
        </button>
        <button
          type="button"
          className={buttons.button}
          onClick={() => setAsking(true)}
          aria-label={`Dismiss the text of ${label}`}
        >
          Dismiss
        </button>
      </div>
      <p className={styles.said} role="status">
        {said}
      </p>
      {isAsking && (
        <ConfirmDialog
          title={`Dismiss your text of ${label}?`}
          words="It is nowhere else and cannot be brought back."
          confirm="Dismiss it"
          onConfirm={onDismiss}
          onCancel={() => setAsking(false)}
        />
      )}
    </li>
  );
}
