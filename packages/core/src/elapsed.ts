/** How long ago something was, in the largest unit that it fills: what a person wants to know of it. */
export interface Elapsed {
  readonly count: number;
  readonly unit: 'second' | 'minute' | 'hour' | 'day';
}

const units = [
  ['day', 24 * 60 * 60 * 1000],
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
] as const;

/** Of a span in milliseconds. A negative one, after a clock was set back, is none. */
export function elapsed(milliseconds: number): Elapsed {
  for (const [unit, length] of units) {
    if (milliseconds >= length) return { count: Math.floor(milliseconds / length), unit };
  }
  return { count: Math.max(0, Math.floor(milliseconds / 1000)), unit: 'second' };
}
