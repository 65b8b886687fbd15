/** Lines that come and go, as short as can be read: `+3 −1`. */
export function lineCounts(change: { readonly added: number; readonly removed: number }): string {
  const parts = [
    change.added > 0 ? `+${change.added}` : '',
    change.removed > 0 ? `−${change.removed}` : '',
  ].filter((part) => part !== '');
  return parts.join(' ') || 'no lines';
}

/** The same in words, for a screen reader. */
export function lineCountsInWords(change: { readonly added: number; readonly removed: number }): string {
  const parts = [
    change.added > 0 ? `${countOf(change.added, 'line')} added` : '',
    change.removed > 0 ? `${countOf(change.removed, 'line')} removed` : '',
  ].filter((part) => part !== '');
  return parts.join(', ') || 'no lines changed';
}

/** `1 line`, `2 lines`. */
export function countOf(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
