import { joinClasses, lineCountsInWords } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { type KeyboardEvent, lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react';
import { takesText } from '../app/pageFocus.js';
import { usePageState } from '../client/pageContext.js';
import type { ChangeRange } from './changeRanges.js';
import { FeedbackDialog } from './feedbackDialog.js';
import styles from './review.module.css';
import { ReviewNotices, ReviewOutcome, SameFileBanners } from './reviewBanners.js';
import { ReviewComments } from './reviewComments.js';
import type { CurrentChange, ReviewEditor } from './reviewEditor.js';
import { ReviewHeader } from './reviewHeader.js';
import { ReviewTools } from './reviewTools.js';
import { hasConflict, lineWords, type ReviewEnd, reviewCommand, reviewEnd } from './reviewWords.js';
import { useComments } from './useComments.js';
import { useDecision } from './useDecision.js';
import { type OpenReview, useKeptHunks, useTextFacts } from './useReview.js';
import { useLayout, useReviewEditor } from './useReviewEditor.js';

interface ReviewPaneProps extends OpenReview {
  readonly takesFocus: boolean;
  readonly onSelect: (reviewId: string) => void;
}

const RenderedMarkdown = lazy(async () => ({
  default: (await import('./renderedMarkdown.js')).RenderedMarkdown,
}));
const isMarkdown = /\.(?:md|markdown)$/i;

/** A unified view does not show more removed lines in one change. */
const mostLinesGone = 1_500;

const whySplit = `Shown side by side: one change removes more than ${mostLinesGone.toLocaleString('en')} lines, too many for the unified view.`;

/** An open review: what it is about, what can be done with it, and its text. */
export function ReviewPane({ details, text, takesFocus, onSelect }: ReviewPaneProps) {
  const { review, end } = useReviewNow(details.review);
  const label = visibleName(review.label);
  const [announcement, announce] = useState('');
  const bodyRef = useRef<HTMLDivElement>(null);
  const paneRef = useRef<HTMLElement>(null);
  const endRef = useRef<HTMLDivElement>(null);
  const kept = useKeptHunks(details);
  const isSingle = review.isNewFile || review.isBinary || details.original === '';
  const { layout, canSplit, isForced, choose } = useLayout(
    bodyRef,
    isSingle,
    details.hunks.some(({ original }) => original.count > mostLinesGone),
  );
  const { isEdited } = useTextFacts(text, review);
  const editorRef = useRef<ReviewEditor>(undefined);
  const decision = useDecision({ details, text }, editorRef, announce);
  const { busy, notice, setNotice } = decision;
  const comments = useComments(details, editorRef);
  const [isAnswering, answer] = useState(false);
  const [isRendered, render] = useState(false);
  const isReadOnly = end !== undefined || busy !== undefined || !('settle' in text);
  const { parentRef, panelRef, now, enterText } = useReviewEditor({
    details,
    text,
    review,
    label,
    layout,
    kept,
    isReadOnly,
    comments,
    editorRef,
    onToggle: (range) => void decision.toggle(range),
    onStep: decision.onStep,
  });
  const refusal = review.notes.find(({ kind }) => kind === 'empty-answer')?.text;

  const goToChange = (direction: 1 | -1): void => {
    const range = editorRef.current?.goToChange(direction);
    if (range !== undefined) announce(describeChange(range, editorRef.current?.view.state.doc));
  };
  const accept = (): void => {
    if (end === undefined && busy === undefined) void decision.accept();
  };
  const reject = (): void => {
    if (end === undefined && busy === undefined) void decision.reject();
  };
  const toggle = (range: ChangeRange | undefined): void => {
    if (range !== undefined) void decision.toggle(range);
    else if (editorRef.current?.showHiddenLines()) announce('Hidden lines are shown.');
    else announce('No change at the cursor. F7 goes to the next one.');
  };

  const addComment = (isWhole: boolean): void => {
    if (!isReadOnly) comments.onAdd(isWhole);
  };

  /** Runs the command of a key. Returns whether it has one. */
  const run = (event: globalThis.KeyboardEvent | KeyboardEvent): boolean => {
    const key = 'nativeEvent' in event ? event.nativeEvent : event;
    const { target } = event;
    const isInPanel = target instanceof Element && target.closest('.cm-panel, [data-comment]') !== null;
    const isTyped =
      target instanceof Element && takesText(target) && target.getAttribute('aria-readonly') !== 'true';
    const command = reviewCommand(key, isTyped);
    const isBeside = target === paneRef.current || target === document.body;
    if (command === 'edit' && !isBeside) return false;
    if (command === undefined || (isInPanel && (command === 'accept' || command === 'reject'))) return false;
    if (command === 'accept') accept();
    else if (command === 'reject') reject();
    else if (command === 'comment') addComment(false);
    else if (command === 'edit') enterText();
    else if (command === 'own') editorRef.current?.goToOwnEdit();
    else if (command === 'toggle') toggle(editorRef.current?.now.range);
    else goToChange(command === 'next' ? 1 : -1);
    return true;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isScrolled = event.target === paneRef.current && editorRef.current?.scroll(event.nativeEvent);
    if (!isScrolled && !run(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onLooseKey = useEffectEvent((event: globalThis.KeyboardEvent) => {
    const { target } = event;
    if (event.defaultPrevented || !(target instanceof HTMLElement) || paneRef.current?.offsetParent === null)
      return;
    if (takesText(target) || target.closest('dialog') !== null) return;
    // Outside the text, as in the list of reviews, keys move in the active review. They decide it or comment on it only if nothing has the focus.
    const command = reviewCommand(event);
    const isDeciding = command === 'accept' || command === 'reject' || command === 'comment';
    if (isDeciding && target !== document.body) return;
    if (run(event)) event.preventDefault();
  });
  useEffect(() => {
    const listener = (event: globalThis.KeyboardEvent): void => onLooseKey(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);

  // Not its text: keys are commands until the user enters it. A user who has entered it already stays there.
  useEffect(() => {
    const pane = paneRef.current;
    if (takesFocus && pane?.contains(document.activeElement) === false) pane.focus({ preventScroll: true });
  }, [takesFocus]);

  const isInConflict = hasConflict(review);
  useEffect(() => {
    // What was said about its conflict is over.
    if (!isInConflict) setNotice((said) => (said?.kind === 'done' ? undefined : said));
  }, [isInConflict, setNotice]);

  const endKind = end?.kind;
  const onEnd = useEffectEvent(() => {
    if (end === undefined) return;
    announce(end.text);
    // Earlier errors no longer matter.
    setNotice(undefined);
    // The pressed button was removed; keyboard users continue at its replacement.
    if (busy !== undefined && document.activeElement === document.body) endRef.current?.focus();
  });
  useEffect(() => {
    if (endKind !== undefined) onEnd();
  }, [endKind]);

  return (
    <section
      ref={paneRef}
      tabIndex={-1}
      className={joinClasses('stack', styles.pane)}
      aria-label={`Review of ${label} by ${visibleName(review.agentName)}`}
      onKeyDownCapture={onKeyDown}
    >
      <ReviewHeader
        review={review}
        isEdited={isEdited}
        isEnded={end !== undefined}
        busy={busy}
        refusal={refusal}
        commentCount={comments.items.length}
        onAccept={accept}
        onReject={reject}
        onFeedback={() => answer(true)}
        onRun={(action) => void decision.run(action)}
      />
      <div ref={endRef} tabIndex={-1}>
        {end !== undefined && (
          <ReviewOutcome
            review={review}
            end={end}
            details={details}
            text={text}
            isEdited={isEdited && !review.isMerged}
            onNotice={setNotice}
            onSelect={onSelect}
          />
        )}
      </div>
      <ReviewTools
        now={now}
        layout={layout}
        canSplit={canSplit}
        isEdited={isEdited || kept.includes(false)}
        isReadOnly={isReadOnly}
        onLayout={choose}
        onGo={goToChange}
        onToggle={() => toggle(editorRef.current?.now.range)}
        {...(isMarkdown.test(review.path) && { isRendered, onRender: () => render(!isRendered) })}
        onComment={() => addComment(true)}
        onOwnEdit={() => editorRef.current?.goToOwnEdit()}
        onFind={() => editorRef.current?.find()}
        onReset={() => void decision.reset(kept)}
      />
      {end === undefined && <SameFileBanners review={review} onSelect={onSelect} />}
      <ReviewNotices
        review={review}
        isReadOnly={isReadOnly}
        ownNotes={isForced ? [whySplit] : []}
        notice={notice}
        onDismiss={() => setNotice(undefined)}
        onRun={(action) => void decision.run(action)}
      />
      {isAnswering && (
        <FeedbackDialog
          details={details}
          text={text}
          review={review}
          comments={comments}
          settle={decision.settle}
          onClose={() => answer(false)}
        />
      )}
      <div className="stack grow" ref={bodyRef}>
        <div ref={panelRef} />
        <ReviewComments comments={comments} isReadOnly={isReadOnly} />
        {isRendered && (
          <Suspense>
            <RenderedMarkdown details={details} text={text} />
          </Suspense>
        )}
        {layout === 'split' && !isRendered && (
          <div className={joinClasses('muted small', styles.columns)}>
            <span>{isInConflict || end !== undefined ? 'File when proposed' : 'Current file'}</span>
            <span>Proposal{isReadOnly ? '' : ', editable'}</span>
          </div>
        )}
        <div className={joinClasses('grow', styles.text)} hidden={isRendered} ref={parentRef} />
      </div>
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
    </section>
  );
}

/** The latest state of a review, also if the host no longer lists it. */
function useReviewNow(opened: OpenReview['details']['review']) {
  const listed = usePageState((state) => state.reviews.find(({ id }) => id === opened.id));
  const restarts = usePageState((state) => state.restarts);
  const [restartsBefore] = useState(restarts);
  const [known, setKnown] = useState(opened);
  if (listed !== undefined && listed !== known) setKnown(listed);
  const review = listed ?? known;
  const end: ReviewEnd | undefined = reviewEnd(review, {
    isRestarted: restarts !== restartsBefore,
    isEarlier: listed === undefined,
  });
  return { review, end };
}

function describeChange(
  { index, total, range }: CurrentChange,
  doc: { lineAt: (at: number) => { number: number }; length: number } | undefined,
): string {
  if (range === undefined || doc === undefined) return 'No changes.';
  const first = doc.lineAt(Math.min(range.fromB, doc.length)).number;
  const last = doc.lineAt(Math.min(Math.max(range.fromB, range.toB - 1), doc.length)).number;
  const kind = range.isDropped ? 'dropped, ' : range.hunk === undefined ? 'your own edit, ' : '';
  return `Change ${index + 1} of ${total}, ${kind}${lineWords(first, last)}, ${lineCountsInWords(range)}.`;
}
