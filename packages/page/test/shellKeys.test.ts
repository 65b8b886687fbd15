import { expect, test } from 'vitest';
import { isSlip } from '../src/app/shellKeys.js';

/** `at`: milliseconds after the page has opened the next review by itself. */
function press(shell: { advancedAt: number }, key: string, at: number, isHeld = false): boolean {
  const hasMod = key.startsWith('Mod+');
  const event = { key: key.replace('Mod+', ''), ctrlKey: hasMod, metaKey: false, repeat: isHeld };
  return isSlip(shell, { ...event, timeStamp: 10_000 + at });
}

test('a second Mod+Enter was meant for the review before, unless it comes later or the user has typed', () => {
  const shell = { advancedAt: 10_000 };
  expect(press(shell, 'Mod+Enter', 100)).toBe(true);
  expect(press(shell, 'Mod+Enter', 800)).toBe(false);
  expect(press(shell, 'Mod+c', 200)).toBe(false);
  expect(press(shell, 'Mod+Enter', 300)).toBe(true);
  expect(press(shell, 'x', 400)).toBe(false);
  expect(press(shell, 'Mod+Enter', 500)).toBe(false);
  expect(press(shell, 'Mod+Enter', 600, true)).toBe(true);
});
