import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { whyNotWhole } from '../src/scan/rootLimits.js';
import { isYoung } from '../src/scan/stamp.js';

describe('a folder', () => {
  it('is not looked at as a whole if it is a root, a home folder, around one, or of the system', () => {
    const above = realpathSync(mkdtempSync(join(tmpdir(), 'limits-')));
    const home = join(above, 'home');
    const project = join(home, 'project');
    mkdirSync(project, { recursive: true });
    expect(whyNotWhole('/', home)).toBe('it is the root of a file system');
    expect(whyNotWhole(home, home)).toBe('it is a home folder');
    expect(whyNotWhole(above, home)).toBe('it contains the home folder');
    expect(whyNotWhole('/usr', home)).toBe('it is a folder of the system');
    expect(whyNotWhole(project, home)).toBeUndefined();
  });
});

describe('a file', () => {
  const stamp = (ctimeNs: bigint) => ({ mtimeNs: ctimeNs, ctimeNs, size: 1n, ino: 1n, mode: 0o100644n });

  it('is read again if it changed within 20 ms, and on file systems with coarse times within 2 s', () => {
    const changedAt = 1_700_000_000_000;
    const fine = stamp(BigInt(changedAt) * 1_000_000n + 123_457n);
    expect([5, 19, 21, 1_500].map((after) => isYoung(fine, changedAt + after))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const coarse = stamp(BigInt(changedAt) * 1_000_000n);
    expect([5, 1_500, 2_001].map((after) => isYoung(coarse, changedAt + after))).toEqual([true, true, false]);
  });

  it('is not read again at each look because its time is in the future', () => {
    expect(isYoung(stamp(1_700_000_000_000_000_001n), 1_600_000_000_000)).toBe(false);
  });
});
