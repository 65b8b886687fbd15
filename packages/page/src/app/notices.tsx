import {
  type Announcement,
  Banner,
  Button,
  joinClasses,
  LiveRegion,
  nextAnnouncement,
  noAnnouncement,
} from '@tandem/chat-panel/primitives';
import { messageOf } from '@tandem/core';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import styles from './frame.module.css';

/** A message that does not interrupt the user. */
export interface Notice {
  /** Another notice with the same key replaces it. */
  readonly key: string;
  readonly kind: 'info' | 'good' | 'error';
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  /** How long it stays, in milliseconds; without one, until it is dismissed. */
  readonly staysMs?: number;
}

interface NoticeState {
  readonly notices: readonly Notice[];
  readonly announcement: Announcement;
}

const usualStayMs = 6_000;
/** More without a button would cover the page. */
const mostNotices = 3;

/** Notices: shown in a corner for a while, and read out by screen readers. */
export class NoticeBoard {
  readonly state: StoreApi<NoticeState> = createStore(() => ({
    notices: [],
    announcement: noAnnouncement,
  }));

  show(notice: Notice): void {
    this.state.setState(({ notices }) => {
      const all = [...notices.filter(({ key }) => key !== notice.key), notice];
      // The user may still need the button of an older one.
      const plain = all.filter(({ action }) => action === undefined).slice(-mostNotices);
      return { notices: all.filter((each) => each.action !== undefined || plain.includes(each)) };
    });
    this.announce(notice.text);
  }

  info(text: string, action?: Notice['action']): void {
    this.show({
      key: text,
      kind: 'info',
      text,
      staysMs: usualStayMs,
      ...(action !== undefined && { action }),
    });
  }

  good(text: string): void {
    this.show({ key: text, kind: 'good', text, staysMs: usualStayMs });
  }

  /** An error stays until it is dismissed: it says what to do. */
  error(text: string): void {
    this.show({ key: text, kind: 'error', text });
  }

  failure(what: string, error: unknown): void {
    const why = messageOf(error);
    this.error(`${what}: ${why}`);
  }

  /** Whether it is still shown. */
  has(key: string): boolean {
    return this.state.getState().notices.some((notice) => notice.key === key);
  }

  dismiss(key: string): void {
    if (!this.has(key)) return;
    this.state.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.key !== key) }));
  }

  /** Announces it to screen readers only. */
  announce(text: string): void {
    this.state.setState(({ announcement }) => ({ announcement: nextAnnouncement(announcement, text) }));
  }
}

/** The notices in their corner, and the live region that announces them. */
export function NoticeList({ board }: { readonly board: NoticeBoard }) {
  const notices = useStore(board.state, (state) => state.notices);
  const announcement = useStore(board.state, (state) => state.announcement);
  return (
    <>
      <LiveRegion label="Messages" announcement={announcement} />
      {notices.length > 0 && (
        <section className={joinClasses(styles.corner, styles.notices)} aria-label="Notices">
          <ul>
            {notices.map((notice) => (
              <NoticeItem key={notice.key} notice={notice} notices={board} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function NoticeItem({ notice, notices }: { readonly notice: Notice; readonly notices: NoticeBoard }) {
  const [isHeld, hold] = useState(false);
  useEffect(() => {
    if (notice.staysMs === undefined || isHeld) return;
    const timer = window.setTimeout(() => notices.dismiss(notice.key), notice.staysMs);
    return () => window.clearTimeout(timer);
  }, [notices, notice, isHeld]);
  const { action } = notice;
  const dismiss = (): void => notices.dismiss(notice.key);
  return (
    <li
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(false)}
      onFocus={() => hold(true)}
      onBlur={() => hold(false)}
    >
      <Banner
        kind={notice.kind}
        shape="inset"
        onDismiss={dismiss}
        actions={
          action !== undefined && (
            <Button
              onClick={() => {
                dismiss();
                action.run();
              }}
            >
              {action.label}
            </Button>
          )
        }
      >
        {notice.text}
      </Banner>
    </li>
  );
}
