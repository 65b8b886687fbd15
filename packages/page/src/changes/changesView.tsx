import { countOf, EmptyState, joinClasses, useLoaded } from '@tandem/chat-panel/primitives';
import { changeWords } from '@tandem/reviews';
import { ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useCallback, useRef } from 'react';
import { useStore } from 'zustand';
import { takesText } from '../app/pageFocus.js';
import { useFocusRequest, useShell } from '../app/shell.js';
import { changesTab } from '../app/tabList.js';
import { usePageState } from '../client/pageContext.js';
import type { PageChange } from '../wire/index.js';
import type { ChosenHunks, OnHunk } from './changeDiff.js';
import { ChangeFile, changesMemory } from './changeFile.js';
import styles from './changes.module.css';
import { ChangesHeader, countFiles } from './changesHeader.js';
import { GroupHeading, groupFiles } from './groupHeading.js';
import { type Keep, useKeeping } from './keeping.js';
import { UndoDialog, useUndoing } from './undoing.js';
import { useWaiting } from './useWaiting.js';

const none: readonly PageChange[] = [];

/** What stands of the changes by agents, of one session or of all: one page of diffs, by session and turn. */
export function ChangesView() {
  const shell = useShell();
  const { services } = shell;
  const session = useStore(shell.state, ({ changesOf }) => changesOf);
  const revision = usePageState(({ changesRevision, restarts }) => `${restarts} ${changesRevision}`);
  const { value: files = none, failure } = useLoaded(
    () => services.host.request('changes.list', session === undefined ? {} : { session }),
    [services, session, revision],
  );
  const isLoaded = files !== none;
  const { question, ask, undoHunk, confirm, cancel } = useUndoing();
  const view = useRef<HTMLElement>(null);
  const focus = (): void =>
    (view.current?.querySelector<HTMLElement>('[data-file]') ?? view.current)?.focus();
  useFocusRequest(changesTab.key, focus, isLoaded || failure !== undefined);

  const keep = useKeeping();
  const allOf = {
    ...(session === undefined ? { all: true } : { session }),
    ...(files.some(({ isWaiting }) => isWaiting) && { waits: true }),
  };
  const { note } = useWaiting();
  const waiting = files.filter(({ isWaiting }) => isWaiting);
  const decided = files.filter(({ isWaiting }) => !isWaiting);
  const showsDecided = useStore(changesMemory, (memory) => memory.showsDecided ?? waiting.length === 0);

  const onHunk = useCallback(
    async (verb: 'undo' | 'keep', hunks: ChosenHunks) => {
      // The button of the hunk disappears.
      const { activeElement } = document;
      const name = activeElement?.closest('[data-change]')?.querySelector<HTMLElement>('[data-file]');
      await (verb === 'undo' ? undoHunk(hunks) : keep(hunks));
      name?.focus({ preventScroll: true });
    },
    [undoHunk, keep],
  );
  const onKeep = useCallback<Keep>(
    async (...keeping) => {
      // What is kept disappears from here: the next file is where it was.
      const before = document.activeElement?.closest('[data-change]') ?? undefined;
      const names = [...(view.current?.querySelectorAll<HTMLElement>('[data-file]') ?? [])];
      const at = names.findIndex((each) => before?.contains(each));
      await keep(...keeping);
      if (at >= 0) (names[at + 1] ?? names[at - 1])?.focus({ preventScroll: true });
    },
    [keep],
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { j: 1, k: -1 }[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey || isEditable(event.target))
      return;
    event.preventDefault();
    goToFile(view.current, step);
  };
  return (
    <section
      ref={view}
      className={joinClasses('scrolls', styles.view)}
      aria-label="Changes"
      data-changes
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by the keyboard.
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <ChangesHeader
        files={files}
        session={session}
        onUndo={() => ask(allOf)}
        onKeep={() => void keep(allOf)}
        onRedo={(ids) => ask({ ids }, 'Redo')}
      />
      {failure !== undefined && (
        <EmptyState role="alert" title="The changes cannot be shown">
          <p>{failure}</p>
        </EmptyState>
      )}
      {failure === undefined && isLoaded && files.length === 0 && (
        <EmptyState title="No changes">
          <p>Files appear here after an agent has changed them.</p>
        </EmptyState>
      )}
      <Groups files={waiting} waits onUndo={ask} onKeep={onKeep} onHunk={onHunk} />
      {decided.length > 0 && (
        <div>
          <h3 className={styles.decided}>
            <button
              type="button"
              className="line"
              aria-expanded={showsDecided}
              onClick={() => changesMemory.setState({ showsDecided: !showsDecided })}
            >
              <ChevronRight size={16} className="chevron" aria-hidden="true" />
              {changeWords.decided}
              {waiting.length > 0 && <span className="muted">{countOf(countFiles(decided), 'file')}</span>}
            </button>
          </h3>
          {showsDecided && (
            <Groups
              files={decided}
              waits={waiting.length > 0 ? false : undefined}
              onUndo={ask}
              onKeep={onKeep}
              onHunk={onHunk}
            />
          )}
        </div>
      )}
      {files.length > 0 && <p className={joinClasses('muted small', styles.limit)}>{note}</p>}
      {question !== undefined && (
        <UndoDialog
          question={question}
          labelOf={(path) => files.find((file) => file.path === path)?.label ?? path}
          onConfirm={() => void confirm()}
          onCancel={cancel}
        />
      )}
    </section>
  );
}

interface GroupsProps {
  readonly files: readonly PageChange[];
  /** Selects these changes, with their session or turn. */
  readonly waits: boolean | undefined;
  readonly onUndo: ReturnType<typeof useUndoing>['ask'];
  readonly onKeep: Keep;
  readonly onHunk: OnHunk;
}

/** Files below the headings of their sessions and turns. */
function Groups({ files, waits, onUndo, onKeep, onHunk }: GroupsProps) {
  return groupFiles(files).map((group) => (
    <div key={group.group}>
      <GroupHeading group={group} waits={waits} onUndo={onUndo} onKeep={onKeep} />
      {group.files.map((change) => (
        <ChangeFile
          key={change.path}
          change={change}
          level={group.turn === undefined ? 4 : 5}
          onUndo={onUndo}
          onKeep={onKeep}
          onHunk={onHunk}
        />
      ))}
    </div>
  ));
}

/** Moves the focus to the next or previous file, and shows it. */
function goToFile(view: HTMLElement | null, step: number): void {
  const files = [...(view?.querySelectorAll<HTMLElement>('[data-file]') ?? [])];
  const { activeElement } = document;
  const at = files.findIndex((file) => file.closest('section')?.contains(activeElement));
  const target = files[at < 0 ? 0 : Math.min(Math.max(at + step, 0), files.length - 1)];
  target?.focus({ preventScroll: true });
  target?.closest('section')?.scrollIntoView({ block: 'start' });
}

/** Whether a key is text there. The diffs are text fields that cannot be edited. */
function isEditable(target: EventTarget): boolean {
  return target instanceof Element && takesText(target) && target.getAttribute('aria-readonly') !== 'true';
}
