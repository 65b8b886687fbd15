import { Text } from '@codemirror/state';
import { useFit } from '@tandem/chat-panel/primitives';
import type { ReviewSummary } from '@tandem/rpc';
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { reviewTab } from '../app/tabList.js';
import { codePreferences, type DiffMode } from '../client/preferences.js';
import type { ChangeRange } from './changeRanges.js';
import { type CurrentChange, type HunkDecision, ReviewEditor, type ReviewLayout } from './reviewEditor.js';
import type { Comments } from './useComments.js';
import type { OpenReview } from './useReview.js';

interface Options extends OpenReview {
  readonly review: ReviewSummary;
  readonly label: string;
  readonly layout: ReviewLayout | undefined;
  readonly kept: readonly boolean[];
  readonly isReadOnly: boolean;
  readonly comments: Pick<Comments, 'hooks' | 'spots'>;
  /** Holds the editor while there is one. */
  readonly editorRef: RefObject<ReviewEditor | undefined>;
  readonly onToggle: (range: ChangeRange) => void;
  readonly onStep: (decisions: readonly HunkDecision[]) => void;
}

/** Creates the editor of a review, and a new one for each layout. */
export function useReviewEditor(options: Options) {
  const { details, text, layout, kept, isReadOnly, review, label, editorRef } = options;
  const parentRef = useRef<HTMLDivElement>(null);
  const panelRef = useRef<HTMLDivElement>(null);
  const wantsFocus = useRef(false);
  const [now, setNow] = useState<CurrentChange>({ index: -1, total: 0, range: undefined, ownEdits: 0 });
  const collapses = codePreferences((state) => state.collapsesUnchanged);
  const onToggle = useEffectEvent(options.onToggle);
  const onStep = useEffectEvent(options.onStep);
  const { spots } = options.comments;
  const showComments = useEffectEvent(() => editorRef.current?.setComments(spots));
  const begin = useEffectEvent(
    (parent: HTMLElement, panelParent: HTMLElement, as: ReviewLayout): ReviewEditor => {
      return new ReviewEditor({
        parent,
        panelParent,
        layout: as,
        path: review.path,
        fileLabel: `File: ${label}`,
        label: `Proposal: ${label}`,
        original: Text.of(details.original.split('\n')),
        proposal: details,
        kept,
        isReadOnly,
        collapses,
        positionKey: reviewTab(review.id).key,
        text,
        comments: options.comments.hooks,
        onToggle,
        onMove: setNow,
        onStep,
      });
    },
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: effect events are no dependencies.
  useEffect(() => {
    const parent = parentRef.current;
    const panelParent = panelRef.current;
    if (parent === null || panelParent === null || layout === undefined) return;
    const editor = begin(parent, panelParent, layout);
    editorRef.current = editor;
    showComments();
    setNow(editor.now);
    if (wantsFocus.current) editor.view.focus();
    return () => {
      // The next layout of the same text keeps the focus.
      wantsFocus.current = parent.contains(document.activeElement);
      editorRef.current = undefined;
      editor.destroy();
    };
  }, [layout, text, details, review.id]);

  const update = useEffectEvent((change: (editor: ReviewEditor) => void): void => {
    if (editorRef.current !== undefined) change(editorRef.current);
  });
  useEffect(() => update((editor) => editor.setKept(kept)), [kept]);
  // At once: what is typed next belongs to a box that was just opened.
  useLayoutEffect(() => update((editor) => editor.setComments(spots)), [spots]);
  useEffect(() => update((editor) => editor.setReadOnly(isReadOnly)), [isReadOnly]);
  const shownCollapses = useRef(collapses);
  useEffect(() => {
    if (shownCollapses.current === collapses) return;
    shownCollapses.current = collapses;
    update((editor) => editor.setCollapses(collapses));
  }, [collapses]);

  /** Moves the focus into the text, also if its editor is not there yet. */
  const enterText = (): void => {
    wantsFocus.current = true;
    editorRef.current?.view.focus();
  };
  return { parentRef, panelRef, now, enterText };
}

/** From this width on, in pixels, the texts are side by side by default. */
const wideEnough = 900;
/** Below this width they are never side by side. */
const tooNarrow = 560;

interface Layout {
  /** Absent until the room is known. */
  readonly layout: ReviewLayout | undefined;
  /** Whether the user can choose between the two. */
  readonly canSplit: boolean;
  /** Whether the layout differs from the preference. */
  readonly isForced: boolean;
  readonly choose: (layout: 'split' | 'unified') => void;
}

/**
 * The layout of a review in the width of an element. A change with very many removed lines is always side by side, because a
 * unified view renders them all at every key.
 */
export function useLayout(
  element: RefObject<HTMLElement | null>,
  isSingle: boolean,
  isVast: boolean,
): Layout {
  const mode = codePreferences((state) => state.diffMode);
  const room = useFit(element, (width) =>
    width >= wideEnough ? 'wide' : width < tooNarrow ? 'narrow' : 'middle',
  );
  const byRoom = room === 'wide' ? 'split' : 'unified';
  const choose = (layout: 'split' | 'unified'): void => {
    // Choosing the default layout of this width returns to automatic layout.
    const diffMode: DiffMode = layout === byRoom ? 'auto' : layout;
    codePreferences.setState({ diffMode });
  };
  const canSplit = !isSingle && !isVast && room !== 'narrow';
  const wanted = room !== 'narrow' && mode !== 'auto' ? mode : byRoom;
  const given = { canSplit, isForced: false, choose };
  if (room === undefined) return { ...given, layout: undefined };
  if (isSingle) return { ...given, layout: 'single' };
  if (isVast) return { ...given, layout: 'split', isForced: wanted !== 'split' };
  return { ...given, layout: wanted };
}
