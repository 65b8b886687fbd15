import { useEffect, useState } from 'react';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The time of day, new every 20 seconds: calm enough to read, exact enough for minutes. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 20_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** How long ago something was, in as few words as will do. */
function durationWords(ms: number): string {
  if (ms < minuteMs) return 'just now';
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h`;
  const days = Math.floor(ms / dayMs);
  return days === 1 ? '1 day' : `${days} days`;
}

interface SinceProps {
  readonly at: number;
  readonly now: number;
  /** What stands before a duration, such as "pending for"; "just now" stands alone. */
  readonly lead?: string;
}

/** For how long something has been so; the exact time is its tooltip. */
export function Since({ at, now, lead }: SinceProps) {
  // The clocks of two machines may differ: nothing has been so for less than no time.
  const ms = Math.max(0, now - at);
  const words = lead === undefined || ms < minuteMs ? durationWords(ms) : `${lead} ${durationWords(ms)}`;
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {words}
    </time>
  );
}
