import { type ChatPermission, permissionDetails } from '@tandem/companion/chat';
import { visibleText } from '@tandem/core';
import { findLineChanges, linesIn, splitLines } from '@tandem/reviews';
import * as vscode from 'vscode';

type Content = ChatPermission['content'][number];

/** A longer change is not shown in a quick pick. In characters. */
const longestChange = 100_000;

/** The complete content of a permission for a quick pick, in rows that are not truncated. */
export function permissionRows(request: ChatPermission): readonly string[] {
  const { t } = vscode.l10n;
  const { tool, fields } = permissionDetails(request);
  return [
    ...(tool === undefined ? [t('The daemon does not name the tool.')] : textRows(t('Tool: {0}', tool))),
    ...(request.input === undefined ? [t('The daemon does not show the arguments of the tool.')] : []),
    ...fields.flatMap(({ name, text, kind }) =>
      labelled(kind === 'words' ? t('{0} (written by the agent)', name) : name, textRows(text)),
    ),
    ...request.content.flatMap(contentRows),
  ];
}

/** Whether `permissionRows` can show the request. */
export function isShort({ content }: ChatPermission): boolean {
  return content.every(
    (each) => each.type !== 'diff' || each.newText.length + (each.oldText?.length ?? 0) <= longestChange,
  );
}

/** A short text next to its name, a longer one below it. */
function labelled(name: string, rows: readonly string[]): string[] {
  const [first = '', ...more] = rows;
  const [together = '', ...cut] = textRows(name === '' ? first : `${name}: ${first}`);
  if (more.length === 0 && cut.length === 0) return [together];
  return [...textRows(`${name}:`), ...rows.map((row) => `│ ${row}`)];
}

function contentRows(content: Content): string[] {
  const { t } = vscode.l10n;
  if (content.type === 'text') return textRows(content.text.trimEnd()).map((row) => `│ ${row}`);
  if (content.type === 'image') return [t('A picture')];
  const before = splitLines(content.oldText ?? '');
  const after = splitLines(content.newText);
  const changes = findLineChanges(before, after);
  const signed = (sign: string, text: string): string[] => textRows(text).map((row) => `${sign} ${row}`);
  return [
    ...textRows(content.path),
    ...(changes.length === 0 ? [t('Only line endings or a byte order mark change.')] : []),
    ...changes.flatMap(({ from, to }) => [
      ...linesIn(before, from).flatMap(({ text }) => signed('−', text)),
      ...linesIn(after, to).flatMap(({ text }) => signed('+', text)),
    ]),
  ];
}

/** The width of a quick pick's row, in narrow letters. A quick pick is 600 pixels wide, or less in a narrow window. */
const rowWidth = 52;

/** A complete text as rows of a quick pick, with invisible characters made visible. No row is truncated. */
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
