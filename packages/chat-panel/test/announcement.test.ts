import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nextAnnouncement, noAnnouncement } from '../src/primitives/layout.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const after = (ms: number): string => {
  const first = nextAnnouncement(noAnnouncement, 'One.');
  vi.advanceTimersByTime(ms);
  return nextAnnouncement(first, 'Two.').text;
};

it('adds an announcement to one that no screen reader has read yet, and replaces an older one', () => {
  expect([after(0), after(99), after(100)]).toEqual(['One. Two.', 'One. Two.', 'Two.']);
});

it('is empty once it is cleared', () => {
  const cleared = nextAnnouncement(nextAnnouncement(noAnnouncement, 'One.'), '');
  expect([cleared.text, nextAnnouncement(cleared, 'Two.').text]).toEqual(['', 'Two.']);
});

it('differs if the same text is announced again', () => {
  const first = nextAnnouncement(noAnnouncement, 'One.');
  expect(nextAnnouncement(first, 'One.')).toMatchObject({ text: 'One.', serial: first.serial + 1 });
});

it('does not grow for longer than its first text is new', () => {
  const first = nextAnnouncement(noAnnouncement, 'One.');
  vi.advanceTimersByTime(60);
  const second = nextAnnouncement(first, 'Two.');
  vi.advanceTimersByTime(60);
  expect([second.text, nextAnnouncement(second, 'Three.').text]).toEqual(['One. Two.', 'Three.']);
});
