import { visibleName } from '@tandem/core';
import { FileDiff, GitMerge } from 'lucide-react';
import { usePendingByPath } from '../client/pageContext.js';
import { Banner } from '../primitives/banner.js';
import { Button } from '../primitives/button.js';
import type { PageReview } from '../wire/index.js';
import type { ReviewNotice } from './useDecision.js';

interface FileChangedBannerProps {
  readonly review: PageReview;
  readonly isReadOnly: boolean;
  readonly onMarkConflicts: () => void;
  readonly onUndoMerge: () => void;
}

/** Reports that the file changed on disk during the review: with a conflict, or merged into the text. */
export function FileChangedBanner(props: FileChangedBannerProps) {
  const { review, isReadOnly, onMarkConflicts, onUndoMerge } = props;
  if (review.isFileChanged) {
    return (
      <Banner
        kind="warning"
        role="status"
        actions={
          <Button isDisabled={isReadOnly} onClick={onMarkConflicts}>
            Show both versions
          </Button>
        }
      >
        <p>
          <strong>The file changed on disk on the same lines, or was deleted.</strong> Accepting undoes that.
        </p>
      </Banner>
    );
  }
  if (!review.canUndoMerge) return null;
  return (
    <Banner
      icon={GitMerge}
      role="status"
      actions={
        <Button isDisabled={isReadOnly} onClick={onUndoMerge}>
          Undo the merge
        </Button>
      }
    >
      The file changed on disk. Its changes are merged into this text.
    </Banner>
  );
}

interface SameFileBannersProps {
  readonly review: PageReview;
  readonly onSelect: (reviewId: string) => void;
}

/** Links to the other pending proposals for the same file. */
export function SameFileBanners({ review, onSelect }: SameFileBannersProps) {
  const pending = usePendingByPath().get(review.path) ?? [];
  return pending
    .filter(({ id }) => id !== review.id)
    .map(({ id, agentName }) => (
      <Banner
        key={id}
        icon={FileDiff}
        actions={
          <Button label={`Show the proposal by ${visibleName(agentName)}`} onClick={() => onSelect(id)}>
            Show
          </Button>
        }
      >
        {`${visibleName(agentName)} also proposes a change to this file.`}
      </Banner>
    ));
}

interface ReviewNoticesProps {
  /** Facts about the review that the text does not show. */
  readonly notes: readonly string[];
  /** The result of the last action. */
  readonly notice: ReviewNotice | undefined;
  readonly onDismiss: () => void;
}

export function ReviewNotices({ notes, notice, onDismiss }: ReviewNoticesProps) {
  const isProblem = notice?.kind === 'problem';
  return (
    <>
      {notes.map((note) => (
        <Banner key={note}>{visibleName(note)}</Banner>
      ))}
      <div role={isProblem ? 'alert' : 'status'}>
        {notice !== undefined && (
          <Banner kind={isProblem ? 'error' : 'good'} onDismiss={onDismiss}>
            {notice.text}
          </Banner>
        )}
      </div>
    </>
  );
}
