import { visibleName } from '@tandem/core';
import { useState } from 'react';
import { usePage, usePageState } from '../client/pageContext.js';
import { ConfirmDialog } from '../primitives/dialog.js';
import { joinClasses } from '../primitives/joinClasses.js';
import type { PageReview } from '../wire/index.js';
import buttons from './buttons.module.css';
import { downloadText } from './downloadText.js';
import styles from './reviewOutcome.module.css';
import { describeOutcome, type ReviewEnd } from './reviewWords.js';
import type { ReviewNotice } from './useDecision.js';
import { contentOf, messageOf, type OpenReview } from './useReview.js';

interface ReviewOutcomeProps extends OpenReview {
  readonly review: PageReview;
  readonly end: ReviewEnd;
  readonly isEdited: boolean;
  readonly onNotice: (notice: ReviewNotice) => void;
  readonly onSelect: ((reviewId: string) => void) | undefined;
}

/** What became of a review, and what can be done with the text that a person made in it. */
export function ReviewOutcome(props: ReviewOutcomeProps) {
  const { review, end, isEdited, text, onNotice, onSelect } = props;
  const { host } = usePage();
  const [isAsking, setAsking] = useState(false);
  const next = usePageState(({ reviews }) => nextReview(reviews, review, end));
  const label = visibleName(review.label);
  // An accepted text is on its way into the file.
  const isKept = isEdited && end.kind !== 'accepted';

  const tell = (ask: Promise<unknown>, done: string): void => {
    ask.then(
      () => onNotice({ kind: 'done', text: done }),
      (error: unknown) => onNotice({ kind: 'problem', text: messageOf(error) }),
    );
  };
  const copy = (): void => {
    navigator.clipboard.writeText(contentOf(text)).then(
      () => onNotice({ kind: 'done', text: 'Copied your text.' }),
      () =>
        onNotice({
          kind: 'problem',
          text: 'The browser did not allow copying. Select the text and copy it with the keyboard.',
        }),
    );
  };
  const save = (): void => {
    setAsking(false);
    const content = contentOf(text);
    tell(host.request('review.save', { id: review.id, content }), `Saved your text to ${label}.`);
  };
  const restore = (): void => {
    const { path } = review;
    const { original } = props.details;
    tell(
      host.request('document.restore', { path, base: original, content: contentOf(text) }),
      `Opened ${label} with your text as an unsaved change.`,
    );
  };

  return (
    <div className={joinClasses(styles.outcome, styles[end.kind])}>
      <p className={styles.words}>
        {describeOutcome(end, review)}
        {isKept && <strong> Your text is kept below.</strong>}
      </p>
      <div className={styles.actions}>
        {isKept && (
          <>
            <button type="button" className={buttons.button} onClick={copy}>
              Copy my text
            </button>
            {end.kind === 'restarted' ? (
              <button type="button" className={buttons.button} onClick={restore}>
                Open as unsaved change
              </button>
            ) : (
              <button
                type="button"
                className={buttons.button}
                // The agent writes the file when it goes on by itself: that would be lost.
                onClick={() => (end.reason === 'agent' ? setAsking(true) : save())}
              >
                Save to the file
              </button>
            )}
            <button
              type="button"
              className={buttons.button}
              onClick={() => downloadText(label, contentOf(text))}
            >
              Download
            </button>
          </>
        )}
        {next !== undefined && onSelect !== undefined && (
          <button
            type="button"
            className={joinClasses(buttons.button, buttons.primary)}
            onClick={() => onSelect(next)}
          >
            {end.reason === 'replaced' ? 'Show the newer one' : 'Next review'}
          </button>
        )}
      </div>
      {isAsking && (
        <ConfirmDialog
          title={`Save your text to ${label}?`}
          text={`${visibleName(review.agentName)} may have written this file since. Your text would replace what it wrote.`}
          confirm="Save my text"
          onConfirm={save}
          onCancel={() => setAsking(false)}
        />
      )}
    </div>
  );
}

/** The proposal that replaced this one, or else the one that has waited longest. */
function nextReview(reviews: readonly PageReview[], review: PageReview, end: ReviewEnd): string | undefined {
  const waiting = reviews.filter(({ id, state }) => state === 'pending' && id !== review.id);
  const newer = waiting.findLast(({ path, session }) => path === review.path && session === review.session);
  return end.reason === 'replaced' ? newer?.id : waiting[0]?.id;
}
