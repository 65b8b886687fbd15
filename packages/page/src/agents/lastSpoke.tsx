import { useEffect, useState } from 'react';

const minuteMs = 60_000;
/** Twice a minute, so that no minute is told late by more than a half. */
const tickMs = 30_000;

/** When an agent sent its last message, kept true while it is looked at. */
export function LastSpoke({ at }: { readonly at: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), tickMs);
    return () => window.clearInterval(timer);
  }, []);
  // A message may be later than the last tick.
  const words = spokenWords(Math.max(now, at) - at);
  return (
    <span>
      last message <time dateTime={new Date(at).toISOString()}>{words}</time>
    </span>
  );
}

function spokenWords(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / minuteMs);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ago` : `${Math.floor(hours / 24)} d ago`;
}
