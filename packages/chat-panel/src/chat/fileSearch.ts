import { visibleName } from '@tandem/core';
import { go, type Prepared, prepare, type Result } from 'fuzzysort';

/** Something that quick open can open. */
export interface QuickItem {
  readonly key: string;
  readonly kind: 'file' | 'review';
  /** Path of the file, identifier of the review. */
  readonly id: string;
  /** What is searched and shown. */
  readonly label: string;
  /** Beside it: whose review it is, or that the file was open recently. */
  readonly note?: string;
  readonly target: Prepared;
}

/** One line of the list, with what matched. */
export interface QuickMatch {
  readonly key: string;
  readonly item: QuickItem;
  readonly result?: Result;
}

/** Few users read a longer list. */
const mostMatches = 50;

export function fileItem(path: string, label: string): QuickItem {
  const shown = visibleName(label);
  return { key: `file ${path}`, kind: 'file', id: path, label: shown, target: prepare(shown) };
}

/**
 * What matches, the best first. Without a query: the recently active files, each after its review, the pending reviews,
 * then the other files.
 */
export function findItems(
  text: string,
  files: readonly QuickItem[],
  reviews: readonly QuickItem[],
  recent: readonly string[],
): readonly QuickMatch[] {
  const rank = new Map(recent.map((path, index) => [path, index]));
  if (text === '') {
    const last = recent.flatMap((path) => {
      const file = files.find(({ id }) => id === path);
      return file === undefined ? [] : [...reviews.filter(({ label }) => label === file.label), file];
    });
    // A set keeps the first of two equal items.
    const items = [...new Set([...last, ...reviews, ...files])];
    return items.slice(0, mostMatches).map((item) => ({ key: item.key, item }));
  }
  const results = go(text, [...reviews, ...files], {
    key: 'target' satisfies keyof QuickItem,
    limit: mostMatches,
    threshold: 0.2,
    // Of equal matches, a pending review comes first, then the recently active file.
    scoreFn: ({ score, obj }) => score + (obj.kind === 'review' ? 0.06 : rank.has(obj.id) ? 0.05 : 0),
  });
  return results.map((result) => ({ key: result.obj.key, item: result.obj, result }));
}
