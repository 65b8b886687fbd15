import { ChangeCounts, joinClasses, RowButton } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import type { ReviewFacts, ReviewSummary } from '@tandem/rpc';
import { ChevronRight } from 'lucide-react';
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useCommand, usePageState } from '../client/pageContext.js';
import { listedReviews } from '../client/pageStore.js';
import { InterruptedTexts } from './interruptedTexts.js';
import styles from './queue.module.css';
import { matchesFilter } from './queueFilter.js';
import { Since, useNow, WarningMarks } from './reviewParts.js';
import { changedWord } from './reviewWords.js';
import { groupBySession, sessionViews } from './sessionGroups.js';
import { SessionHeading } from './sessionHeading.js';

interface ReviewQueueProps {
  /** The review that is shown, if one is. */
  readonly selectedId: string | undefined;
  readonly onSelect: (reviewId: string) => void;
}

/** With fewer reviews, the list needs no filter. */
const fewReviews = 8;

/** The interrupted reviews, then the pending ones by session, the oldest first, then the decided ones. */
export function ReviewQueue({ selectedId, onSelect }: ReviewQueueProps) {
  const allReviews = usePageState((state) => state.reviews);
  const interrupted = usePageState((state) => state.interrupted.length + state.keptHere.length);
  const isListed = usePageState((state) => state.isListed);
  const sessions = usePageState((state) => state.sessions);
  const collapsed = sessionViews((views) => views.collapsed);
  const now = useNow();
  const listRef = useRef<HTMLDivElement>(null);
  const history = usePageState((state) => state.decided);
  const listed = useMemo(
    () => listedReviews({ reviews: allReviews, decided: history }),
    [allReviews, history],
  );
  const [typed, setTyped] = useState('');
  const hasFilter = listed.length + interrupted > fewReviews;
  const filter = hasFilter ? typed.trim() : '';
  const reviews = useMemo(
    () => allReviews.filter((each) => matchesFilter(each, filter)),
    [allReviews, filter],
  );
  const decided = useMemo(
    () => listed.filter((each) => each.state !== 'pending' && matchesFilter(each, filter)),
    [listed, filter],
  );
  const groups = groupBySession(reviews, sessions);
  const [showsDecided, showDecided] = useState(false);
  useEffect(() => {
    if (selectedId === undefined) return;
    listRef.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [selectedId]);
  // One row is in the tab order: the one that is shown, otherwise the first.
  const isShown = ({ id, state, session }: ReviewSummary | ReviewFacts): boolean =>
    id === selectedId && (state === 'pending' ? !collapsed.has(session) : showsDecided);
  const tabStop =
    reviews.some(isShown) || decided.some(isShown) ? selectedId : (groups[0]?.id ?? decided[0]?.id);

  const onKeyDown = (event: KeyboardEvent): void => {
    const rows = [...(listRef.current?.querySelectorAll<HTMLElement>('button[data-row]') ?? [])].filter(
      (row) => row.checkVisibility?.() ?? true,
    );
    const { activeElement } = document;
    const at = activeElement instanceof HTMLElement ? rows.indexOf(activeElement) : -1;
    if (at < 0) return;
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    rows[Math.min(Math.max(target, 0), rows.length - 1)]?.focus();
  };

  const row = (review: ReviewSummary | ReviewFacts) => (
    <QueueRow
      key={review.id}
      review={review}
      now={now}
      isSelected={review.id === selectedId}
      isTabStop={review.id === tabStop}
      onSelect={onSelect}
    />
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it passes arrow keys between the buttons in it.
    <div ref={listRef} onKeyDown={onKeyDown}>
      {hasFilter && (
        <input
          type="search"
          className={styles.filter}
          aria-label="Filter reviews"
          placeholder="Filter: name, agent, conflict…"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
      <InterruptedTexts isWanted={(text) => matchesFilter(text, filter)} />
      {groups.map((group) => {
        const isExpanded = !collapsed.has(group.id);
        return (
          <section key={group.id} aria-label={`Session of ${visibleName(group.agentName)}`}>
            <SessionHeading
              group={group}
              isExpanded={isExpanded}
              isTabStop={group.id === tabStop}
              isFiltered={filter !== ''}
            />
            <ul
              id={`session-${group.id}`}
              aria-label={`Pending reviews of ${visibleName(group.agentName)}`}
              hidden={!isExpanded}
            >
              {isExpanded && <Rows reviews={group.pending} row={row} />}
            </ul>
          </section>
        );
      })}
      {groups.length === 0 &&
        (filter !== '' ? (
          <p className={joinClasses('muted', styles.none)} role="status">
            No pending review matches the filter.
          </p>
        ) : isListed ? (
          <NoPendingReviews hasDecided={decided.length > 0} />
        ) : (
          <p className={joinClasses('muted', styles.none)}>Loading…</p>
        ))}
      {decided.length > 0 && (
        <details
          className={styles.decided}
          open={showsDecided}
          onToggle={({ currentTarget }) => showDecided(currentTarget.open)}
        >
          <summary className="line muted small">
            <ChevronRight size={14} className="chevron" aria-hidden="true" />
            Decided <span className="numbers">{decided.length}</span>
          </summary>
          <ul aria-label="Decided reviews">{showsDecided && <Rows reviews={decided} row={row} />}</ul>
        </details>
      )}
    </div>
  );
}

/** How many rows appear at once: more than fit in a window. */
const firstRows = 60;

/** The rows of a list. In a long one, the others follow while the first ones can already be used. */
function Rows<R extends ReviewSummary | ReviewFacts>({
  reviews,
  row,
}: {
  readonly reviews: readonly R[];
  readonly row: (review: R) => ReactNode;
}) {
  const isComplete = useDeferredValue(true, reviews.length <= firstRows);
  return (isComplete ? reviews : reviews.slice(0, firstRows)).map(row);
}

interface QueueRowProps {
  readonly review: ReviewSummary | ReviewFacts;
  readonly now: number;
  readonly isSelected: boolean;
  readonly isTabStop: boolean;
  readonly onSelect: (reviewId: string) => void;
}

const QueueRow = memo(function QueueRow({ review, now, isSelected, isTabStop, onSelect }: QueueRowProps) {
  const label = visibleName(review.label);
  const slash = label.lastIndexOf('/') + 1;
  const pending = review.state === 'pending' && 'notes' in review ? review : undefined;
  const isClosing = usePageState(({ closing }) => closing.includes(review.id));
  const changed = isClosing ? 'Closing' : pending && changedWord(pending);
  return (
    <li className={styles.item}>
      <RowButton
        data-row
        className={styles.review}
        tabIndex={isTabStop ? 0 : -1}
        onClick={() => onSelect(review.id)}
        title={visibleName(review.path)}
        aria-current={isSelected ? 'true' : undefined}
      >
        <strong className={joinClasses(styles.name, 'truncate')}>{label.slice(slash)}</strong>
        <span className={joinClasses(styles.folder, 'truncate muted small')}>
          {label.slice(0, Math.max(0, slash - 1))}
        </span>
        {/* The heading above, or the tab, shows it. */}
        <span className="visually-hidden">{visibleName(review.agentName)}</span>
        {changed !== undefined && <em className="muted small">{changed}</em>}
        {pending ? (
          <>
            {pending.isNewFile && <span className="muted small">New</span>}
            <WarningMarks notes={pending.notes} />
            {!pending.isBinary && <ChangeCounts change={pending} />}
          </>
        ) : (
          <span className={joinClasses('line muted small', styles.end)}>
            {review.end?.label}
            <Since at={review.decidedAt ?? review.openedAt} now={now} />
          </span>
        )}
      </RowButton>
    </li>
  );
});

function NoPendingReviews({ hasDecided }: { readonly hasDecided: boolean }) {
  const command = useCommand();
  return (
    <div className={styles.none}>
      <strong>No pending reviews</strong>
      {hasDecided ? (
        <p className="muted">New proposals appear here.</p>
      ) : (
        <p className="muted">
          Ask a connected agent to change a file. Its proposal appears here. To try a review in a scratch
          folder, run <code>{command} demo</code>. It opens its own page.
        </p>
      )}
    </div>
  );
}
