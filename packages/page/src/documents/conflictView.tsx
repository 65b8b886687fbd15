import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useShell } from '../app/shellContext.js';
import { usePage } from '../client/pageContext.js';
import { documentTextId } from '../client/textSessions.js';
import { Button } from '../primitives/button.js';
import { Choice } from '../primitives/field.js';
import { joinClasses } from '../primitives/joinClasses.js';
import { EmptyState } from '../primitives/layout.js';
import type { DocumentConflict, PageParams } from '../wire/index.js';
import { type Comparison, createComparison } from './comparison.js';
import styles from './documents.module.css';

type Resolution = PageParams<'document.resolve'>['choice'];

/** From this width on, in pixels, the two texts stand beside each other. */
const wideEnough = 700;

interface ConflictViewProps {
  readonly path: string;
  readonly label: string;
  readonly onDone: () => void;
}

/** Unsaved changes beside the file on disk, and three choices. Undo restores the other text. */
export function ConflictView({ path, label, onDone }: ConflictViewProps) {
  const { host, texts } = usePage();
  const { notices } = useShell();
  const [conflict, setConflict] = useState<DocumentConflict>();
  const [failure, setFailure] = useState<string>();
  /** No default if both changed the same lines: each text lacks the other's change. */
  const [choice, setChoice] = useState<Resolution>();
  const [isBusy, setBusy] = useState(false);
  const choices = useRef<HTMLFieldSetElement>(null);
  const parent = useRef<HTMLDivElement>(null);
  const comparison = useRef<Comparison>(undefined);
  /** The merged text as edited so far: it survives a look at another choice. */
  const edited = useRef<string>(undefined);
  const [isEdited, setEdited] = useState(false);
  const [isWide, setWide] = useState<boolean>();

  useEffect(() => {
    let isGone = false;
    host.request('document.conflict', { path }).then(
      (found) => {
        if (isGone) return;
        setConflict(found);
        if (found.merged !== undefined) setChoice('merged');
      },
      (error: unknown) => {
        if (!isGone) setFailure(error instanceof Error ? error.message : String(error));
      },
    );
    return () => {
      isGone = true;
    };
  }, [host, path]);

  useEffect(() => {
    if (conflict === undefined) return;
    choices.current?.querySelector<HTMLElement>('input:checked, input')?.focus();
  }, [conflict]);

  useLayoutEffect(() => {
    const { current } = parent;
    if (current === null) return;
    const observer = new ResizeObserver(() => {
      // Hidden behind another tab it has no width, and stays as it is.
      if (current.clientWidth > 0) setWide(current.clientWidth >= wideEnough);
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, []);

  const shown = choice ?? 'mine';
  useEffect(() => {
    if (conflict === undefined || parent.current === null || isWide === undefined) return;
    const { mine, theirs, merged } = conflict;
    const sides = {
      mine: { before: theirs, after: mine },
      theirs: { before: mine, after: theirs },
      merged: { before: theirs, after: edited.current ?? merged ?? mine },
    }[shown];
    const made = createComparison(parent.current, {
      ...sides,
      ...names[shown],
      path,
      isSplit: isWide,
      isEditable: shown === 'merged',
      onEdit: () => setEdited(true),
    });
    comparison.current = made;
    return () => {
      if (shown === 'merged') edited.current = made.result();
      comparison.current = undefined;
      made.destroy();
    };
  }, [conflict, shown, path, isWide]);

  const canMerge = conflict?.merged !== undefined;
  /** Why the conflict cannot be ended yet. */
  const obstacle =
    choice === undefined
      ? 'Choose the content of the file first.'
      : choice === 'merged' && !canMerge && !isEdited
        ? 'This is still only your text. Add what you want from the other, or choose Mine.'
        : undefined;

  const resolve = async (): Promise<void> => {
    if (conflict === undefined || choice === undefined || obstacle !== undefined) return;
    const content = choice === 'merged' ? (comparison.current?.result() ?? '') : conflict[choice];
    setBusy(true);
    try {
      const session = await texts.open(documentTextId(path));
      // Through the editor, so that its undo leads back to what was not chosen.
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
      onChange={() => setChoice(value)}
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
        {option('mine', 'Mine', 'Your text replaces what is on disk.')}
        {option('theirs', 'Theirs', 'The text on disk replaces yours.')}
        {option(
          'merged',
          'Merged',
          conflict === undefined || canMerge
            ? 'Both changes in one text. You can edit it.'
            : 'Both changed the same lines. Combine them by hand.',
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
      <div className={joinClasses('muted small', styles.names)} aria-hidden="true">
        <span>{isWide === false ? `− ${names[shown].beforeLabel}` : names[shown].beforeLabel}</span>
        <span>{isWide === false ? `+ ${names[shown].afterLabel}` : names[shown].afterLabel}</span>
      </div>
      <div ref={parent} className={joinClasses('grow', styles.comparison)} />
    </section>
  );
}

const names = {
  mine: { beforeLabel: 'On disk', afterLabel: 'Mine' },
  theirs: { beforeLabel: 'Mine', afterLabel: 'On disk' },
  merged: { beforeLabel: 'On disk', afterLabel: 'Merged (editable)' },
} as const;
const verbs = { mine: 'Save mine', theirs: 'Take theirs', merged: 'Save merged' } as const;
const done = {
  mine: 'your text is saved.',
  theirs: 'the text on disk is kept.',
  merged: 'the merged text is saved.',
} as const;
