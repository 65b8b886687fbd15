import type { ReviewSummary } from '@tandem/rpc';
// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { allowNotifications, watchForNotifications } from '../src/app/desktopNotifications.js';
import { createPageStore, type PageHost } from '../src/client/pageStore.js';
import { notificationPreferences } from '../src/client/preferences.js';
import type { PageEvent } from '../src/wire/index.js';
import { pageReview } from './support/pageReview.js';

const shown: { title: string; body?: string | undefined; click: () => void }[] = [];
let answer: NotificationPermission;
let isHidden: boolean;

/** The browser's notifications, as its specification describes them. */
class BrowserNotification {
  static permission: NotificationPermission = 'default';
  static async requestPermission(): Promise<NotificationPermission> {
    BrowserNotification.permission = answer;
    return answer;
  }

  onclick: (() => void) | null = null;

  constructor(title: string, { body }: NotificationOptions = {}) {
    shown.push({ title, body, click: () => this.onclick?.() });
  }

  close(): void {}
}

beforeEach(() => {
  shown.length = 0;
  answer = 'granted';
  isHidden = true;
  BrowserNotification.permission = 'default';
  vi.stubGlobal('Notification', BrowserNotification);
  vi.spyOn(document, 'hidden', 'get').mockImplementation(() => isHidden);
});

afterEach(() => {
  notificationPreferences.setState({ isOn: false });
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A page that has one pending review. Returns what sends it another list. */
function startPage(onOpen: (id: string) => void = () => {}): (reviews: readonly ReviewSummary[]) => void {
  let send = (_event: PageEvent): void => {};
  const host: PageHost = {
    connection: 'open',
    request: async () => null as never,
    onEvent: (listener) => {
      send = listener;
      return () => {};
    },
    onConnection: () => () => {},
    start: () => {},
    retry: () => {},
    close: () => {},
  };
  watchForNotifications(createPageStore(host), onOpen);
  const receive = (reviews: readonly ReviewSummary[]): void =>
    send({ event: 'reviews', ids: reviews.map(({ id }) => id), reviews: [...reviews] });
  receive([pageReview({ id: '1' })]);
  return receive;
}

const two = [pageReview({ id: '1' }), pageReview({ id: '2', label: 'src/b.ts' })];

it('notifies of a new proposal while the page is hidden, by the names of agent and file only', async () => {
  const opened: string[] = [];
  const receive = startPage((id) => opened.push(id));
  expect(await allowNotifications()).toBeUndefined();
  receive(two);
  expect(shown.map(({ title, body }) => ({ title, body }))).toEqual([
    { title: 'Gemini CLI', body: 'Gemini CLI proposes a change to src/b.ts' },
  ]);
  shown[0]?.click();
  expect(opened).toEqual(['2']);
});

it.each([
  ['the user has not turned it on', () => {}],
  [
    'the page is visible',
    async () => {
      await allowNotifications();
      isHidden = false;
    },
  ],
  [
    'the browser no longer allows it',
    async () => {
      await allowNotifications();
      BrowserNotification.permission = 'denied';
    },
  ],
])('shows nothing if %s', async (_why, prepare) => {
  const receive = startPage();
  await prepare();
  receive(two);
  expect(shown).toEqual([]);
});

it('says why there are none when the browser refuses', async () => {
  answer = 'denied';
  const receive = startPage();
  expect(await allowNotifications()).toMatch('does not allow notifications');
  receive(two);
  expect(shown).toEqual([]);
});

it('does not repeat what is pending, and not what was pending when the page began', async () => {
  const receive = startPage();
  await allowNotifications();
  receive(two);
  receive([...two]);
  receive(two.slice(1));
  expect(shown).toHaveLength(1);
});
