import { visibleName } from '@tandem/core';
import { Check, X } from 'lucide-react';
import { usePageState } from '../client/pageContext.js';
import { joinClasses } from '../primitives/joinClasses.js';
import type { PageReview } from '../wire/index.js';
import { AgentName } from './agentName.js';
import buttons from './buttons.module.css';
import { ChangeCounts } from './changeCounts.js';
import styles from './reviewHeader.module.css';
import { ariaKeys, shownKeys } from './reviewKeys.js';
import { Since, useNow } from './since.js';

interface ReviewHeaderProps {
  readonly review: PageReview;
  readonly isEmptied: boolean;
  readonly isEdited: boolean;
  readonly isEnded: boolean;
  readonly busy: 'accept' | 'reject' | undefined;
  /** Why the text as it stands cannot be accepted. */
  readonly refusal: string | undefined;
  readonly onAccept: () => void;
  readonly onReject: () => void;
}

const acceptKeys = 'Mod+Enter';
const rejectKeys = 'Mod+Shift+Backspace';

/** Who proposes what, since when and how much of it, and the two buttons that decide. */
export function ReviewHeader(props: ReviewHeaderProps) {
  const { review, isEmptied, isEdited, isEnded } = props;
  const now = useNow();
  const label = visibleName(review.label);
  const slash = label.lastIndexOf('/') + 1;
  return (
    <header className={styles.header}>
      <div className={styles.what}>
        <h2 className={styles.file} title={visibleName(review.path)}>
          <span className={styles.folder}>{label.slice(0, slash)}</span>
          <span className={styles.name}>{label.slice(slash)}</span>
        </h2>
        <p className={styles.facts}>
          <AgentName agent={review.agent} name={review.agentName} />
          <ChangeCounts change={review} />
          {!isEnded && (
            <span className={styles.since}>
              <Since at={review.openedAt} now={now} lead="pending for" />
            </span>
          )}
          {review.isNewFile && <span className={styles.badge}>New file</span>}
          {isEmptied && <span className={styles.warning}>Empties the file</span>}
          {review.isBinary && <span className={styles.warning}>Replaces a binary file</span>}
          {review.heldBack !== undefined && (
            <span className={styles.warning} title={visibleName(review.heldBack)}>
              Held back from the agent
            </span>
          )}
          {review.isInGitFolder && <span className={styles.warning}>In a .git folder</span>}
          {review.isOutsideWorkspace && <span className={styles.warning}>Outside the workspace</span>}
          {isEdited && <span className={styles.badge}>Edited</span>}
          {!isEnded && review.notKept !== undefined && <span className={styles.warning}>Not saved</span>}
          {review.title !== undefined && !visibleName(review.title).includes(label.slice(slash)) && (
            <span className={styles.title}>{visibleName(review.title)}</span>
          )}
        </p>
      </div>
      {!isEnded && <Decide {...props} />}
    </header>
  );
}

function Decide({ busy, refusal, onAccept, onReject }: ReviewHeaderProps) {
  const isLost = usePageState(({ connection }) => connection === 'lost' || connection === 'refused');
  // A press explains the same: these buttons keep their place in the order of Tab.
  const obstacle = isLost ? 'The companion cannot be reached. Decide once it is connected.' : undefined;
  return (
    <div className={styles.decide}>
      <button
        type="button"
        className={joinClasses(buttons.button, buttons.large)}
        onClick={onReject}
        aria-disabled={busy !== undefined || isLost}
        aria-keyshortcuts={ariaKeys(rejectKeys)}
        title={obstacle ?? `Reject the change (${shownKeys(rejectKeys)})`}
      >
        <X size={15} aria-hidden="true" />
        {busy === 'reject' ? 'Rejecting…' : 'Reject'}
      </button>
      <button
        type="button"
        className={joinClasses(buttons.button, buttons.large, buttons.primary)}
        onClick={onAccept}
        aria-disabled={busy !== undefined || isLost || refusal !== undefined}
        aria-keyshortcuts={ariaKeys(acceptKeys)}
        title={obstacle ?? refusal ?? `Accept the text as shown (${shownKeys(acceptKeys)})`}
      >
        <Check size={15} aria-hidden="true" />
        {busy === 'accept' ? 'Accepting…' : 'Accept'}
        <kbd className={styles.keys}>{shownKeys(acceptKeys)}</kbd>
      </button>
    </div>
  );
}
