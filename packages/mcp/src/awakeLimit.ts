import { awakeTimeout } from '@tandem/core';

/** A signal that aborts once this process has run for `delayMs`. The caller disposes it after the answer. */
export function awakeLimit(delayMs: number): { readonly signal: AbortSignal; dispose(): void } {
  const limit = new AbortController();
  const timer = awakeTimeout(() => limit.abort(), delayMs);
  return { signal: limit.signal, dispose: () => timer.dispose() };
}
