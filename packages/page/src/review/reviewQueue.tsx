import { ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useCommand, usePageState } from '../client/pageContext.js';
import { InterruptedTexts } from './interruptedTexts.js';
import { QueueRow } from './queueRow.js';
import styles from './reviewQueue.module.css';
import { useNow } from './since.js';

interface ReviewQueueProps {
  /** The review that is shown, if one is. */
  readonly selectedId: string | undefined;
  readonly onSelect: (reviewId: string) => void;
}

/** The pending reviews, the oldest first; below them the interrupted ones, then those that ended. */
export function ReviewQueue({ selectedId, onSelect }: ReviewQueueProps) {
  const reviews = usePageState((state) => state.reviews);
  const now = useNow();
  const listRef = useRef<HTMLDivElement>(null);
  const waiting = reviews.filter(({ state }) => state === 'pending');
  const ended = reviews.filter(({ state }) => state !== 'pending');
  useEffect(() => {
    if (selectedId === undefined) return;
    listRef.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [selectedId]);
  // One row takes part in the order of Tab: the one that is shown, or the first.
  const isListed = reviews.some(({ id }) => id === selectedId);
  const tabStop = isListed ? selectedId : (waiting[0] ?? ended[0])?.id;

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

  const row = (review: (typeof reviews)[number]) => (
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
    <div className={styles.queue} ref={listRef} onKeyDown={onKeyDown}>
      {waiting.length > 0 ? (
        <ul className={styles.list} aria-label="Pending reviews">
          {waiting.map(row)}
        </ul>
      ) : (
        <NothingWaits hasEnded={ended.length > 0} />
      )}
      <InterruptedTexts />
      {ended.length > 0 && (
        <details className={styles.ended}>
          <summary>
            <ChevronRight size={14} aria-hidden="true" />
            Decided <span className={styles.number}>{ended.length}</span>
          </summary>
          <ul className={styles.list} aria-label="Decided reviews">
            {ended.map(row)}
          </ul>
        </details>
      )}
    </div>
  );
}

function NothingWaits({ hasEnded }: { readonly hasEnded: boolean }) {
  const command = useCommand();
  return (
    <div className={styles.empty}>
      <p className={styles.emptyTitle}>No pending reviews</p>
      {hasEnded ? (
        <p>New proposals appear here.</p>
      ) : (
        <p>
          Ask a connected agent to change a file. Its proposal appears here. <code>{command} demo</code> shows
          one in a scratch folder, on a page of its own.
        </p>
      )}
    </div>
  );
}
