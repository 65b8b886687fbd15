import { isStreaming } from '@tandem/chat/model';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { Button, joinClasses } from '../primitives/index.js';
import { useModel, usePanel, useSending } from './chatContext.js';
import { MessageRow, WorkingRow } from './messageRow.js';
import styles from './messages.module.css';
import { nearEndPixels, useStickToEnd } from './useStickToEnd.js';

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
