import { Badge, joinClasses } from '@tandem/chat-panel/primitives';
import { type Elapsed, elapsed, visibleName } from '@tandem/core';
import { noteBadge } from '@tandem/reviews';
import type { ReviewSummary } from '@tandem/rpc';
import { useEffect, useState } from 'react';
import styles from './review.module.css';

/** An agent's name, with a mark in its colour. */
export function AgentName({ agent, name }: { readonly agent: string; readonly name: string }) {
  return (
    <span className={joinClasses('line', styles.agent)} data-agent={agent}>
      <span className={styles.mark} aria-hidden="true" />
      {visibleName(name)}
    </span>
  );
}

/** What the user has to know before accepting, each in a few words. */
export function Warnings({ notes }: Pick<ReviewSummary, 'notes'>) {
  return notes
    .filter(({ isWarning }) => isWarning)
    .map(({ kind, title, text }) => (
      <Badge key={`${kind} ${text}`} kind="warning" tip={visibleName(text)}>
        {title}
      </Badge>
    ));
}

/** The same in one word each, for a list with one line for each review. */
export function WarningMarks({ notes }: Pick<ReviewSummary, 'notes'>) {
  const marks = new Map<string, ReviewSummary['notes'][number]>();
  for (const note of notes)
    if (note.isWarning && !marks.has(noteBadge(note))) marks.set(noteBadge(note), note);
  return [...marks].map(([word, { title, text }]) => (
    <Badge key={word} kind="warning" tip={visibleName(text)}>
      <span aria-hidden="true">{word}</span>
      <span className="visually-hidden">{title}</span>
    </Badge>
  ));
}

/** The current time, updated at this interval in milliseconds. */
export function useNow(intervalMs = 20_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return now;
}

function durationText({ count, unit }: Elapsed): string {
  if (unit === 'day') return count === 1 ? '1 day' : `${count} days`;
  return `${count} ${unit === 'minute' ? 'min' : unit[0]}`;
}

interface SinceProps {
  readonly at: number;
  readonly now: number;
  /** Text before the duration, such as `pending for`. */
  readonly before?: string;
  /** Text after the duration, such as `ago`. */
  readonly after?: string;
  /** Whether to show seconds instead of "just now". */
  readonly hasSeconds?: boolean;
}

/** The time since an event, or "just now"; the exact time is its tooltip. */
export function Since({ at, now, before = '', after = '', hasSeconds = false }: SinceProps) {
  // The clocks of two machines may differ: a negative span counts as zero.
  const span = elapsed(now - at);
  return (
    <time className="numbers" dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {span.unit === 'second' && !hasSeconds ? 'just now' : `${before} ${durationText(span)} ${after}`.trim()}
    </time>
  );
}
