import {
  Badge,
  Button,
  ChangeCounts,
  Choice,
  IconButton,
  joinClasses,
  Spacer,
  useLoaded,
} from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import type { ChangeSelection } from '@tandem/rpc';
import { ChevronRight, FileInput, Redo2, Undo2 } from 'lucide-react';
import { memo, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { useShell } from '../app/shell.js';
import { codePreferences } from '../client/preferences.js';
import { Comparison } from '../documents/comparison.js';
import { AgentName } from '../review/reviewParts.js';
import type { PageChange } from '../wire/index.js';
import styles from './changes.module.css';

/** Diffs are built when they are this near to the visible part, and removed beyond it. */
const nearMargin = '600px 0px';
/** For the height of a diff that was not built yet, in pixels: lines around the changes, and their height. */
const [usualContext, lineHeight, mostLines] = [8, 20, 60];

/** Shared: creating one takes longer than drawing a review. */
const clockTime = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

interface ChangeFileProps {
  readonly change: PageChange;
  /** The session that is shown; absent for all. */
  readonly session: string | undefined;
  readonly onRestore: (selection: ChangeSelection, verb?: 'Undo') => unknown;
}

/** One changed file: its reviews, and a diff of what stands of them. */
export const ChangeFile = memo(function ChangeFile({ change, session, onRestore }: ChangeFileProps) {
  const shell = useShell();
  const id = useId();
  const { path, stamp, before, now, isAbsent, warnings, notes } = change;
  const isViewed = useStore(changesMemory, ({ viewed }) => viewed[path] === stamp);
  const isOpen = useStore(changesMemory, (memory) => memory.isOpen[path] ?? !(isViewed || isAbsent));
  const label = visibleName(change.label);
  return (
    <section className={styles.file} aria-label={label}>
      <header className={joinClasses('line wraps', styles.head)}>
        <h3 className={styles.name}>
          <button
            type="button"
            className="line"
            data-file={path}
            aria-expanded={isOpen}
            aria-controls={id}
            title={visibleName(path)}
            onClick={() => setOpen([path], !isOpen)}
          >
            <ChevronRight size={16} className="chevron" aria-hidden="true" />
            {label}
          </button>
        </h3>
        {!isAbsent && !isGone(change) && (
          <ChangeCounts change={{ ...change, isBinary: [before, now].includes('binary') }} />
        )}
        {isAbsent && <Badge>No net change</Badge>}
        {!isAbsent && before === 'missing' && now !== 'missing' && <Badge>New file</Badge>}
        {!isAbsent && now === 'missing' && <Badge>Deleted</Badge>}
        <Spacer />
        <Choice
          type="checkbox"
          className={styles.viewed}
          title={<span className="small">Viewed</span>}
          aria-label={`Viewed: ${label}`}
          checked={isViewed}
          onChange={() => markViewed(path, isViewed ? undefined : stamp)}
        />
        {now !== 'missing' && (
          <IconButton
            icon={FileInput}
            label={`Open ${label}`}
            onClick={() => void shell.openDocument(path)}
          />
        )}
        {!isAbsent && (
          <Button
            icon={Undo2}
            label={`Restore ${label}`}
            tip="Undo all of these changes to the file"
            onClick={() => onRestore(session === undefined ? { path } : { path, session })}
          >
            <span className={styles.word}>Restore</span>
          </Button>
        )}
        {change.undoable !== undefined && (
          <Button
            icon={Redo2}
            label={`Undo the restoration of ${label}`}
            tip="Bring the changes back"
            onClick={() => onRestore({ ids: [change.undoable ?? ''] }, 'Undo')}
          >
            <span className={styles.word}>Undo restoration</span>
          </Button>
        )}
        <ul
          className={joinClasses('line wraps small muted', styles.entries)}
          aria-label={`Reviews of ${label}`}
        >
          {change.entries.map((entry) => (
            <Entry key={entry.id} entry={entry} label={label} onRestore={onRestore} />
          ))}
        </ul>
      </header>
      <div id={id} hidden={!isOpen}>
        {isOpen && (
          <>
            <Notes notes={[...warnings, ...notes]} />
            {!isGone(change) && <Diff change={change} session={session} />}
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

/** What the diff does not show, in sentences. */
function Notes({ notes }: Pick<PageChange, 'notes'>) {
  return notes.map((note) => (
    <p key={note} className={joinClasses('muted small', styles.note)}>
      {note}
    </p>
  ));
}

interface EntryProps extends Pick<ChangeFileProps, 'onRestore'> {
  readonly entry: PageChange['entries'][number];
  readonly label: string;
}

/** A review that was accepted, an edit without a review, or a restoration. */
function Entry({ entry, label, onRestore }: EntryProps) {
  const { id, agent, agentName, how, at } = entry;
  const isRestoration = how === 'restored';
  const verb = isRestoration ? 'Undo' : 'Restore';
  const what = isRestoration
    ? `the restoration ${id} of ${label}`
    : how === 'written'
      ? `the edit ${id} of ${label}`
      : `review ${id} of ${label}`;
  return (
    <li className="line">
      {isRestoration ? <span>Restored</span> : <AgentName agent={agent} name={agentName} />}
      {how === 'accepted' && <span>review {id}, accepted</span>}
      {how === 'written' && <span>edit {id}, written without a review</span>}
      <time dateTime={new Date(at).toISOString()} title={dateAndTime.format(at)}>
        {clockTime.format(at)}
      </time>
      <Button
        kind="link"
        label={`${verb} ${what}`}
        onClick={() => onRestore({ ids: [id] }, ...(isRestoration ? (['Undo'] as const) : []))}
      >
        {verb}
      </Button>
    </li>
  );
}

/** The diff, while it is near the visible part of the page. Elsewhere it only takes its room. */
function Diff({ change, session }: Pick<ChangeFileProps, 'change' | 'session'>) {
  const { added, removed } = change;
  const box = useRef<HTMLDivElement>(null);
  const height = useRef(Math.min(added + removed + usualContext, mostLines) * lineHeight);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === false && current.childElementCount > 0)
          height.current = current.offsetHeight;
        setNear(entry?.isIntersecting === true);
      },
      { root: current.closest('[data-changes]'), rootMargin: nearMargin },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const room = (minHeight: number | undefined, content?: ReactNode) => (
    <div ref={box} className={styles.diff} style={{ minHeight }}>
      {content}
    </div>
  );
  if (!isNear) return room(height.current);
  return room(undefined, <LoadedDiff change={change} session={session} height={height.current} />);
}

interface LoadedDiffProps extends Pick<ChangeFileProps, 'change' | 'session'> {
  /** Until the texts are loaded. */
  readonly height: number;
}

function LoadedDiff({ change, session, height }: LoadedDiffProps) {
  const { path, stamp, before, now } = change;
  const { host } = useShell().services;
  const mode = codePreferences((state) => state.diffMode);
  const { value, failure } = useLoaded(
    () => host.request('changes.read', { path, ...(session !== undefined && { session }) }),
    [host, path, stamp, session],
  );
  const label = visibleName(change.label);
  if (failure !== undefined) {
    return (
      <p className={styles.note} role="alert">
        {failure}
      </p>
    );
  }
  if (value === undefined) return <div style={{ minHeight: height }} />;
  const notes =
    before === 'binary' || now === 'binary'
      ? ['This file is not text, so its changes are not shown.']
      : value.notes;
  return (
    <>
      <Notes notes={notes} />
      {before !== 'binary' && now !== 'binary' && (
        <Comparison
          isPart
          path={path}
          mode={mode}
          before={before === 'missing' ? undefined : value.before}
          after={value.now}
          beforeLabel={`Before: ${label}`}
          afterLabel={`Now: ${label}`}
        />
      )}
    </>
  );
}

interface ChangesMemory {
  /** The stamps of the contents that the user marked as viewed, by path. */
  readonly viewed: Readonly<Record<string, string>>;
  /** Files that the user opened or closed, by path; the others are open until they are viewed. */
  readonly isOpen: Readonly<Record<string, boolean>>;
}

/** What this browser tab remembers of the changes of sessions. */
export const changesMemory = createStore<ChangesMemory>(() => ({ viewed: {}, isOpen: {} }));

/** Marks these contents of a file as viewed, which closes it; without a stamp, as not viewed. */
function markViewed(path: string, stamp: string | undefined): void {
  changesMemory.setState(({ viewed, isOpen }) => {
    const { [path]: _viewed, ...otherViewed } = viewed;
    const { [path]: _open, ...otherOpen } = isOpen;
    return {
      viewed: stamp === undefined ? otherViewed : { ...otherViewed, [path]: stamp },
      isOpen: otherOpen,
    };
  });
}

/** Opens or closes files. */
export function setOpen(paths: readonly string[], open: boolean): void {
  changesMemory.setState(({ isOpen }) => ({
    isOpen: { ...isOpen, ...Object.fromEntries(paths.map((path) => [path, open])) },
  }));
}
