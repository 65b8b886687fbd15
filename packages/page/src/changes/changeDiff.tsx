import { Button, joinClasses, useLoaded } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useShell } from '../app/shell.js';
import { codePreferences } from '../client/preferences.js';
import { Comparison } from '../documents/comparison.js';
import { lineWords } from '../review/reviewWords.js';
import type { PageChange, PageHunk } from '../wire/index.js';
import styles from './changes.module.css';

/** Diffs are built when they are this near to the visible part, and removed beyond it. */
const nearMargin = '600px 0px';
/** For the height of a diff that was not built yet, in pixels: lines around the changes, and their height. */
const [usualContext, lineHeight, mostLines] = [8, 20, 60];
/** So many hunks have buttons for the keyboard; F8 undoes and Shift+F8 keeps any. */
const mostButtons = 100;

/** Some hunks of a file, as it was shown. */
export interface ChosenHunks {
  readonly path: string;
  readonly group: string;
  readonly waits: boolean | undefined;
  readonly hunks: number[];
  readonly stamp: string;
}

/** Undoes or keeps hunks. */
export type OnHunk = (verb: 'undo' | 'keep', hunks: ChosenHunks) => unknown;

interface DiffProps {
  readonly change: PageChange;
  readonly onHunk: OnHunk;
}

/** The diff, while it is near the visible part of the page. Elsewhere it only takes its room. */
export function Diff({ change, onHunk }: DiffProps) {
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
  return room(undefined, <LoadedDiff change={change} onHunk={onHunk} height={height.current} />);
}

interface LoadedDiffProps extends DiffProps {
  /** Until the texts are loaded. */
  readonly height: number;
}

function LoadedDiff({ change, onHunk, height }: LoadedDiffProps) {
  const { path, group, waits, stamp, before, now } = change;
  const { host } = useShell().services;
  const mode = codePreferences((state) => state.diffMode);
  const { value, failure } = useLoaded(
    () => host.request('changes.read', { path, group, waits }),
    [host, path, stamp, group, waits],
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
  const isText = before !== 'binary' && now !== 'binary';
  const notes = isText ? value.notes : ['This file is binary, so its changes are not shown.'];
  const { hunks } = value;
  const choose =
    (verb: 'undo' | 'keep') =>
    (hunk: number): unknown =>
      onHunk(verb, { path, group, waits, hunks: [hunk], stamp: value.stamp });
  const onKeep = change.isWaiting ? choose('keep') : undefined;
  return (
    <>
      <Notes notes={notes} />
      {isText && before !== 'missing' && (
        <HunkButtons hunks={hunks} label={label} onUndo={choose('undo')} onKeep={onKeep} />
      )}
      {isText && (
        <Comparison
          isPart
          path={path}
          mode={mode}
          before={before === 'missing' ? undefined : value.before}
          after={value.now}
          beforeLabel={`Before: ${label}`}
          afterLabel={`Now: ${label}`}
          written={{ hunks, onUndo: choose('undo'), onKeep }}
        />
      )}
    </>
  );
}

interface HunkButtonsProps {
  readonly hunks: readonly PageHunk[];
  readonly label: string;
  readonly onUndo: (hunk: number) => unknown;
  readonly onKeep: ((hunk: number) => unknown) | undefined;
}

/** What the buttons beside the lines do, for the keyboard and for screen readers: each shows while it has the focus. */
function HunkButtons({ hunks, label, onUndo, onKeep }: HunkButtonsProps) {
  return (
    <ul className={styles.hunks} aria-label={`Changes of ${label}`}>
      {hunks.slice(0, mostButtons).map(({ proposed }, index) => (
        <li key={`${proposed.start} ${proposed.count}`} className="visually-hidden">
          {onKeep !== undefined && (
            <Button onClick={() => onKeep(index)}>
              {`Keep change ${index + 1} of ${hunks.length} in ${label}, ${placeOf(proposed)}`}
            </Button>
          )}
          <Button onClick={() => onUndo(index)}>
            {`Undo change ${index + 1} of ${hunks.length} in ${label}, ${placeOf(proposed)}`}
          </Button>
        </li>
      ))}
    </ul>
  );
}

function placeOf({ start, count }: PageHunk['proposed']): string {
  return count === 0 ? `after line ${start}` : lineWords(start + 1, start + count);
}

/** What the diff does not show, in sentences. */
export function Notes({ notes }: { readonly notes: readonly string[] }) {
  return notes.map((note) => (
    <p key={note} className={joinClasses('muted small', styles.note)}>
      {note}
    </p>
  ));
}
