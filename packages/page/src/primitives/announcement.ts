/** What is announced to screen readers, and when; `serial` distinguishes two equal texts. */
export interface Announcement {
  readonly text: string;
  readonly serial: number;
  readonly at: number;
}

export const noAnnouncement: Announcement = { text: '', serial: 0, at: 0 };

/** Announcements within this time, in milliseconds, are made together. */
const togetherMs = 100;

/** The announcement of `text` after another one, which it would replace before a screen reader has read it. */
export function nextAnnouncement(
  { text: last, serial, at: lastAt }: Announcement,
  text: string,
): Announcement {
  const at = performance.now();
  const isTogether = text !== '' && last !== '' && last !== text && at - lastAt < togetherMs;
  return { text: isTogether ? `${last} ${text}` : text, serial: serial + 1, at };
}
