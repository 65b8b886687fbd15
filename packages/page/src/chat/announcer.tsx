import { usePanel } from './chatContext.js';

/** The region by which a screen reader hears of what happens: ends of answers, not their words one by one. */
export function Announcer() {
  const spoken = usePanel((values) => values.spoken);
  return (
    <div className="visually-hidden" role="status" aria-live="polite" aria-label="Chat">
      {/* Another element each time, so that the same sentence is said again. */}
      <span key={spoken.serial}>{spoken.text}</span>
    </div>
  );
}
