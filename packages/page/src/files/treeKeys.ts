import type { TreeRow } from './treeRows.js';

/** What a key asks of the tree. */
export type TreeCommand =
  | { readonly kind: 'go'; readonly to: number }
  | { readonly kind: 'run' }
  | { readonly kind: 'toggle'; readonly isExpanded: boolean };

/**
 * What a key does on the row that has the focus, by the tree pattern of ARIA; `page` is how many rows can be seen.
 * `undefined`: the key is not one of the tree's.
 */
export function treeCommand(
  key: string,
  rows: readonly TreeRow[],
  focused: number,
  page: number,
): TreeCommand | undefined {
  const row = rows[focused];
  if (row === undefined) return undefined;
  const go = (to: number): TreeCommand => ({ kind: 'go', to: Math.min(Math.max(to, 0), rows.length - 1) });
  switch (key) {
    case 'ArrowDown':
      return go(focused + 1);
    case 'ArrowUp':
      return go(focused - 1);
    case 'PageDown':
      return go(focused + page);
    case 'PageUp':
      return go(focused - page);
    case 'Home':
      return go(0);
    case 'End':
      return go(rows.length - 1);
    case 'Enter':
    case ' ':
      return { kind: 'run' };
    case 'ArrowRight':
      if (row.kind === 'folder' && !row.isExpanded) return { kind: 'toggle', isExpanded: true };
      return go(rows[focused + 1]?.parent === focused ? focused + 1 : focused);
    case 'ArrowLeft':
      if (row.isExpanded) return { kind: 'toggle', isExpanded: false };
      return go(row.parent >= 0 ? row.parent : focused);
    default:
      return undefined;
  }
}
