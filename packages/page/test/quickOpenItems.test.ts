import { fileItem, findItems } from '@tandem/chat-panel/fileSearch';
import { describe, expect, it } from 'vitest';
import { parseQuery, reviewItem } from '../src/files/quickOpenItems.js';
import { pageReview } from './support/pageReview.js';

const files = ['src/thermometer.ts', 'src/barometer.ts', 'docs/guide.md'].map((label) =>
  fileItem(`/w/${label}`, label),
);
const labels = (text: string, recent: readonly string[] = []): readonly string[] =>
  findItems(text, files, [], recent).map(({ item }) => item.label);

describe('parseQuery', () => {
  it.each([
    ['main', { text: 'main' }],
    ['main.ts:12', { text: 'main.ts', line: 12 }],
    [' main: ', { text: 'main' }],
    [':7', { text: '', line: 7 }],
  ])('reads %j', (query, expected) => {
    expect(parseQuery(query)).toEqual(expected);
  });
});

describe('findItems', () => {
  it('finds a file by parts of its name', () => {
    expect(labels('thrm')).toEqual(['src/thermometer.ts']);
    expect(labels('zzz')).toEqual([]);
  });

  it('begins with the files that were active last', () => {
    expect(labels('', ['/w/docs/guide.md', '/w/gone.ts'])).toEqual([
      'docs/guide.md',
      'src/thermometer.ts',
      'src/barometer.ts',
    ]);
  });

  it('of two that match alike puts first what was open a moment ago', () => {
    expect(labels('meter', ['/w/src/barometer.ts'])[0]).toBe('src/barometer.ts');
    expect(labels('meter', ['/w/src/thermometer.ts'])[0]).toBe('src/thermometer.ts');
  });

  it('puts a pending review before its file, which may be open', () => {
    const reviews = [reviewItem(pageReview({ id: '1', label: 'src/barometer.ts' }))];
    for (const text of ['', 'baro', 'meter']) {
      const keys = findItems(text, files, reviews, ['/w/src/barometer.ts']).map(({ key }) => key);
      expect(keys.slice(0, 2)).toEqual(['review 1', 'file /w/src/barometer.ts']);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it('shows hidden characters of a name', () => {
    expect(fileItem('/w/a\u202eb', 'a\u202eb').label).toBe('a⟨202E⟩b');
  });
});

it('notes the conflict of a pending review', () => {
  const noteOf = (values: Parameters<typeof pageReview>[0]) => reviewItem(pageReview(values)).note;
  expect(noteOf({ id: '1' })).not.toMatch(/conflict/);
  const notes = (kind: string) => [{ kind, isWarning: true, title: kind, text: kind }];
  expect(noteOf({ id: '1', notes: notes('conflict') })).toMatch(/, conflict$/);
  expect(noteOf({ id: '1', notes: notes('markers') })).toMatch(/, conflict$/);
  expect(noteOf({ id: '1', notes: notes('git') })).not.toMatch(/conflict/);
  expect(noteOf({ id: '1', notes: notes('conflict'), state: 'accepted' })).not.toMatch(/conflict/);
});
