import { joinClasses } from '@tandem/chat-panel/primitives';
import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import styles from './frame.module.css';

const stepPixels = 16;

interface PanelSeparatorProps {
  /** What a screen reader calls it. */
  readonly label: string;
  /** The edge of the panel that it is. */
  readonly edge: 'left' | 'right';
  /** Widths of the panel, in CSS pixels. */
  readonly width: number;
  readonly narrowest: number;
  readonly widest: number;
  readonly usual: number;
  /** Identifier of the panel, where it has one. */
  readonly controls?: string;
  readonly onWidth: (width: number) => void;
}

/** The edge of a panel: dragged by the mouse, moved by the arrows, put back by a double click. */
export function PanelSeparator(props: PanelSeparatorProps) {
  const { label, edge, width, narrowest, widest, usual, controls, onWidth } = props;
  const drag = useRef<{ readonly x: number; readonly width: number } | undefined>(undefined);
  /** What a way to the right does to the width. */
  const sign = edge === 'right' ? 1 : -1;
  const set = (wanted: number): void => onWidth(Math.round(Math.min(widest, Math.max(narrowest, wanted))));
  const onKeyDown = (event: KeyboardEvent): void => {
    const widths: Record<string, number> = {
      ArrowLeft: width - sign * stepPixels,
      ArrowRight: width + sign * stepPixels,
      Home: edge === 'right' ? narrowest : widest,
      End: edge === 'right' ? widest : narrowest,
    };
    const next = widths[event.key];
    if (next === undefined) return;
    event.preventDefault();
    set(next);
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, width };
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (drag.current !== undefined) set(drag.current.width + sign * (event.clientX - drag.current.x));
  };
  const onDone = (): void => {
    drag.current = undefined;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule that is moved is a separator with a value; <hr> has none.
    <div
      className={joinClasses(styles.separator, styles[edge])}
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-controls={controls}
      aria-valuenow={width}
      aria-valuemin={narrowest}
      aria-valuemax={widest}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onDone}
      onPointerCancel={onDone}
      onDoubleClick={() => set(usual)}
    />
  );
}
