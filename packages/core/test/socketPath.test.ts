import { expect, test } from 'vitest';
import { isSocketPath } from '../src/index.js';

/** A path of this many bytes, most of them of letters that have two. */
const pathOf = (bytes: number): string => `/${'ä'.repeat(45)}${'x'.repeat(bytes - 91)}`;

test.each([
  ['linux', 107],
  ['darwin', 103],
  ['freebsd', 103],
])('the path of a socket has on %s at most %d bytes', (platform, most) => {
  expect(isSocketPath(pathOf(most), platform)).toBe(true);
  expect(isSocketPath(pathOf(most + 1), platform)).toBe(false);
});

test('the name of a pipe of Windows may be longer', () => {
  expect(isSocketPath(`\\\\.\\pipe\\${'x'.repeat(200)}`, 'win32')).toBe(true);
});
