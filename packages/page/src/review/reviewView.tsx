import { usePageState } from '../client/pageContext.js';
import { ReviewPane } from './reviewPane.js';
import styles from './reviewView.module.css';
import { useReview } from './useReview.js';

interface ReviewViewProps {
  readonly reviewId: string;
  /** The person asked for this review: its text takes the focus once it is there. */
  readonly takesFocus?: boolean;
  /** Shows another review instead. */
  readonly onSelect?: (reviewId: string) => void;
}

/** One review, in all the room that its container has. */
export function ReviewView(props: ReviewViewProps) {
  // Another review is another view: nothing of one shows in the other, not for a moment.
  return <OpenedReview key={props.reviewId} {...props} />;
}

function OpenedReview({ reviewId, takesFocus = false, onSelect }: ReviewViewProps) {
  const opened = useReview(reviewId);
  const isConnected = usePageState((state) => state.connection === 'open');
  if (opened.kind === 'open') {
    return <ReviewPane {...opened.review} takesFocus={takesFocus} onSelect={onSelect} />;
  }
  if (opened.kind === 'loading') {
    return (
      <section className={styles.state} aria-label="Review" aria-busy="true">
        <p className={styles.loading}>Opening the review…</p>
      </section>
    );
  }
  return (
    <section className={styles.state} aria-label="Review">
      <h2>This review cannot be shown</h2>
      <p role="alert">
        {isConnected
          ? opened.message
          : 'The companion cannot be reached. The review opens once it is connected.'}
      </p>
      <button type="button" className={styles.retry} onClick={opened.retry}>
        Try again
      </button>
    </section>
  );
}
