import {
  Badge,
  Button,
  ChangeCounts,
  Choice,
  IconButton,
  joinClasses,
  Spacer,
} from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { changeWords } from '@tandem/reviews';
import type { ChangeSelection } from '@tandem/rpc';
import { Check, ChevronRight, FileInput, Redo2, RotateCcw, Undo2 } from 'lucide-react';
import { memo, useId } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { useShell } from '../app/shell.js';
import { AgentName } from '../review/reviewParts.js';
import type { PageChange } from '../wire/index.js';
import { Diff, Notes, type OnHunk } from './changeDiff.js';
import styles from './changes.module.css';
import type { Keep } from './keeping.js';

/** Shared: creating one takes longer than drawing a review. */
const clockTime = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

interface ChangeFileProps {
  readonly change: PageChange;
  /** Its name is a heading of this level. */
  readonly level: 4 | 5;
  readonly onUndo: (selection: ChangeSelection, verb?: 'Undo' | 'Redo') => unknown;
  readonly onKeep: Keep;
  readonly onHunk: OnHunk;
}

/** One changed file of a group: its changes, and a diff of what stands of them. */
export const ChangeFile = memo(function ChangeFile({
  change,
  level,
  onUndo,
  onKeep,
  onHunk,
}: ChangeFileProps) {
  const shell = useShell();
  const id = useId();
  const { path, group, waits, isWaiting, stamp, before, now, isAbsent, warnings, notes } = change;
  const key = changeKey(change);
  const isViewed = useStore(changesMemory, ({ viewed }) => viewed[key] === stamp);
  const isOpen = useStore(changesMemory, (memory) => memory.isOpen[key] ?? !(isViewed || isAbsent));
  const Heading = `h${level}` as const;
  const label = visibleName(change.label);
  return (
    <section className={styles.file} aria-label={label} data-change>
      <header className={joinClasses('line wraps', styles.head)}>
        <Heading className={styles.name}>
          <button
            type="button"
            className="line"
            data-file={path}
            aria-expanded={isOpen}
            aria-controls={id}
            title={visibleName(path)}
            onClick={() => setOpen([key], !isOpen)}
          >
            <ChevronRight size={16} className="chevron" aria-hidden="true" />
            {label}
          </button>
        </Heading>
        {!isAbsent && !isGone(change) && (
          <ChangeCounts change={{ ...change, isBinary: [before, now].includes('binary') }} />
        )}
        {isAbsent && <Badge>No net change</Badge>}
        {!isAbsent && before === 'missing' && now !== 'missing' && <Badge>New file</Badge>}
        {!isAbsent && now === 'missing' && <Badge>Deleted</Badge>}
        <Spacer />
        {!isWaiting && (
          <Choice
            type="checkbox"
            className={styles.viewed}
            title={<span className="small">Viewed</span>}
            aria-label={`Viewed: ${label}`}
            checked={isViewed}
            onChange={() => markViewed(key, isViewed ? undefined : stamp)}
          />
        )}
        {now !== 'missing' && (
          <IconButton
            icon={FileInput}
            label={`Open ${label}`}
            onClick={() => void shell.openDocument(path)}
          />
        )}
        {isWaiting && (
          <Button
            icon={Check}
            label={`${changeWords.keep} ${label}`}
            tip="Keep all of these changes to the file: they no longer wait"
            onClick={() => void onKeep({ path, group, waits })}
          >
            <span className={styles.word}>{changeWords.keep}</span>
          </Button>
        )}
        {!isWaiting && change.entries.some(({ isKept }) => isKept) && (
          <Button
            icon={RotateCcw}
            label={`${changeWords.again}: ${label}`}
            tip="The kept changes to the file wait again"
            onClick={() => void onKeep({ path, group }, false)}
          >
            <span className={styles.word}>{changeWords.again}</span>
          </Button>
        )}
        {!isAbsent && (
          <Button
            icon={Undo2}
            label={`Undo ${label}`}
            tip="Undo all of these changes to the file"
            onClick={() => onUndo({ path, group, waits })}
          >
            <span className={styles.word}>Undo</span>
          </Button>
        )}
        {change.undoable !== undefined && (
          <Button
            icon={Redo2}
            label={`Redo ${label}`}
            tip="Bring the changes back"
            onClick={() => onUndo({ ids: [change.undoable ?? ''] }, 'Redo')}
          >
            <span className={styles.word}>Redo</span>
          </Button>
        )}
        <ul
          className={joinClasses('line wraps small muted', styles.entries)}
          aria-label={`What changed ${label}`}
        >
          {change.entries.map((entry) => (
            <Entry key={entry.id} entry={entry} label={label} onUndo={onUndo} />
          ))}
        </ul>
      </header>
      <div id={id} hidden={!isOpen}>
        {isOpen && (
          <>
            <Notes notes={[...warnings, ...notes]} />
            {!isGone(change) && <Diff change={change} onHunk={onHunk} />}
          </>
        )}
      </div>
    </section>
  );
});

/** Whether there is no text to compare. */
function isGone({ before, now }: PageChange): boolean {
  return before === 'missing' && now === 'missing';
}

interface EntryProps extends Pick<ChangeFileProps, 'onUndo'> {
  readonly entry: PageChange['entries'][number];
  readonly label: string;
}

/** A change by an agent, or an undo. */
function Entry({ entry, label, onUndo }: EntryProps) {
  const { id, how, at, verb } = entry;
  const name = visibleName(entry.label);
  return (
    <li className={joinClasses('line', styles.entry)}>
      {how !== 'restored' && <AgentName agent={entry.agent} name={entry.agentName} />}
      <span>{name}</span>
      {entry.evidence !== undefined && <span className={styles.evidence}>{visibleName(entry.evidence)}</span>}
      <time dateTime={new Date(at).toISOString()} title={dateAndTime.format(at)}>
        {clockTime.format(at)}
      </time>
      <Button kind="link" label={`${verb} ${name} of ${label}`} onClick={() => onUndo({ ids: [id] }, verb)}>
        {verb}
      </Button>
    </li>
  );
}

/** Identifies a file in its group. */
export function changeKey({
  group,
  isWaiting,
  path,
}: Pick<PageChange, 'group' | 'isWaiting' | 'path'>): string {
  return `${isWaiting} ${group} ${path}`;
}

interface ChangesMemory {
  /** The stamps of the contents that the user marked as viewed, by `changeKey`. */
  readonly viewed: Readonly<Record<string, string>>;
  /** Whether what is kept and accepted is shown; by default, while nothing waits. */
  readonly showsDecided?: boolean;
  /** Files that the user opened or closed, by `changeKey`; the others are open until they are viewed. */
  readonly isOpen: Readonly<Record<string, boolean>>;
}

/** What this browser tab remembers of the changes. */
export const changesMemory = createStore<ChangesMemory>(() => ({ viewed: {}, isOpen: {} }));

/** Marks these contents of a file as viewed, which closes it; without a stamp, as not viewed. */
function markViewed(key: string, stamp: string | undefined): void {
  changesMemory.setState(({ viewed, isOpen }) => {
    const { [key]: _viewed, ...otherViewed } = viewed;
    const { [key]: _open, ...otherOpen } = isOpen;
    return {
      viewed: stamp === undefined ? otherViewed : { ...otherViewed, [key]: stamp },
      isOpen: otherOpen,
    };
  });
}

/** Opens or closes files. */
export function setOpen(keys: readonly string[], open: boolean): void {
  changesMemory.setState(({ isOpen }) => ({
    isOpen: { ...isOpen, ...Object.fromEntries(keys.map((key) => [key, open])) },
  }));
}
