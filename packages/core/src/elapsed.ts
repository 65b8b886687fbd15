/** How long ago something happened, in the largest unit that fits at least once. For display to users. */
export interface Elapsed {
  readonly count: number;
  readonly unit: 'second' | 'minute' | 'hour' | 'day';
}

const units = [
  ['day', 24 * 60 * 60 * 1000],
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
] as const;

/** Converts a span in milliseconds. A negative span, after the clock was set back, counts as zero. */
export function elapsed(milliseconds: number): Elapsed {
  for (const [unit, length] of units) {
    if (milliseconds >= length) return { count: Math.floor(milliseconds / length), unit };
  }
  return { count: Math.max(0, Math.floor(milliseconds / 1000)), unit: 'second' };
}
