import type { IBufferCell } from '@xterm/headless';
import type { CliTerminal } from './cliTerminal.js';

/** Of one cell, in pixels. */
const cell = { width: 8.4, height: 18 };

const sixteen = [
  '#1c2128',
  '#f47067',
  '#57ab5a',
  '#c69026',
  '#539bf5',
  '#b083f0',
  '#39c5cf',
  '#adbac7',
  '#636e7b',
  '#ff938a',
  '#6bc46d',
  '#daaa3f',
  '#6cb6ff',
  '#dcbdfb',
  '#56d4dd',
  '#cdd9e5',
];

/** The screen of a terminal as an SVG picture, with its colours. */
export function screenPicture(terminal: CliTerminal, { isLight = false } = {}): string {
  const { cols, rows } = terminal.size;
  const [front, back] = isLight ? ['#1f2328', '#ffffff'] : ['#cdd9e5', '#0d1117'];
  const parts: string[] = [];
  for (let row = 0; row < rows; row += 1) {
    const line = terminal.buffer.getLine(terminal.buffer.baseY + row);
    for (let column = 0; column < cols; column += 1) {
      const at = line?.getCell(column);
      if (at === undefined || at.getWidth() === 0) continue;
      const [ink, paper] = coloursOf(at, front, back);
      const [x, y] = [column * cell.width, row * cell.height];
      if (paper !== back)
        parts.push(
          `<rect x="${x}" y="${y}" width="${at.getWidth() * cell.width + 0.5}" height="${cell.height + 0.5}" fill="${paper}"/>`,
        );
      const text = at.getChars();
      if (text.trim() === '') continue;
      const style = `${at.isBold() ? ' font-weight="bold"' : ''}${at.isUnderline() ? ' text-decoration="underline"' : ''}`;
      parts.push(`<text x="${x}" y="${y + 13.5}" fill="${ink}"${style}>${escaped(text)}</text>`);
    }
  }
  const [width, height] = [cols * cell.width, rows * cell.height];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" xml:space="preserve"><rect width="100%" height="100%" fill="${back}"/>${parts.join('')}</svg>\n`;
}

function coloursOf(at: IBufferCell, front: string, back: string): [string, string] {
  const ink = colour(at.isFgRGB(), at.isFgPalette(), at.getFgColor(), front);
  const paper = colour(at.isBgRGB(), at.isBgPalette(), at.getBgColor(), back);
  return at.isInverse() ? [paper, ink] : [ink, paper];
}

function colour(isRgb: boolean, isPalette: boolean, value: number, otherwise: string): string {
  if (isRgb) return `#${value.toString(16).padStart(6, '0')}`;
  if (!isPalette) return otherwise;
  if (value < 16) return sixteen[value] ?? otherwise;
  if (value >= 232) return grey(8 + (value - 232) * 10);
  const [red, green, blue] = [
    Math.floor((value - 16) / 36),
    Math.floor((value - 16) / 6) % 6,
    (value - 16) % 6,
  ];
  return `#${[red, green, blue].map((level) => (level === 0 ? 0 : 55 + level * 40).toString(16).padStart(2, '0')).join('')}`;
}

function grey(level: number): string {
  return `#${level.toString(16).padStart(2, '0').repeat(3)}`;
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
