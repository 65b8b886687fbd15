import type { BigIntStats } from 'node:fs';

/** What a file system says of a file without reading it. Two different contents may have one stamp: see `isYoung`. */
export interface Stamp {
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly size: bigint;
  readonly ino: bigint;
  readonly mode: bigint;
}

/**
 * For how long after a write another write may leave the same stamp. Linux before 6.13 takes the time from its timer, which
 * ticks every 1 to 10 ms.
 */
const fineWindowMs = 20;
/** On file systems with times in steps of 10 ms to 2 s. */
const coarseWindowMs = 2_000;
/** A time that is a multiple of this is from a file system with coarse times, or one of ten million others. */
const coarseStepNs = 10_000_000n;

/**
 * The stamp in some stats. Never run on macOS and Windows: nothing here assumes that an inode is stable or that `ctimeNs` is more
 * than a time, because an additional difference only means that the file is read once more. What a file system that leaves
 * `ctimeNs` alone hides there is a write of the same size whose `mtimeNs` somebody puts back.
 */
export function stampOf({ mtimeNs, ctimeNs, size, ino, mode }: BigIntStats): Stamp {
  return { mtimeNs, ctimeNs, size, ino, mode };
}

/** Whether nothing that a stamp contains differs. */
export function isSameStamp(one: Stamp, other: Stamp): boolean {
  return (
    one.ctimeNs === other.ctimeNs &&
    one.mtimeNs === other.mtimeNs &&
    one.size === other.size &&
    one.ino === other.ino &&
    one.mode === other.mode
  );
}

/** Whether a file that was read at this time could change again without another stamp. */
export function isYoung({ ctimeNs, mtimeNs }: Stamp, readAt: number): boolean {
  const isCoarse = ctimeNs % coarseStepNs === 0n && mtimeNs % coarseStepNs === 0n;
  const windowMs = isCoarse ? coarseWindowMs : fineWindowMs;
  return Math.abs(readAt - changeTime({ ctimeNs })) < windowMs;
}

/** The time of the last change, in Unix milliseconds with fractions. */
export function changeTime({ ctimeNs }: Pick<Stamp, 'ctimeNs'>): number {
  return Number(ctimeNs / 1_000_000n) + Number(ctimeNs % 1_000_000n) / 1e6;
}

/** The stamp as text, for states. */
export function stampText({ mtimeNs, ctimeNs, size, ino, mode }: Stamp): string {
  return [mtimeNs, ctimeNs, size, ino, mode].map((value) => value.toString(36)).join('-');
}

/** The permission bits. */
export function permissionsOf({ mode }: Pick<Stamp, 'mode'>): number {
  return Number(mode & 0o7777n);
}
