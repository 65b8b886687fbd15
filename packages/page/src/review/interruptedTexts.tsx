import { visibleName } from '@tandem/core';
import { Copy, FileInput, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useShell } from '../app/shellContext.js';
import { messageOf } from '../client/loading.js';
import { usePage, usePageState } from '../client/pageContext.js';
import { Button, IconButton } from '../primitives/button.js';
import { ConfirmDialog } from '../primitives/dialog.js';
import styles from './review.module.css';

/** The text of an interrupted review, which the host or this page keeps. */
interface InterruptedText {
  readonly key: string;
  readonly path: string;
  readonly label: string;
  /** Its origin, for the user; may be empty. */
  readonly from: string;
  readonly read: () => Promise<string>;
  /** Opens its file with the text as an unsaved change. */
  readonly restore: () => Promise<unknown>;
  readonly discard: () => unknown;
}

/** The texts of interrupted reviews: those that the host keeps, and those that only this page has. */
export function InterruptedTexts() {
  const { host, store } = usePage();
  const interrupted = usePageState((state) => state.interrupted);
  const keptHere = usePageState((state) => state.keptHere);
  const texts: InterruptedText[] = [
    ...interrupted.map(({ id, agentName, path, label, isEdited }) => ({
      key: id,
      path,
      label,
      from: isEdited ? editOf(agentName) : `${visibleName(agentName)} proposed it; not decided`,
      read: async () => (await host.request('interrupted.read', { id })).content,
      restore: () => host.request('interrupted.restore', { id }),
      discard: () => host.request('interrupted.discard', { id }),
    })),
    ...keptHere.map(({ key, agentName, path, label, content }) => {
      const discard = (): void =>
        store.setState((state) => ({ keptHere: state.keptHere.filter((text) => text.key !== key) }));
      return {
        key,
        path,
        label,
        from: agentName === '' ? '' : editOf(agentName),
        read: async () => content,
        restore: async () => {
          await host.request('document.restore', { path, content });
          discard();
        },
        discard,
      };
    }),
  ];
  const [isAsking, setAsking] = useState(false);
  const [failure, setFailure] = useState('');
  const discardAll = async (): Promise<void> => {
    setAsking(false);
    try {
      for (const { discard } of texts) await discard();
      setFailure('');
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  if (texts.length === 0) return null;
  return (
    <section className={styles.interrupted} aria-label="Interrupted reviews">
      <header className="line">
        <h3 className="grow small" title="Their agents received no decision. Apply or discard them.">
          Interrupted <span className="numbers">{texts.length}</span>
        </h3>
        {texts.length > 1 && (
          <Button kind="quiet" onClick={() => setAsking(true)}>
            Discard All
          </Button>
        )}
      </header>
      <ul className={styles.texts}>
        {texts.map((text) => (
          <InterruptedItem key={text.key} text={text} />
        ))}
      </ul>
      <p className="small" role="status">
        {failure}
      </p>
      {isAsking && (
        <ConfirmDialog
          title={`Discard ${texts.length} interrupted reviews?`}
          text="Their texts exist nowhere else and cannot be restored."
          confirm="Discard All"
          onConfirm={() => void discardAll()}
          onCancel={() => setAsking(false)}
        />
      )}
    </section>
  );
}

function editOf(agentName: string): string {
  return `your edit of what ${visibleName(agentName)} proposed`;
}

function InterruptedItem({ text }: { readonly text: InterruptedText }) {
  const shell = useShell();
  const [result, setResult] = useState('');
  const [isAsking, setAsking] = useState(false);
  const label = visibleName(text.label);
  const attempt = async (run: () => unknown, done = ''): Promise<void> => {
    try {
      await run();
      setResult(done);
    } catch (error) {
      setResult(messageOf(error));
    }
  };
  const copy = async (): Promise<void> => {
    const content = await text.read();
    await navigator.clipboard.writeText(content).catch((cause: unknown) => {
      throw new Error('The browser did not allow copying.', { cause });
    });
  };
  const restore = async (): Promise<void> => {
    await text.restore();
    await shell.openDocument(text.path);
  };
  return (
    <li>
      <div className="line">
        <span className="grow truncate" title={[label, text.from].filter((each) => each !== '').join(': ')}>
          {label}
          <span className="visually-hidden">, {text.from}</span>
        </span>
        <IconButton
          icon={FileInput}
          label={`Open ${label} with this text`}
          onClick={() => void attempt(restore)}
        />
        <IconButton
          icon={Copy}
          label={`Copy the text of ${label}`}
          onClick={() => void attempt(copy, 'Copied.')}
        />
        <IconButton icon={Trash2} label={`Discard the text of ${label}`} onClick={() => setAsking(true)} />
      </div>
      <p className="small" role="status">
        {result}
      </p>
      {isAsking && (
        <ConfirmDialog
          title={`Discard your text of ${label}?`}
          text="It exists nowhere else and cannot be restored."
          confirm="Discard"
          onConfirm={() => void attempt(text.discard)}
          onCancel={() => setAsking(false)}
        />
      )}
    </li>
  );
}
