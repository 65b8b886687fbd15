import { describe, expect, it } from 'vitest';
import { findTyped, revealStep, treeCommand, treeRows } from '../src/files/fileListing.js';

const entries = new Map([
  [
    '/w',
    [
      { name: 'src', path: '/w/src', kind: 'folder' as const },
      { name: 'test', path: '/w/test', kind: 'folder' as const },
      { name: '.env', path: '/w/.env', kind: 'file' as const, heldBack: 'a secret' },
      { name: 'README.md', path: '/w/README.md', kind: 'file' as const },
    ],
  ],
  ['/w/src', [{ name: 'a.ts', path: '/w/src/a.ts', kind: 'file' as const }]],
]);
const folder = { path: '/w', name: 'w' };
const state = { entries, failures: new Map<string, string>(), expanded: new Set(['/w/src']) };
const rows = treeRows([folder], state);

describe('treeRows', () => {
  it('lists what lies in a single folder and in the folders that are open', () => {
    expect(
      rows.map(({ name, level, place, siblings, parent }) => [name, level, place, siblings, parent]),
    ).toEqual([
      ['src', 1, 1, 4, -1],
      ['a.ts', 2, 1, 1, 0],
      ['test', 1, 2, 4, -1],
      ['.env', 1, 3, 4, -1],
      ['README.md', 1, 4, 4, -1],
    ]);
    expect(rows[3]?.heldBack).toBe('a secret');
  });

  it('shows several workspace folders themselves', () => {
    const two = treeRows([folder, { path: '/v', name: 'v' }], { ...state, expanded: new Set(['/v']) });
    expect(two.map(({ name, isExpanded }) => [name, isExpanded])).toEqual([
      ['w', false],
      ['v', true],
    ]);
  });

  it('says why a folder could not be listed, in its place', () => {
    const failures = new Map([['/w/test', 'not allowed']]);
    const failed = treeRows([folder], { ...state, failures, expanded: new Set(['/w/test']) });
    expect(failed[2]).toMatchObject({ kind: 'failure', name: 'not allowed', level: 2, parent: 1 });
  });
});

describe('revealStep', () => {
  it('opens the folders on the way, one after the other, and then shows the file', () => {
    const closed = treeRows([folder], { ...state, expanded: new Set() });
    expect(revealStep(closed, '/w/src/a.ts')).toEqual({ kind: 'open', folder: '/w/src' });
    expect(revealStep(rows, '/w/src/a.ts')).toEqual({ kind: 'show', index: 1 });
  });

  it('opens nothing for a file that the tree does not show', () => {
    expect(revealStep(rows, '/w/src/ignored.ts')).toBeUndefined();
    expect(revealStep(rows, '/w/testing/a.ts')).toBeUndefined();
  });
});

describe('findTyped', () => {
  it('finds the next name that begins so, around the end', () => {
    expect(findTyped(rows, 'r', 0)).toBe(4);
    expect(findTyped(rows, 's', 1)).toBe(0);
    expect(findTyped(rows, 'x', 0)).toBe(-1);
  });

  it('stays where more characters of the same word still fit', () => {
    expect(findTyped(rows, 'te', 2)).toBe(2);
  });
});

describe('treeCommand', () => {
  const press = (key: string, focused: number) => treeCommand(key, rows, focused, 2);

  it('moves and stops at the ends', () => {
    expect(press('ArrowDown', 0)).toEqual({ kind: 'go', to: 1 });
    expect(press('ArrowUp', 0)).toEqual({ kind: 'go', to: 0 });
    expect(press('PageDown', 3)).toEqual({ kind: 'go', to: 4 });
    expect(press('End', 0)).toEqual({ kind: 'go', to: 4 });
  });

  it('opens a folder, then goes into it; closes it, or goes up to it', () => {
    expect(press('ArrowRight', 2)).toEqual({ kind: 'toggle', isExpanded: true });
    expect(press('ArrowRight', 0)).toEqual({ kind: 'go', to: 1 });
    expect(press('ArrowLeft', 0)).toEqual({ kind: 'toggle', isExpanded: false });
    expect(press('ArrowLeft', 1)).toEqual({ kind: 'go', to: 0 });
    expect(press('ArrowRight', 4)).toEqual({ kind: 'go', to: 4 });
  });

  it('leaves other keys to others', () => {
    expect(press('a', 0)).toBeUndefined();
    expect(treeCommand('Enter', [], 0, 1)).toBeUndefined();
  });
});
