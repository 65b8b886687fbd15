import {
  Button,
  ChangeCounts,
  countOf,
  IconButton,
  joinClasses,
  Select,
  Spacer,
} from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { changeWords, presentWaiting } from '@tandem/reviews';
import { Check, ChevronsDownUp, ChevronsUpDown, Columns2, Redo2, Rows2, Undo2 } from 'lucide-react';
import { useStore } from 'zustand';
import { useShell } from '../app/shell.js';
import { usePageState } from '../client/pageContext.js';
import { codePreferences, useIsNarrow } from '../client/preferences.js';
import type { PageChange } from '../wire/index.js';
import { changeKey, changesMemory, setOpen } from './changeFile.js';
import styles from './changes.module.css';

interface ChangesHeaderProps {
  readonly files: readonly PageChange[];
  readonly session: string | undefined;
  readonly onUndo: () => void;
  readonly onKeep: () => void;
  readonly onRedo: (ids: string[]) => void;
}

/** How much waits, or else was changed, and what can be done with all of it. */
export function ChangesHeader({ files, session, onUndo, onKeep, onRedo }: ChangesHeaderProps) {
  const shell = useShell();
  const isNarrow = useIsNarrow();
  const sessions = usePageState((state) => state.sessions);
  const viewed = useStore(
    changesMemory,
    (memory) => files.filter((file) => memory.viewed[changeKey(file)] === file.stamp).length,
  );
  const mode = codePreferences((state) => state.diffMode);
  const waiting = files.filter(({ isWaiting }) => isWaiting);
  const waits = waiting.length > 0;
  const changed = waits ? waiting : files.filter((file) => !file.isAbsent);
  const sum = (of: (file: PageChange) => number): number => changed.reduce((all, file) => all + of(file), 0);
  const keys = files.map(changeKey);
  const count = countFiles(changed);
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
          <span role={waits ? 'status' : undefined}>
            {waits ? presentWaiting(count) : countOf(count, 'file')}
          </span>
          <ChangeCounts
            change={{ added: sum(({ added }) => added), removed: sum(({ removed }) => removed) }}
          />
          {!waits && (
            <span className="muted" role="status">
              {viewed} of {files.length} viewed
            </span>
          )}
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
          {waiting.some(({ isUncertain }) => !isUncertain) && (
            <Button icon={Check} onClick={onKeep}>
              {changeWords.keepAll}
            </Button>
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

/** How many files these are: a file can be in several groups. */
export function countFiles(files: readonly PageChange[]): number {
  return new Set(files.map(({ path }) => path)).size;
}
