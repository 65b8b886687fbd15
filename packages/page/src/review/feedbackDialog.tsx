import { Button, Dialog, Spacer } from '@tandem/chat-panel/primitives';
import { messageOf, visibleName } from '@tandem/core';
import { composeFeedback } from '@tandem/reviews';
import type { Feedback, ReviewSummary } from '@tandem/rpc';
import { useEffect, useEffectEvent, useState } from 'react';
import { useShell } from '../app/shell.js';
import { usePage } from '../client/pageContext.js';
import { copyText } from '../client/textOutput.js';
import styles from './review.module.css';
import { type Comments, commentDrafts, draftOwner, remarkKey, setRemark } from './useComments.js';
import { contentOf, type OpenReview } from './useReview.js';

interface FeedbackDialogProps extends OpenReview {
  readonly review: ReviewSummary;
  readonly comments: Comments;
  /** Sends what was typed into the text of the review. */
  readonly settle: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** The text that an agent receives about its proposal, and the two ways to send it. */
export function FeedbackDialog({ details, text, review, comments, settle, onClose }: FeedbackDialogProps) {
  const { host, store } = usePage();
  const { notices } = useShell();
  const owner = draftOwner(review);
  const remark = commentDrafts(
    ({ drafts }) => drafts.find(({ key }) => key === remarkKey(owner))?.text ?? '',
  );
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const { id, agent, session, path, label, concerns } = review;
  const isHidden = concerns.some(({ kind }) => kind === 'hidden');
  const agentName = visibleName(review.agentName);
  const isPending = review.state === 'pending';

  const saveDrafts = useEffectEvent(async () => setFailure(await comments.saveAll()));
  useEffect(() => void saveDrafts(), []);

  const preview = (rejects: boolean): string | undefined =>
    composeFeedback({
      review: {
        comments: comments.comments,
        content: contentOf(text),
        original: { kind: 'text', text: details.original },
        proposal: { agent, session, path, content: details.proposed },
        state:
          rejects && isPending ? 'rejected' : review.state === 'interrupted' ? 'withdrawn' : review.state,
      },
      label,
      remark,
      quotes: !isHidden,
    });
  const shown = preview(true);

  const report = async ({ text: sent, delivery, note }: Feedback): Promise<void> => {
    const isCopied =
      delivery === 'clipboard' &&
      (await copyText(sent).then(
        () => true,
        () => false,
      ));
    notices.show({
      key: `feedback ${id}`,
      kind: 'info',
      text: isCopied ? `Copied. ${note}` : note,
      action: {
        label: 'Copy feedback',
        run: () =>
          void copyText(sent).then(
            () => notices.good('Copied the feedback.'),
            (error: unknown) => notices.error(messageOf(error)),
          ),
      },
    });
  };
  const send = async (rejects: boolean): Promise<void> => {
    if (isBusy || shown === undefined) return;
    setBusy(true);
    setFailure(undefined);
    try {
      // The last input belongs to the text; if it cannot be sent, the comments are.
      await settle().catch(() => {});
      if (rejects) store.setState({ decidedHere: { id } });
      const answer = await host.request('review.feedback', {
        id,
        ...(rejects && { rejects }),
        ...(remark.trim() !== '' && { text: remark }),
      });
      setRemark(owner, '');
      onClose();
      await report(answer);
    } catch (error) {
      setFailure(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Feedback to ${agentName}`} onClose={onClose}>
      <div className={styles.feedback}>
        <label>
          Feedback on the whole proposal
          <textarea
            data-first
            rows={3}
            value={remark}
            maxLength={5_000}
            onChange={({ target }) => setRemark(owner, target.value)}
          />
        </label>
        <section aria-label="Preview">
          <p className="muted small">
            {shown === undefined
              ? 'Write feedback here, or comment on lines of the proposal.'
              : `This text goes into the prompt of ${agentName}:`}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
          {shown !== undefined && <pre tabIndex={0}>{shown}</pre>}
        </section>
        <p role="alert">{failure}</p>
        <div className="line wraps">
          <Button onClick={onClose}>Cancel</Button>
          <Spacer />
          <Button
            kind={isPending ? 'plain' : 'primary'}
            isDisabled={isBusy || shown === undefined}
            onClick={() => void send(false)}
          >
            Send feedback
          </Button>
          {isPending && (
            <Button kind="primary" isDisabled={isBusy || shown === undefined} onClick={() => void send(true)}>
              Reject with feedback
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
