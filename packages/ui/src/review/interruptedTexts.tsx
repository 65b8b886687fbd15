import { useState } from 'react';
import { useShell } from '../app/shellContext.js';
import { visibleName } from '../app/visibleName.js';
import { usePage, usePageState } from '../client/pageContext.js';
import buttons from './buttons.module.css';
import { ConfirmDialog } from './confirmDialog.js';
import styles from './interruptedTexts.module.css';
import { messageOf } from './useReview.js';

/** What can be done with a text that nobody waits for, wherever it is kept. */
interface InterruptedText {
  readonly key: string;
  readonly path: string;
  readonly label: string;
  /** Where it comes from, for a person; empty when there is nothing to say. */
  readonly from: string;
  readonly read: () => Promise<string>;
  /** Opens its file with the text as an unsaved change. */
  readonly restore: () => Promise<unknown>;
  readonly dismiss: () => unknown;
}

/** Texts that the end of an agent or of a companion cut short: those that the host keeps, and those of this page alone. */
export function InterruptedTexts() {
  const { host, store } = usePage();
  const interrupted = usePageState((state) => state.interrupted);
  const keptHere = usePageState((state) => state.keptHere);
  const texts: InterruptedText[] = [
    ...interrupted.map(({ id, agentName, path, label, isEdited }) => ({
      key: id,
      path,
      label,
      from: isEdited ? editOf(agentName) : `${visibleName(agentName)} proposed it, and nobody has decided`,
      read: async () => (await host.request('interrupted.read', { id })).content,
      restore: () => host.request('interrupted.restore', { id }),
      dismiss: () => host.request('interrupted.discard', { id }),
    })),
    ...keptHere.map(({ key, agentName, path, label, content }) => {
      const dismiss = (): void =>
        store.setState((state) => ({ keptHere: state.keptHere.filter((text) => text.key !== key) }));
      return {
        key,
        path,
        label,
        from: agentName === '' ? '' : editOf(agentName),
        read: async () => content,
        restore: async () => {
          await host.request('document.restore', { path, content });
          dismiss();
        },
        dismiss,
      };
    }),
  ];
  if (texts.length === 0) return null;
  return (
    <section className={styles.section} aria-label="Interrupted reviews">
      <h3 className={styles.title}>Interrupted: nobody waits for these any more</h3>
      <ul className={styles.list}>
        {texts.map((text) => (
          <InterruptedItem key={text.key} text={text} />
        ))}
      </ul>
    </section>
  );
}

function editOf(agentName: string): string {
  return `your edit of what ${visibleName(agentName)} proposed`;
}

function InterruptedItem({ text }: { readonly text: InterruptedText }) {
  const shell = useShell();
  const [said, setSaid] = useState('');
  const [isAsking, setAsking] = useState(false);
  const label = visibleName(text.label);
  const attempt = async (run: () => unknown, done = ''): Promise<void> => {
    try {
      await run();
      setSaid(done);
    } catch (error) {
      setSaid(messageOf(error));
    }
  };
  const copy = async (): Promise<void> => {
    const content = await text.read();
    await navigator.clipboard.writeText(content).catch((cause: unknown) => {
      throw new Error('The browser did not let it be copied.', { cause });
    });
  };
  const restore = async (): Promise<void> => {
    await text.restore();
    await shell.openDocument(text.path);
  };
  return (
    <li className={styles.text}>
      <span className={styles.label}>{label}</span>
      {text.from !== '' && <span className={styles.from}>{text.from}</span>}
      <div className={styles.actions}>
        <button
          type="button"
          className={buttons.button}
          onClick={() => void attempt(restore)}
          aria-label={`Open ${label} with this text`}
        >
          Open
        </button>
        <button
          type="button"
          className={buttons.button}
          onClick={() => void attempt(copy, 'Copied.')}
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
          onConfirm={() => void attempt(text.dismiss)}
          onCancel={() => setAsking(false)}
        />
      )}
    </li>
  );
}
