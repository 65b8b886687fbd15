import { Button, EmptyState } from '@tandem/chat-panel/primitives';
import { usePageState } from '../client/pageContext.js';
import { ReviewPane } from './reviewPane.js';
import { useReview } from './useReview.js';

interface ReviewViewProps {
  readonly reviewId: string;
  /** The user asked for this review: it takes the focus when it is loaded, beside its text. */
  readonly takesFocus: boolean;
  /** Shows another review instead. */
  readonly onSelect: (reviewId: string) => void;
}

/** One review, which fills its container. Give it a `key`: it shows one review only. */
export function ReviewView({ reviewId, takesFocus, onSelect }: ReviewViewProps) {
  const opened = useReview(reviewId);
  const isConnected = usePageState((state) => state.connection === 'open');
  if (opened.kind === 'open') {
    return <ReviewPane {...opened.review} takesFocus={takesFocus} onSelect={onSelect} />;
  }
  if (opened.kind === 'loading') {
    return (
      <section className="fill" aria-label="Review" aria-busy="true">
        <EmptyState>
          <p className="delayed">Opening the review…</p>
        </EmptyState>
      </section>
    );
  }
  return (
    <section className="fill" aria-label="Review">
      <EmptyState title="This review cannot be shown">
        <p role="alert">
          {isConnected
            ? opened.message
            : 'The companion cannot be reached. The review opens when the connection is restored.'}
        </p>
        <Button onClick={opened.retry}>Retry</Button>
      </EmptyState>
    </section>
  );
}
