import { createStore, type StoreApi } from 'zustand/vanilla';

/** What a person should see without being interrupted. */
export interface Notice {
  /** Another notice with the same key takes its place. */
  readonly key: string;
  readonly kind: 'info' | 'good' | 'error';
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  /** How long it stays, in milliseconds; without one, until it is dismissed. */
  readonly staysMs?: number;
}

interface NoticeState {
  readonly notices: readonly Notice[];
  /** What a screen reader says next; `serial` tells two equal sentences apart. */
  readonly spoken: { readonly text: string; readonly serial: number };
}

const usualStayMs = 6_000;
/** More would cover the page. */
const mostNotices = 3;

/** The page's quiet messages: shown in a corner for a while and read out by screen readers. */
export class NoticeBoard {
  readonly state: StoreApi<NoticeState> = createStore(() => ({
    notices: [],
    spoken: { text: '', serial: 0 },
  }));

  /** Shows it and has it read out. */
  show(notice: Notice): void {
    this.state.setState(({ notices }) => ({
      notices: [...notices.filter(({ key }) => key !== notice.key), notice].slice(-mostNotices),
    }));
    this.say(notice.text);
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

  /** Shows what a request failed with, in the host's words. */
  failure(what: string, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
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

  /** Has it read out, and shows nothing. */
  say(text: string): void {
    this.state.setState(({ spoken }) => ({ spoken: { text, serial: spoken.serial + 1 } }));
  }
}
