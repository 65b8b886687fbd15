import { expect, it } from 'vitest';
import { reviewCommand } from '../src/review/reviewWords.js';

function key(name: string, held: { ctrl?: boolean; shift?: boolean; alt?: boolean } = {}) {
  return {
    key: name,
    ctrlKey: held.ctrl ?? false,
    shiftKey: held.shift ?? false,
    altKey: held.alt ?? false,
    metaKey: false,
    isComposing: false,
    code: '',
    getModifierState: () => false,
  };
}

it('knows the keys that decide', () => {
  expect(reviewCommand(key('Enter', { ctrl: true }))).toBe('accept');
  expect(reviewCommand(key('Backspace', { ctrl: true, shift: true }))).toBe('reject');
});

it('leaves the keys of typing alone', () => {
  expect(reviewCommand(key('Enter'), true)).toBeUndefined();
  expect(reviewCommand(key('Enter', { shift: true }))).toBeUndefined();
  expect(reviewCommand(key('Backspace', { ctrl: true }))).toBeUndefined();
  expect(reviewCommand(key('Backspace', { ctrl: true, shift: true, alt: true }))).toBeUndefined();
});

it('decides nothing while a word is composed', () => {
  expect(reviewCommand({ ...key('Enter', { ctrl: true }), isComposing: true })).toBeUndefined();
});

it('enters the text from beside it', () => {
  expect(reviewCommand(key('Enter'))).toBe('edit');
  expect(reviewCommand(key('i'))).toBe('edit');
  expect(reviewCommand(key('i'), true)).toBeUndefined();
});

it('goes from change to change', () => {
  expect(reviewCommand(key('F7'))).toBe('next');
  expect(reviewCommand(key('F7', { shift: true }))).toBe('previous');
  expect(reviewCommand(key('F8'))).toBe('toggle');
});

it('comments by a character only where it is not typed', () => {
  expect(reviewCommand(key('c'))).toBe('comment');
  expect(reviewCommand(key('c'), true)).toBeUndefined();
  expect(reviewCommand(key('c', { ctrl: true }))).toBeUndefined();
});
