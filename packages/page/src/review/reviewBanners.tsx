import { Banner, Button, ConfirmDialog } from '@tandem/chat-panel/primitives';
import { messageOf, visibleName } from '@tandem/core';
import type { ReviewSummary } from '@tandem/rpc';
import { CircleX, FileDiff, GitMerge } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useShell } from '../app/shell.js';
import { usePage, usePageState, usePendingByPath } from '../client/pageContext.js';
import { copyText, downloadText } from '../client/textOutput.js';
import { askAsNeeded } from './askAsNeeded.js';
import type { ReviewEnd } from './reviewWords.js';
import type { ReviewNotice } from './useDecision.js';
import { contentOf, type OpenReview } from './useReview.js';

interface SameFileBannersProps {
  readonly review: ReviewSummary;
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
  readonly review: ReviewSummary;
  readonly isReadOnly: boolean;
  /** What the page itself has to say about how it shows the review. */
  readonly ownNotes: readonly string[];
  /** The result of the last action. */
  readonly notice: ReviewNotice | undefined;
  readonly onDismiss: () => void;
  /** Runs an action of the review. */
  readonly onRun: (action: string) => void;
}

/** What the text does not show of a review, and the result of the last action. */
export function ReviewNotices(props: ReviewNoticesProps) {
  const { review, isReadOnly, ownNotes, notice } = props;
  const isProblem = notice?.kind === 'problem';
  const actionsAbout = (kind: string): ReactNode => {
    const found = review.actions.filter(({ about }) => about === kind);
    if (found.length === 0) return undefined;
    return found.map(({ id, label }) => (
      <Button key={id} isDisabled={isReadOnly} onClick={() => props.onRun(id)}>
        {label}
      </Button>
    ));
  };
  return (
    <>
      {/* Screen readers report what happens to the file during the review. */}
      <div role="status">
        {review.notes.map(({ kind, isWarning, text }) => (
          <Banner
            key={text}
            kind={isWarning ? 'warning' : 'info'}
            icon={kind === 'merged' ? GitMerge : undefined}
            actions={actionsAbout(kind)}
          >
            {visibleName(text)}
          </Banner>
        ))}
      </div>
      {ownNotes.map((note) => (
        <Banner key={note}>{note}</Banner>
      ))}
      <div role={isProblem ? 'alert' : 'status'}>
        {notice !== undefined && (
          <Banner kind={isProblem ? 'error' : 'good'} onDismiss={props.onDismiss}>
            {notice.text}
          </Banner>
        )}
      </div>
    </>
  );
}

interface ReviewOutcomeProps extends OpenReview {
  readonly review: ReviewSummary;
  readonly end: ReviewEnd;
  readonly isEdited: boolean;
  readonly onNotice: (notice: ReviewNotice) => void;
  readonly onSelect: (reviewId: string) => void;
}

/** How a review ended, and what the user can do with the text that they edited in it. */
export function ReviewOutcome(props: ReviewOutcomeProps) {
  const { review, end, isEdited, text, onNotice, onSelect } = props;
  const { host } = usePage();
  const shell = useShell();
  const [isAsking, setAsking] = useState(false);
  const next = usePageState(({ reviews }) => nextReview(reviews, review, end));
  const label = visibleName(review.label);
  // The agent writes an accepted text to the file.
  const isKept = isEdited && end.kind !== 'accepted';

  const report = (request: Promise<unknown>, done: string): void => {
    request.then(
      () => onNotice({ kind: 'done', text: done }),
      (error: unknown) => onNotice({ kind: 'problem', text: messageOf(error) }),
    );
  };
  const copy = (): void => report(copyText(contentOf(text)), 'Copied your text.');
  const save = (): void => {
    setAsking(false);
    const content = contentOf(text);
    askAsNeeded(shell, (answer) => host.request('review.save', { id: review.id, content, ...answer })).then(
      (saved) => saved !== undefined && onNotice({ kind: 'done', text: `Saved your text to ${label}.` }),
      (error: unknown) => onNotice({ kind: 'problem', text: messageOf(error) }),
    );
  };
  const restore = (): void => {
    const { path } = review;
    const { original } = props.details;
    report(
      host.request('document.restore', { path, base: original, content: contentOf(text) }),
      `Opened ${label} with your text as unsaved changes.`,
    );
  };

  return (
    <>
      <Banner
        kind={kinds[end.kind]}
        icon={end.kind === 'rejected' ? CircleX : undefined}
        actions={
          <>
            {isKept && <Button onClick={copy}>Copy my text</Button>}
            {isKept && end.kind === 'restarted' && <Button onClick={restore}>Open as unsaved changes</Button>}
            {isKept && end.kind !== 'restarted' && (
              // An agent that decided the review itself may write the file later: the saved text would be lost.
              <Button onClick={() => (end.reason === 'agent' ? setAsking(true) : save())}>
                Save to the file
              </Button>
            )}
            {isKept && <Button onClick={() => downloadText(label, contentOf(text))}>Download</Button>}
            {next !== undefined && (
              <Button kind="primary" onClick={() => onSelect(next)}>
                {end.reason === 'replaced' ? 'Show the newer one' : 'Next review'}
              </Button>
            )}
          </>
        }
      >
        <p>
          {end.text}
          {isKept && <strong> Your text is kept below.</strong>}
        </p>
      </Banner>
      {isAsking && (
        <ConfirmDialog
          title={`Save your text to ${label}?`}
          text={`${visibleName(review.agentName)} may have written this file since. Your text would replace what it wrote.`}
          confirm="Save my text"
          onConfirm={save}
          onCancel={() => setAsking(false)}
        />
      )}
    </>
  );
}

const kinds = { accepted: 'good', rejected: 'info', withdrawn: 'warning', restarted: 'warning' } as const;

/** The proposal that replaced this one, otherwise the oldest pending one. */
function nextReview(
  reviews: readonly ReviewSummary[],
  review: ReviewSummary,
  end: ReviewEnd,
): string | undefined {
  const pending = reviews.filter(({ id, state }) => state === 'pending' && id !== review.id);
  const newer = pending.findLast(({ path, session }) => path === review.path && session === review.session);
  return end.reason === 'replaced' ? newer?.id : pending[0]?.id;
}
