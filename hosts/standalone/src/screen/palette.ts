import type { Ink, Paper } from './cells.js';
import type { Palette } from './frame.js';

/** What a terminal can show. */
export interface Colours {
  /** Bits of a colour: 1 for none, 4, 8 or 24. */
  readonly depth: number;
  readonly isLight: boolean;
}

/** For 16 colours: a code of SGR. For others: red, green, blue on dark and on light. */
type Shade = readonly [code: number, dark: number, light: number];

const inks: Readonly<Record<Ink, Shade>> = {
  dim: [90, 0x8a919c, 0x6a737d],
  accent: [36, 0x6cb6ff, 0x0550ae],
  added: [32, 0x6bd98a, 0x116329],
  removed: [31, 0xff8c86, 0xa40e26],
  warning: [33, 0xe3b341, 0x7d4e00],
  keyword: [35, 0xf28fad, 0xa0306e],
  string: [32, 0xa5d6a7, 0x0a5c36],
  number: [36, 0x79c0ff, 0x0550ae],
  comment: [90, 0x8b949e, 0x6a737d],
  name: [34, 0xd2a8ff, 0x6639ba],
  type: [33, 0xf0b77a, 0x8a4600],
  tag: [31, 0x8ddb8c, 0x116329],
};

const papers: Readonly<Record<Paper, Shade>> = {
  added: [0, 0x14331f, 0xdafbe1],
  removed: [0, 0x3d1a1e, 0xffebe9],
  addedWord: [7, 0x1f6b3a, 0xa6f0b8],
  removedWord: [7, 0x86292f, 0xffb8b0],
  selected: [7, 0x2d3a4f, 0xd0e2ff],
  bar: [0, 0x22272e, 0xeaeef2],
};

/** The escape sequences of styles for a terminal. Without colours, only bold, inverse and underlined text differ. */
export function createPalette({ depth, isLight }: Colours): Palette {
  const known = new Map<string, string>();
  const colour = ([code, dark, light]: Shade, isPaper: boolean): string => {
    if (depth < 4) return isPaper && code === 7 ? '7' : '';
    if (depth < 8) return code === 0 ? '' : String(code);
    const shade = isLight ? light : dark;
    const [red, green, blue] = [shade >> 16, (shade >> 8) & 255, shade & 255];
    const target = isPaper ? 48 : 38;
    return depth >= 24 ? `${target};2;${red};${green};${blue}` : `${target};5;${nearest([red, green, blue])}`;
  };
  return (style) => {
    const { ink, paper, isBold, isInverse, isUnderlined } = style;
    const key = `${ink}${paper}${isBold}${isInverse}${isUnderlined}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const codes = [
      '0',
      isBold ? '1' : '',
      isUnderlined ? '4' : '',
      isInverse ? '7' : '',
      ink === undefined ? '' : colour(inks[ink], false),
      paper === undefined ? '' : colour(papers[paper], true),
    ].filter((code) => code !== '');
    const sequence = `\u001b[${codes.join(';')}m`;
    known.set(key, sequence);
    return sequence;
  };
}

const levels = [0, 95, 135, 175, 215, 255];

/** The nearest of the 256 colours: of the cube, or a grey. */
function nearest(rgb: readonly [number, number, number]): number {
  const [red, green, blue] = rgb.map((value) =>
    levels.reduce(
      (best, level, at) => (Math.abs(level - value) < Math.abs((levels[best] ?? 0) - value) ? at : best),
      0,
    ),
  ) as [number, number, number];
  const average = (rgb[0] + rgb[1] + rgb[2]) / 3;
  const grey = Math.max(0, Math.min(23, Math.round((average - 8) / 10)));
  const distance = (other: readonly number[]): number =>
    other.reduce((sum, value, at) => sum + (value - (rgb[at] ?? 0)) ** 2, 0);
  const inCube = distance([levels[red] ?? 0, levels[green] ?? 0, levels[blue] ?? 0]);
  const inGreys = distance(new Array(3).fill(8 + grey * 10));
  return inGreys < inCube ? 232 + grey : 16 + 36 * red + 6 * green + blue;
}

/** Whether a colour that a terminal reported, such as `rgb:ffff/ffff/ffff`, is a light one. */
export function isLightColour(reported: string): boolean | undefined {
  const [, red, green, blue] =
    /^rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(reported) ?? [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  const part = (hex: string): number => Number.parseInt(hex, 16) / (16 ** hex.length - 1);
  return 0.299 * part(red) + 0.587 * part(green) + 0.114 * part(blue) > 0.5;
}

/** What the environment says of the background, before the terminal has answered. */
export function guessIsLight(colorFgBg: string | undefined): boolean {
  const background = Number(colorFgBg?.split(';').at(-1) ?? Number.NaN);
  return background === 7 || background === 15;
}
