import { useEffect } from 'react';
import { useChat, usePanel } from './chatContext.js';
import { watchChat } from './watchChat.js';

/** The region by which a screen reader hears of what happens: ends of answers, not their words one by one. */
export function Announcer() {
  const { host, panel } = useChat();
  const spoken = usePanel((values) => values.spoken);
  useEffect(() => watchChat(host, panel), [host, panel]);
  return (
    <div className="visually-hidden" role="status" aria-live="polite" aria-label="Chat">
      {/* Another element each time, so that the same sentence is said again. */}
      <span key={spoken.serial}>{spoken.text}</span>
    </div>
  );
}
