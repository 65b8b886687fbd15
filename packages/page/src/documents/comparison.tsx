import { Text } from '@codemirror/state';
import { joinClasses, useFit } from '@tandem/chat-panel/primitives';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { DiffMode } from '../client/preferences.js';
import type { ChangeRange } from '../review/changeRanges.js';
import reviewStyles from '../review/review.module.css';
import { ReviewEditor, type ReviewLayout } from '../review/reviewEditor.js';
import type { PageHunk } from '../wire/index.js';
import styles from './documents.module.css';

/** From this width on, in pixels, the two texts are side by side. */
const wideEnough = 700;

interface WrittenHunks {
  readonly hunks: readonly PageHunk[];
  onUndo(hunk: number): unknown;
  readonly onKeep?: ((hunk: number) => unknown) | undefined;
}

interface ComparisonProps {
  readonly path: string;
  /** Absent for a new file. */
  readonly before: string | undefined;
  readonly after: string;
  readonly beforeLabel: string;
  readonly afterLabel: string;
  /** By default, it goes by the room there is. */
  readonly mode?: DiffMode;
  /** Whether it takes its place in a longer page: as high as its lines, and the page does not scroll to the first change. */
  readonly isPart?: boolean;
  /** The hunks between the two texts, and what undoes or keeps one: buttons beside it, and F8 and Shift+F8 at the cursor. */
  readonly written?: WrittenHunks | undefined;
  /** Receives the text after an edit. Without it, the text cannot be edited. */
  readonly onEdit?: (text: Text) => void;
}

/** Two compared texts, side by side or in one editor. F7 goes to the next change; F8 undoes the one at the cursor where that is possible, Shift+F8 keeps it. */
export function Comparison(props: ComparisonProps) {
  const {
    path,
    before,
    after,
    beforeLabel,
    afterLabel,
    mode = 'auto',
    isPart = false,
    written,
    onEdit,
  } = props;
  const parentRef = useRef<HTMLDivElement>(null);
  const panelRef = useRef<HTMLDivElement>(null);
  const editorRef = useRef<ReviewEditor>(undefined);
  const fit = useFit(parentRef, (width) => (width >= wideEnough ? 'split' : 'unified'));
  const wanted = fit === 'split' && mode !== 'auto' ? mode : fit;
  const layout: ReviewLayout | undefined = fit && before === undefined ? 'single' : wanted;
  const isReadOnly = onEdit === undefined;
  const decide = useEffectEvent((how: 'onUndo' | 'onKeep', { hunk }: Pick<ChangeRange, 'hunk'>) => {
    if (hunk !== undefined) written?.[how]?.(hunk);
  });
  const begin = useEffectEvent((as: ReviewLayout) => {
    if (parentRef.current === null || panelRef.current === null) return undefined;
    const editor: ReviewEditor = new ReviewEditor({
      parent: parentRef.current,
      panelParent: panelRef.current,
      layout: as,
      path,
      fileLabel: beforeLabel,
      label: afterLabel,
      original: Text.of((before ?? '').split('\n')),
      text: Text.of(after.split('\n')),
      isReadOnly,
      collapses: true,
      staysPut: isPart,
      written: written && {
        hunks: written.hunks,
        onUndo: (range) => decide('onUndo', range),
        onKeep: written.onKeep && ((range) => decide('onKeep', range)),
      },
      onEdit: () => onEdit?.(editor.view.state.doc),
    });
    return editor;
  });
  // An edited text only begins with `after`.
  const start = isReadOnly ? after : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text needs another editor.
  useEffect(() => {
    editorRef.current = layout && begin(layout);
    return () => editorRef.current?.destroy();
  }, [layout, path, before, start, isReadOnly]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles keys of the editors in it.
    <div
      className={isPart ? 'stack' : 'stack grow'}
      onKeyDown={(event) => {
        if (event.key === 'F7') editorRef.current?.goToChange(event.shiftKey ? -1 : 1);
        else if (event.key === 'F8' && written !== undefined) {
          const { hunk } = editorRef.current?.now.range ?? {};
          if (hunk !== undefined) written[event.shiftKey ? 'onKeep' : 'onUndo']?.(hunk);
        } else return;
        event.preventDefault();
      }}
    >
      {!isPart && (
        <div className={joinClasses('muted small', styles.names)} data-layout={layout} aria-hidden="true">
          {before !== undefined && <span>{beforeLabel}</span>}
          <span>{afterLabel}</span>
        </div>
      )}
      <div ref={panelRef} />
      <div ref={parentRef} className={joinClasses(!isPart && 'grow', reviewStyles.text)} />
    </div>
  );
}
