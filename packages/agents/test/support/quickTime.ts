import { onTestFinished, vi } from 'vitest';

/** Makes the limits of waits pass at once, until the test ends. Sockets keep their own time. */
export function useQuickTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const hurry = setInterval(() => vi.advanceTimersByTime(250), 5);
  onTestFinished(() => {
    clearInterval(hurry);
    vi.useRealTimers();
  });
}
