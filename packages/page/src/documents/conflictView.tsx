import type { Text } from '@codemirror/state';
import { Button, Choice, EmptyState, joinClasses, useLoaded } from '@tandem/chat-panel/primitives';
import { useEffect, useRef, useState } from 'react';
import { useShell } from '../app/shell.js';
import { usePage } from '../client/pageContext.js';
import { documentTextId } from '../client/textSessions.js';
import type { PageParams } from '../wire/index.js';
import { Comparison } from './comparison.js';
import styles from './documents.module.css';

type Resolution = PageParams<'document.resolve'>['choice'];

interface ConflictViewProps {
  readonly path: string;
  readonly label: string;
  readonly onDone: () => void;
}

/** Unsaved changes beside the file on disk, and three choices. Undo restores the other text. */
export function ConflictView({ path, label, onDone }: ConflictViewProps) {
  const { host, texts } = usePage();
  const { notices } = useShell();
  const { value: conflict, failure } = useLoaded(
    () => host.request('document.conflict', { path }),
    [host, path],
  );
  const [chosen, choose] = useState<Resolution>();
  const [isBusy, setBusy] = useState(false);
  const choices = useRef<HTMLFieldSetElement>(null);
  /** The edited merged text, kept while another choice is shown. */
  const [edited, setEdited] = useState<Text>();
  /** No default if both changed the same lines: each text lacks the other's change. */
  const choice = chosen ?? (conflict?.merged === undefined ? undefined : 'merged');
  useEffect(() => {
    if (conflict === undefined) return;
    choices.current?.querySelector<HTMLElement>('input:checked, input')?.focus();
  }, [conflict]);

  const shown = choice ?? 'mine';
  const canMerge = conflict?.merged !== undefined;
  const mergedText = edited?.toString() ?? conflict?.merged ?? conflict?.mine ?? '';
  /** Why the conflict cannot be resolved yet. */
  const obstacle =
    choice === undefined
      ? 'Choose the content of the file first.'
      : choice === 'merged' && !canMerge && edited === undefined
        ? 'You have not merged anything yet. Add lines from the text on disk, or choose your text.'
        : undefined;

  const resolve = async (): Promise<void> => {
    if (conflict === undefined || choice === undefined || obstacle !== undefined) return;
    const content = choice === 'merged' ? mergedText : conflict[choice];
    setBusy(true);
    try {
      const session = await texts.open(documentTextId(path));
      // Through the editor, so that undo restores the other text.
      if (choice === 'mine') {
        session.replace(conflict.theirs);
        session.replace(conflict.mine);
      } else {
        session.replace(content);
      }
      await session.settle();
      await host.request('document.resolve', { path, choice, ...(choice === 'merged' && { content }) });
      notices.good(`${label}: ${done[choice]} Undo restores the other.`);
      onDone();
    } catch (error) {
      notices.failure('The conflict is not resolved', error);
      setBusy(false);
    }
  };

  const option = (value: Resolution, title: string, meaning: string) => (
    <Choice
      type="radio"
      name="conflict"
      checked={value === choice}
      onChange={() => choose(value)}
      title={<strong>{title}</strong>}
      meaning={meaning}
    />
  );
  if (failure !== undefined) {
    return (
      <EmptyState role="alert">
        <p>The two texts cannot be compared: {failure}</p>
        <Button onClick={onDone}>Back to the text</Button>
      </EmptyState>
    );
  }
  return (
    <section className={joinClasses('stack grow', styles.conflict)} aria-label={`Conflict in ${label}`}>
      <fieldset ref={choices} className={styles.choices}>
        <legend className={styles.question}>
          This file changed on disk while you were editing it. Which text should be kept?
        </legend>
        {option('mine', 'Your text', 'It replaces the text on disk.')}
        {option('theirs', 'On disk', 'It replaces your text.')}
        {option(
          'merged',
          'Merged',
          conflict === undefined || canMerge
            ? 'Both changes in one text. You can edit it.'
            : 'You and the file changed the same lines. Combine the texts by hand.',
        )}
        <span className={joinClasses('line', styles.buttons)}>
          <Button onClick={onDone}>Decide later</Button>
          <Button
            kind="primary"
            isDisabled={isBusy || conflict === undefined || obstacle !== undefined}
            tip={obstacle}
            onClick={() => void resolve()}
          >
            {choice === undefined ? 'Save' : verbs[choice]}
          </Button>
        </span>
      </fieldset>
      {conflict !== undefined && (
        <Comparison
          key={shown}
          path={path}
          before={shown === 'theirs' ? conflict.mine : conflict.theirs}
          after={shown === 'merged' ? mergedText : conflict[shown]}
          {...names[shown]}
          {...(shown === 'merged' && { onEdit: setEdited })}
        />
      )}
    </section>
  );
}

const names = {
  mine: { beforeLabel: 'On disk', afterLabel: 'Your text' },
  theirs: { beforeLabel: 'Your text', afterLabel: 'On disk' },
  merged: { beforeLabel: 'On disk', afterLabel: 'Merged (editable)' },
} as const;
const verbs = { mine: 'Save your text', theirs: 'Use the text on disk', merged: 'Save merged' } as const;
const done = {
  mine: 'your text is saved.',
  theirs: 'the text on disk is kept.',
  merged: 'the merged text is saved.',
} as const;
