import { Text } from '@codemirror/state';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useFit } from '../client/loading.js';
import { joinClasses } from '../primitives/joinClasses.js';
import reviewStyles from '../review/review.module.css';
import { ReviewEditor, type ReviewLayout } from '../review/reviewEditor.js';
import styles from './documents.module.css';

/** From this width on, in pixels, the two texts are side by side. */
const wideEnough = 700;

interface ComparisonProps {
  readonly path: string;
  /** Absent for a new file. */
  readonly before: string | undefined;
  readonly after: string;
  readonly beforeLabel: string;
  readonly afterLabel: string;
  /** Receives the text after an edit. Without it, the text cannot be edited. */
  readonly onEdit?: (text: Text) => void;
}

/** Two compared texts, side by side or in one editor. F7 goes to the next change. */
export function Comparison(props: ComparisonProps) {
  const { path, before, after, beforeLabel, afterLabel, onEdit } = props;
  const parentRef = useRef<HTMLDivElement>(null);
  const panelRef = useRef<HTMLDivElement>(null);
  const editorRef = useRef<ReviewEditor>(undefined);
  const fit = useFit(parentRef, (width) => (width >= wideEnough ? 'split' : 'unified'));
  const layout: ReviewLayout | undefined = fit && before === undefined ? 'single' : fit;
  const isReadOnly = onEdit === undefined;
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
      className="stack grow"
      onKeyDown={(event) => {
        if (event.key !== 'F7') return;
        event.preventDefault();
        editorRef.current?.goToChange(event.shiftKey ? -1 : 1);
      }}
    >
      <div className={joinClasses('muted small', styles.names)} data-layout={layout} aria-hidden="true">
        {before !== undefined && <span>{beforeLabel}</span>}
        <span>{afterLabel}</span>
      </div>
      <div ref={panelRef} />
      <div ref={parentRef} className={joinClasses('grow', reviewStyles.text)} />
    </div>
  );
}
