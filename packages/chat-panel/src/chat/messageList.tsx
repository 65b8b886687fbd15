import { isStreaming } from '@tandem/chat/model';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button, joinClasses } from '../primitives/index.js';
import { MessageRow, WorkingRow } from './messageRow.js';
import styles from './messages.module.css';
import { useModel, usePanel, useSending } from './panelState.js';

/** The conversation. Renders only the visible and the focused rows. Stays at its end unless the user scrolls up. */
export function MessageList() {
  const model = useModel((each) => each);
  const { items } = model;
  const isRunning = model.turn.state !== 'idle';
  const sending = useSending();
  // After the items come those that are being sent, and a row for a running turn.
  const count = items.length + sending.length + (isRunning ? 1 : 0);
  const scroller = useRef<HTMLDivElement>(null);
  const focused = useRef<number | undefined>(undefined);
  const list = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimate(items[index]?.kind),
    getItemKey: (index) =>
      index < items.length ? `${model.session?.id} ${index}` : `after ${index - items.length}`,
    overscan: 6,
    paddingStart: 12,
    paddingEnd: 12,
    anchorTo: 'end',
    scrollEndThreshold: nearEndPixels,
    // The focused row stays rendered, so that it keeps the focus.
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range);
      const at = focused.current;
      return at === undefined || at >= count || indexes.includes(at)
        ? indexes
        : [...indexes, at].sort((a, b) => a - b);
    },
  });
  const total = list.getTotalSize();
  const { isAtEnd, stick } = useStickToEnd(scroller, `${count} ${total}`);
  const sessionId = model.session?.id;
  const endRequest = usePanel((values) => values.endRequest);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for another conversation and after a message is sent.
  useLayoutEffect(() => stick(), [sessionId, endRequest, stick]);
  const rows = list.getVirtualItems();
  return (
    <div className={joinClasses('grow', styles.frame)}>
      <section
        ref={scroller}
        className={joinClasses('scrolls', styles.scroller)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
        tabIndex={0}
        aria-label="Conversation"
        data-chat-scroller
        onKeyDown={(event) => {
          // Home and End scroll long lines of code.
          if (event.target instanceof HTMLPreElement || event.altKey || event.ctrlKey || event.metaKey)
            return;
          // The browser alone misses the start, because rows are measured when they become visible.
          if (event.key === 'Home') list.scrollToIndex(0, { align: 'start' });
          else if (event.key === 'End') stick();
          else return;
          event.preventDefault();
        }}
        onFocus={(event) => {
          const row = event.target.closest<HTMLElement>('[data-index]');
          focused.current = row === null ? undefined : Number(row.dataset.index);
        }}
        onBlur={() => {
          focused.current = undefined;
        }}
      >
        <ul className={styles.space} aria-label="Messages" style={{ height: total }}>
          {rows.map(({ index, key, start }) => {
            const item = items[index];
            return (
              <li
                key={key}
                ref={list.measureElement}
                aria-setsize={items.length}
                aria-posinset={Math.min(index + 1, items.length)}
                className={joinClasses(styles.row, item?.parentToolCallId !== undefined && styles.nested)}
                data-index={index}
                data-kind={item?.kind ?? 'working'}
                style={{ transform: `translateY(${start}px)` }}
              >
                {item === undefined ? (
                  <WorkingRow sending={sending[index - items.length]} />
                ) : (
                  <MessageRow
                    item={item}
                    isStreaming={isStreaming(model, item)}
                    isLast={index === items.length - 1}
                  />
                )}
              </li>
            );
          })}
        </ul>
      </section>
      {!isAtEnd && (
        <Button icon={ArrowDown} className={styles.toEnd} onClick={stick}>
          {isRunning ? 'New messages' : 'Scroll to the end'}
        </Button>
      )}
    </div>
  );
}

function estimate(kind: string | undefined): number {
  return kind === 'assistant' ? 140 : kind === 'user' ? 70 : 40;
}

/** The distance within which a list counts as being at its end. */
const nearEndPixels = 48;
const upwardKeys = ['ArrowUp', 'PageUp', 'Home'];

/**
 * Keeps a growing list at its end until the user scrolls up, and again when they return. The scroll position alone does not
 * show whether the list is at its end, because new rows are not measured yet.
 *
 * @param size a value that changes when the list grows
 */
function useStickToEnd(
  scroller: RefObject<HTMLElement | null>,
  size: string,
): { readonly isAtEnd: boolean; stick(): void } {
  const [isAtEnd, setAtEnd] = useState(true);
  const sticks = useRef(true);
  // Set on the element: the virtual list corrects itself by its scroll position.
  const toEnd = useCallback((): void => {
    const { current } = scroller;
    if (current !== null) current.scrollTop = current.scrollHeight;
  }, [scroller]);
  const set = useCallback((value: boolean): void => {
    sticks.current = value;
    setAtEnd(value);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the list grows.
  useLayoutEffect(() => {
    if (sticks.current) toEnd();
  }, [size, toEnd]);
  useEffect(() => {
    const { current } = scroller;
    if (current === null) return;
    let isHeld = false;
    const look = (): void => {
      const isNear = current.scrollHeight - current.scrollTop - current.clientHeight <= nearEndPixels;
      if (isNear && !isHeld) set(true);
    };
    const leave = (): void => {
      set(false);
      // At the end, or in a short list, the user did not scroll.
      requestAnimationFrame(() => requestAnimationFrame(look));
    };
    const onWheel = (event: WheelEvent): void => {
      if (event.deltaY < 0) leave();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (upwardKeys.includes(event.key)) leave();
    };
    // The scroll bar belongs to the element.
    const onDown = (event: PointerEvent): void => {
      if (event.target !== current) return;
      isHeld = true;
      set(false);
    };
    const onUp = (): void => {
      isHeld = false;
      look();
    };
    const observer = new ResizeObserver(() => {
      // A new request makes the list smaller.
      if (sticks.current) toEnd();
    });
    observer.observe(current);
    if (current.firstElementChild !== null) observer.observe(current.firstElementChild);
    const listeners = new AbortController();
    const { signal } = listeners;
    current.addEventListener('scroll', look, { passive: true, signal });
    current.addEventListener('wheel', onWheel, { passive: true, signal });
    current.addEventListener('touchmove', leave, { passive: true, signal });
    current.addEventListener('keydown', onKey, { signal });
    current.addEventListener('pointerdown', onDown, { signal });
    window.addEventListener('pointerup', onUp, { signal });
    return () => {
      listeners.abort();
      observer.disconnect();
    };
  }, [scroller, set, toEnd]);
  const stick = useCallback((): void => {
    set(true);
    toEnd();
  }, [set, toEnd]);
  return { isAtEnd, stick };
}
