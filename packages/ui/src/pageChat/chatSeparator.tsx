import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { useStore } from 'zustand';
import {
  layoutPreferences,
  narrowestChat,
  setChatWidth,
  usualChat,
  widestChat,
} from '../app/layoutPreferences.js';
import styles from './chatPlace.module.css';

const stepPixels = 16;

/** The edge of the chat: dragged by the mouse, moved by the arrows, put back by a double click. */
export function ChatSeparator() {
  const width = useStore(layoutPreferences, (layout) => layout.chatWidth);
  const drag = useRef<{ readonly x: number; readonly width: number } | undefined>(undefined);
  const onKeyDown = (event: KeyboardEvent): void => {
    const widths: Record<string, number> = {
      ArrowLeft: width + stepPixels,
      ArrowRight: width - stepPixels,
      Home: widestChat,
      End: narrowestChat,
    };
    const next = widths[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setChatWidth(next);
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, width };
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (drag.current !== undefined) setChatWidth(drag.current.width - event.clientX + drag.current.x);
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
      aria-label="Width of the chat"
      aria-valuenow={width}
      aria-valuemin={narrowestChat}
      aria-valuemax={widestChat}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onDone}
      onPointerCancel={onDone}
      onDoubleClick={() => setChatWidth(usualChat)}
    />
  );
}
