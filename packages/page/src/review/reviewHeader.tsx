import { Badge, Button, ChangeCounts, IconButton, joinClasses, keyText } from '@tandem/chat-panel/primitives';
import { shownTitle, visibleName } from '@tandem/core';
import type { ReviewSummary } from '@tandem/rpc';
import { Check, ChevronLeft, ChevronRight, MessageSquareText, X } from 'lucide-react';
import { useShell } from '../app/shell.js';
import { usePageState } from '../client/pageContext.js';
import styles from './review.module.css';
import { AgentName, Since, useNow, Warnings } from './reviewParts.js';
import { changedWord } from './reviewWords.js';
import { placeInSession } from './sessionGroups.js';

interface ReviewHeaderProps {
  readonly review: ReviewSummary;
  readonly isEdited: boolean;
  readonly isEnded: boolean;
  readonly busy: 'accept' | 'reject' | undefined;
  /** Why the text cannot be accepted as it is. */
  readonly refusal: string | undefined;
  /** Comments and drafts of comments. */
  readonly commentCount: number;
  readonly onAccept: () => void;
  readonly onReject: () => void;
  readonly onFeedback: () => void;
  /** Does another action of the review. */
  readonly onRun: (action: string) => void;
}

const acceptKeys = 'Mod+Enter';
const rejectKeys = 'Mod+Shift+Backspace';

/** The file, the agent, the facts that matter for a decision, and the two buttons that decide. */
export function ReviewHeader(props: ReviewHeaderProps) {
  const { review, isEdited, isEnded } = props;
  const now = useNow();
  const label = visibleName(review.label);
  const slash = label.lastIndexOf('/') + 1;
  const changed = changedWord({ isEdited, isMerged: review.isMerged });
  const title = shownTitle(review.title, review.path);
  return (
    <header className={joinClasses('line wraps', styles.header)}>
      <div className={styles.about}>
        <h2 className={styles.file} title={visibleName(review.path)}>
          <span className="muted">{label.slice(0, slash)}</span>
          <strong>{label.slice(slash)}</strong>
        </h2>
        <p className={joinClasses('line wraps muted', styles.facts)}>
          <AgentName agent={review.agent} name={review.agentName} />
          <ChangeCounts change={review} />
          {!isEnded && <SessionPlace review={review} />}
          {!isEnded && <Since at={review.openedAt} now={now} before="pending for" />}
          {review.isNewFile && <Badge>New file</Badge>}
          <Warnings notes={review.notes} />
          {changed !== undefined && !review.writesOwnText && <Badge>{changed}</Badge>}
          {title !== '' && <span className="truncate">{title}</span>}
        </p>
      </div>
      {isEnded && props.commentCount > 0 && (
        <Button icon={MessageSquareText} onClick={props.onFeedback}>
          Send feedback…
        </Button>
      )}
      {!isEnded && <Decide {...props} />}
    </header>
  );
}

function Decide(props: ReviewHeaderProps) {
  const { review, busy, refusal, commentCount, onAccept, onReject, onFeedback, onRun } = props;
  const isLost = usePageState(({ connection }) => connection === 'lost' || connection === 'refused');
  const obstacle = isLost
    ? 'The companion cannot be reached. You can decide when the connection is restored.'
    : undefined;
  const isBusy = busy !== undefined;
  const labelOf = (wanted: string) => review.actions.find(({ id }) => id === wanted)?.label;
  return (
    <div className={joinClasses('line', styles.decide)}>
      {review.actions.filter(isElsewhere).map(({ id, label }) => (
        <Button key={id} isDisabled={isBusy} obstacle={obstacle} onClick={() => onRun(id)}>
          {label}
        </Button>
      ))}
      <Button
        icon={MessageSquareText}
        onClick={onFeedback}
        isDisabled={isBusy}
        obstacle={obstacle}
        tip="Reject with feedback, or send feedback only"
      >
        Feedback…{commentCount > 0 && <span className="numbers">{commentCount}</span>}
      </Button>
      <Button
        icon={X}
        onClick={onReject}
        isDisabled={isBusy}
        obstacle={obstacle}
        keys={rejectKeys}
        tip="Reject the proposal"
      >
        {busy === 'reject' ? 'Rejecting…' : labelOf('reject')}
      </Button>
      <Button
        kind="primary"
        icon={Check}
        onClick={onAccept}
        isDisabled={isBusy}
        obstacle={obstacle ?? refusal}
        keys={acceptKeys}
        tip="Accept the text as shown"
      >
        {busy === 'accept' ? 'Accepting…' : labelOf('accept')}
        <kbd>{keyText(acceptKeys)}</kbd>
      </Button>
    </div>
  );
}

/** Whether neither the buttons below nor a banner has this action. */
function isElsewhere({ id, about }: ReviewSummary['actions'][number]): boolean {
  return about === undefined && id !== 'accept' && id !== 'reject';
}

/** `3 of 14` pending reviews of the session, and the steps to the next and the previous one. Empty if there is only one. */
function SessionPlace({ review }: { readonly review: ReviewSummary }) {
  const shell = useShell();
  const reviews = usePageState((state) => state.reviews);
  const { place, count } = placeInSession(reviews, review);
  if (place === 0 || count < 2) return null;
  const step = (by: 1 | -1) => (): void => shell.stepReview(by);
  return (
    <span className="line">
      <IconButton icon={ChevronLeft} label="Previous review" keys="Alt+PageUp" onClick={step(-1)} />
      <span className="numbers">
        {place} of {count}
        <span className="visually-hidden"> pending reviews of this session</span>
      </span>
      <IconButton icon={ChevronRight} label="Next review" keys="Alt+PageDown" onClick={step(1)} />
    </span>
  );
}
