import {
  Button,
  ChangeCounts,
  countOf,
  EmptyState,
  IconButton,
  joinClasses,
  Select,
  Spacer,
  useLoaded,
} from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { ChevronsDownUp, ChevronsUpDown, Columns2, Redo2, Rows2, Undo2 } from 'lucide-react';
import { type KeyboardEvent, useCallback, useRef } from 'react';
import { useStore } from 'zustand';
import { takesText } from '../app/pageFocus.js';
import { useFocusRequest, useShell } from '../app/shell.js';
import { changesTab } from '../app/tabList.js';
import { usePageState } from '../client/pageContext.js';
import { codePreferences, useIsNarrow } from '../client/preferences.js';
import type { PageChange } from '../wire/index.js';
import type { HunkUndo } from './changeDiff.js';
import { ChangeFile, changeKey, changesMemory, setOpen } from './changeFile.js';
import styles from './changes.module.css';
import { GroupHeading, groupFiles } from './groupHeading.js';
import { UndoDialog, useUndoing } from './undoing.js';

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

  const onUndoHunk = useCallback(
    async (hunk: HunkUndo) => {
      // The button of the hunk disappears.
      const { activeElement } = document;
      const name = activeElement?.closest('[data-change]')?.querySelector<HTMLElement>('[data-file]');
      await undoHunk(hunk);
      name?.focus({ preventScroll: true });
    },
    [undoHunk],
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
        onUndo={() => ask(session === undefined ? { all: true } : { session })}
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
      {groupFiles(files).map((group) => (
        <div key={`${group.isWaiting} ${group.group}`}>
          <GroupHeading group={group} onUndo={ask} />
          {group.files.map((change) => (
            <ChangeFile
              key={change.path}
              change={change}
              level={group.turn === undefined ? 4 : 5}
              onUndo={ask}
              onUndoHunk={onUndoHunk}
            />
          ))}
        </div>
      ))}
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

interface ChangesHeaderProps {
  readonly files: readonly PageChange[];
  readonly session: string | undefined;
  readonly onUndo: () => void;
  readonly onRedo: (ids: string[]) => void;
}

function ChangesHeader({ files, session, onUndo, onRedo }: ChangesHeaderProps) {
  const shell = useShell();
  const isNarrow = useIsNarrow();
  const sessions = usePageState((state) => state.sessions);
  const viewed = useStore(
    changesMemory,
    (memory) => files.filter((file) => memory.viewed[changeKey(file)] === file.stamp).length,
  );
  const mode = codePreferences((state) => state.diffMode);
  const changed = files.filter((file) => !file.isAbsent);
  const sum = (of: (file: PageChange) => number): number => changed.reduce((all, file) => all + of(file), 0);
  const keys = files.map(changeKey);
  const count = new Set(changed.map(({ path }) => path)).size;
  const undoable = files.flatMap((file) => file.undoable ?? []);
  const setMode = (diffMode: 'split' | 'unified') => () => {
    codePreferences.setState({ diffMode });
  };
  return (
    <header className={joinClasses('line wraps', styles.top)}>
      <h2>Changes</h2>
      <Select
        aria-label="Session"
        className={styles.sessions}
        value={session ?? ''}
        onChange={({ target }) => shell.state.setState({ changesOf: target.value || undefined })}
      >
        <option value="">All sessions</option>
        {sessions
          .filter(({ files: count, id }) => count > 0 || id === session)
          .map(({ id, agentName, label }) => (
            <option key={id} value={id}>
              {visibleName(`${agentName}: ${label}`)}
            </option>
          ))}
      </Select>
      {files.length > 0 && (
        <>
          <span>{countOf(count, 'file')}</span>
          <ChangeCounts
            change={{ added: sum(({ added }) => added), removed: sum(({ removed }) => removed) }}
          />
          <span className="muted" role="status">
            {viewed} of {files.length} viewed
          </span>
          <Spacer />
          <IconButton icon={ChevronsDownUp} label="Collapse all files" onClick={() => setOpen(keys, false)} />
          <IconButton icon={ChevronsUpDown} label="Expand all files" onClick={() => setOpen(keys, true)} />
          {!isNarrow && (
            <>
              <IconButton
                icon={Columns2}
                label="Side by side"
                isPressed={mode !== 'unified'}
                onClick={setMode('split')}
              />
              <IconButton
                icon={Rows2}
                label="Unified"
                isPressed={mode === 'unified'}
                onClick={setMode('unified')}
              />
            </>
          )}
          {changed.some(({ isUncertain }) => !isUncertain) && (
            <Button icon={Undo2} onClick={onUndo}>
              Undo all…
            </Button>
          )}
          {undoable.length > 1 && (
            <Button icon={Redo2} onClick={() => onRedo(undoable)}>
              Redo all…
            </Button>
          )}
        </>
      )}
    </header>
  );
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
