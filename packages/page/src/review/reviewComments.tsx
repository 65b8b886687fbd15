import { EditorView } from '@codemirror/view';
import { Button, joinClasses, keyText } from '@tandem/chat-panel/primitives';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import styles from './review.module.css';
import { lineWords } from './reviewWords.js';
import {
  type CommentDraft,
  type CommentItem,
  type Comments,
  changeDraft,
  removeDraft,
} from './useComments.js';

interface ReviewCommentsProps {
  readonly comments: Comments;
  readonly isReadOnly: boolean;
}

/**
 * The comments on a review: those on lines in the boxes that the editor has for them; above the text those on the whole
 * change, and those whose lines this layout does not show.
 */
export function ReviewComments({ comments, isReadOnly }: ReviewCommentsProps) {
  const { items, boxes } = comments;
  const above = items.filter(({ key, side, lines }) => lines === undefined || isElsewhere(boxes, key, side));
  return (
    <>
      {above.length > 0 && (
        <section className={styles.comments} aria-label="Comments on the proposal">
          {above.map((item) => (
            <CommentBox key={item.key} item={item} comments={comments} isReadOnly={isReadOnly} />
          ))}
        </section>
      )}
      {items.map((item) => {
        const box = boxes.get(item.key);
        if (box === undefined || above.includes(item)) return null;
        return createPortal(
          <CommentBox item={item} comments={comments} isReadOnly={isReadOnly} />,
          box,
          item.key,
        );
      })}
    </>
  );
}

/** Lines of the file have a place only side by side. A box of the proposal is absent only while it is scrolled away. */
function isElsewhere(boxes: Comments['boxes'], key: string, side: CommentItem['side']): boolean {
  return side === 'file' && !boxes.has(key) && document.querySelector('.cm-merge-a') === null;
}

interface CommentBoxProps extends ReviewCommentsProps {
  readonly item: CommentItem;
}

function CommentBox({ item, comments, isReadOnly }: CommentBoxProps) {
  const { draft, comment } = item;
  const ref = useRef<HTMLElement>(null);
  // The editor must know how high the box is.
  useEffect(() => {
    if (ref.current !== null) EditorView.findFromDOM(ref.current)?.requestMeasure();
  });
  const name = placeName(item);
  return (
    <article ref={ref} className={styles.comment} aria-label={`Comment on ${name}`} data-comment>
      <header className="line muted small">
        <span className="grow">{name.charAt(0).toUpperCase() + name.slice(1)}</span>
        {draft !== undefined && <span>Draft</span>}
      </header>
      {draft !== undefined ? (
        <DraftForm key={draft.key} draft={draft} name={name} comments={comments} isReadOnly={isReadOnly} />
      ) : (
        comment !== undefined && (
          <>
            <p className={styles.commentText}>{comment.text}</p>
            {!isReadOnly && <CommentActions item={item} comments={comments} name={name} />}
          </>
        )
      )}
    </article>
  );
}

function CommentActions({
  item,
  comments,
  name,
}: Omit<CommentBoxProps, 'isReadOnly'> & { readonly name: string }) {
  const [failure, setFailure] = useState<string>();
  const { comment } = item;
  if (comment === undefined) return null;
  const remove = async (): Promise<void> => {
    const problem = await comments.onRemove(comment);
    setFailure(problem);
    if (problem === undefined) comments.onLeave();
  };
  return (
    <div className="line">
      <Button kind="quiet" label={`Edit the comment on ${name}`} onClick={() => comments.onEdit(comment)}>
        Edit
      </Button>
      <Button kind="quiet" label={`Delete the comment on ${name}`} onClick={() => void remove()}>
        Delete
      </Button>
      <p className="small" role="status">
        {failure}
      </p>
    </div>
  );
}

interface DraftFormProps extends ReviewCommentsProps {
  readonly draft: CommentDraft;
  readonly name: string;
}

function DraftForm({ draft, name, comments, isReadOnly }: DraftFormProps) {
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const { focusKey, onLeave, onSave } = comments;
  useLayoutEffect(() => {
    if (focusKey === draft.key) field.current?.focus();
  }, [focusKey, draft.key]);
  const isEmpty = draft.text.trim() === '';
  const cancel = (): void => {
    removeDraft(draft.key);
    onLeave();
  };
  const save = async (): Promise<void> => {
    if (isEmpty || isBusy || isReadOnly) return;
    setBusy(true);
    const problem = await onSave(draft);
    setBusy(false);
    setFailure(problem);
    if (problem === undefined) onLeave();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isSaving = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (!isSaving && event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    if (isSaving) void save();
    // What was typed stays.
    else if (isEmpty) cancel();
    else onLeave();
  };
  return (
    <>
      <textarea
        ref={field}
        aria-label={`Comment on ${name}`}
        rows={Math.min(8, Math.max(2, draft.text.split('\n').length))}
        value={draft.text}
        maxLength={longestComment}
        onChange={({ target }) => changeDraft(draft.key, { text: target.value })}
        onKeyDown={onKeyDown}
      />
      <div className="line wraps">
        {!isReadOnly && (
          <Button
            kind="primary"
            isDisabled={isEmpty || isBusy}
            tip={keyText('Mod+Enter')}
            onClick={() => void save()}
          >
            {draft.comment === undefined ? 'Add comment' : 'Save'}
          </Button>
        )}
        <Button kind="quiet" onClick={cancel}>
          {isEmpty ? 'Cancel' : 'Discard'}
        </Button>
        <p className={joinClasses('small', styles.failure)} role="alert">
          {failure}
        </p>
      </div>
    </>
  );
}

/** The host refuses a longer one. */
const longestComment = 5_000;

/** `line 3`, `lines 3 to 5 of the file`, `the whole proposal`. */
function placeName({ lines, side }: CommentItem): string {
  if (lines === undefined) return 'the whole proposal';
  const { first, last } = lines;
  const of = side === 'file' ? ' of the file' : '';
  return lineWords(first + 1, last + 1) + of;
}
