import { CircleCheck, CircleX, Info, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { Button, IconButton } from '../primitives/button.js';
import type { Notice } from './noticeBoard.js';
import styles from './noticeList.module.css';
import { useShell } from './shellContext.js';

const icons = { info: Info, good: CircleCheck, error: CircleX };

/** The page's quiet messages in their corner, and the live region that says them. */
export function NoticeList() {
  const { notices: board } = useShell();
  const notices = useStore(board.state, (state) => state.notices);
  const spoken = useStore(board.state, (state) => state.spoken);
  return (
    <>
      <div className="visually-hidden" role="status" aria-live="polite" aria-label="Messages">
        {/* Another element each time, so that the same sentence is said again. */}
        <span key={spoken.serial}>{spoken.text}</span>
      </div>
      {notices.length > 0 && (
        <section className={styles.corner} aria-label="Notices">
          <ul className={styles.list}>
            {notices.map((notice) => (
              <NoticeItem key={notice.key} notice={notice} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function NoticeItem({ notice }: { readonly notice: Notice }) {
  const { notices } = useShell();
  const [isHeld, hold] = useState(false);
  useEffect(() => {
    if (notice.staysMs === undefined || isHeld) return;
    const timer = window.setTimeout(() => notices.dismiss(notice.key), notice.staysMs);
    return () => window.clearTimeout(timer);
  }, [notices, notice, isHeld]);
  const Icon = icons[notice.kind];
  const { action } = notice;
  return (
    <li
      className={styles.notice}
      data-kind={notice.kind}
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(false)}
      onFocus={() => hold(true)}
      onBlur={() => hold(false)}
    >
      <Icon size={16} className={styles.icon} aria-hidden="true" />
      <p className={styles.text}>{notice.text}</p>
      {action !== undefined && (
        <Button
          onClick={() => {
            notices.dismiss(notice.key);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon={X} label="Dismiss" onClick={() => notices.dismiss(notice.key)} />
    </li>
  );
}
