import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { ReviewView } from '../review/reviewView.js';
import { ErrorBoundary } from './errorBoundary.js';
import styles from './mainArea.module.css';
import { useShell } from './shellContext.js';
import { reviewTab } from './tabList.js';

/** One review in the main area. It takes the focus only where the person asked for it. */
export function ReviewPanel({ reviewId }: { readonly reviewId: string }) {
  const shell = useShell();
  const { key } = reviewTab(reviewId);
  const wish = useStore(shell.tabs.state, (state) => (state.wish?.key === key ? state.wish : undefined));
  // Kept: the review has its text only after its host was asked for it.
  const [takesFocus, takeFocus] = useState(wish !== undefined);
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (wish === undefined) return;
    takeFocus(true);
    // Where the person had scrolled to stays.
    panel.current?.querySelector<HTMLElement>('[contenteditable="true"]')?.focus({ preventScroll: true });
    shell.tabs.granted(wish.serial);
  }, [shell, wish]);
  return (
    <div ref={panel} className={styles.fill} id="review-panel">
      <ErrorBoundary name="This review">
        <ReviewView
          reviewId={reviewId}
          takesFocus={takesFocus}
          onSelect={(id) => shell.openReview(id, { takesFocus: true, replaces: reviewId })}
        />
      </ErrorBoundary>
    </div>
  );
}
