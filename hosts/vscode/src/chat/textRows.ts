import { visibleText } from '@tandem/core';

/**
 * What a row of a quick pick holds without being cut, in widths of a narrow letter. A quick pick is 600 pixels wide, or
 * less in a narrow window.
 */
const rowWidth = 52;

/** A text as rows of a quick pick: whole, with what is invisible made visible, no row longer than what is shown of it. */
export function textRows(text: string): string[] {
  return visibleText(text)
    .split('\n')
    .flatMap((line) => cutToWidth(line));
}

function cutToWidth(line: string): string[] {
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const character of line) {
    const next = widthOf(character);
    if (width + next > rowWidth) {
      rows.push(row);
      [row, width] = ['', 0];
    }
    row += character;
    width += next;
  }
  return [...rows, row];
}

function widthOf(character: string): number {
  if (character > '~') return 2.2;
  return /[A-Zmw@%&#=+<>~]/.test(character) ? 1.5 : 1;
}
