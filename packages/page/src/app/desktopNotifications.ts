import { visibleName } from '@tandem/core';
import type { PageStore } from '../client/pageStore.js';
import { notificationPreferences } from '../client/preferences.js';
import { describeArrival } from './reviewArrivals.js';

/** Whether this browser has desktop notifications. */
export function canNotify(): boolean {
  return 'Notification' in window;
}

/** Asks the browser for the permission. Returns why there are no notifications, if it refuses. */
export async function allowNotifications(): Promise<string | undefined> {
  const permission = await Notification.requestPermission();
  notificationPreferences.setState({ isOn: permission === 'granted' });
  if (permission === 'granted') return undefined;
  return 'The browser does not allow notifications. Allow them for this page in its settings.';
}

/** Notifies of new proposals while the page is hidden, if the user turned it on. Names the agent and the file, no content. */
export function watchForNotifications(store: PageStore, onOpen: (reviewId: string) => void): void {
  let known: ReadonlySet<string> | undefined;
  store.subscribe(({ reviews, restarts }, before) => {
    if (reviews === before.reviews && restarts === before.restarts) return;
    const pending = reviews.filter(({ state }) => state === 'pending');
    // What the page begins with, also after a restart, is not new.
    const fresh = restarts === before.restarts ? pending.filter(({ id }) => known?.has(id) === false) : [];
    known = new Set(pending.map(({ id }) => id));
    const last = fresh.at(-1);
    if (last === undefined || !document.hidden || !notificationPreferences.getState().isOn) return;
    if (!canNotify() || Notification.permission !== 'granted') return;
    // One notification, which the next one replaces.
    const notification = new Notification(visibleName(last.agentName), {
      body: describeArrival(fresh),
      tag: 'tandem-review',
    });
    notification.onclick = () => {
      window.focus();
      onOpen(last.id);
      notification.close();
    };
  });
}
