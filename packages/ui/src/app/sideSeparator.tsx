import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { useStore } from 'zustand';
import { layoutPreferences, narrowestSide, setSideWidth, widestSide } from './layoutPreferences.js';
import styles from './sideSeparator.module.css';

const stepPixels = 16;

/** The edge of the side bar: dragged by the mouse, moved by the arrows, put back by a double click. */
export function SideSeparator() {
  const width = useStore(layoutPreferences, (layout) => layout.sideWidth);
  const drag = useRef<{ readonly x: number; readonly width: number } | undefined>(undefined);
  const onKeyDown = (event: KeyboardEvent): void => {
    const widths: Record<string, number> = {
      ArrowLeft: width - stepPixels,
      ArrowRight: width + stepPixels,
      Home: narrowestSide,
      End: widestSide,
    };
    const next = widths[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setSideWidth(next);
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, width };
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (drag.current !== undefined) setSideWidth(drag.current.width + event.clientX - drag.current.x);
  };
  const onDone = (): void => {
    drag.current = undefined;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule that is moved is a separator with a value; <hr> has none.
    <div
      className={styles.separator}
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the side bar"
      aria-controls="side"
      aria-valuenow={width}
      aria-valuemin={narrowestSide}
      aria-valuemax={widestSide}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onDone}
      onPointerCancel={onDone}
      onDoubleClick={() => setSideWidth(280)}
    />
  );
}
