/**
 * Matches names and paths against the patterns of gitignore(5), without regard to case. In time that grows with the
 * product of the lengths and no faster: a pattern comes with the repository, and one such as `*a*a*a*b`, made a regular
 * expression, keeps the whole process busy for half a minute over one name.
 */

/** A run of names that a pattern asks for; `anyDepth` stands for as many folders as it takes. */
export type PathGlob = readonly (NameGlob | typeof anyDepth)[];
/** What one name must look like. */
export type NameGlob = readonly Token[];

export const anyDepth = Symbol('**');
const anyRun = Symbol('*');
const anyOne = Symbol('?');

type Token = string | typeof anyRun | typeof anyOne | CharacterClass;

interface CharacterClass {
  readonly isNegated: boolean;
  /** First and last character of each range. */
  readonly ranges: readonly (readonly [string, string])[];
}

/** Reads the pattern of one name; undefined for one that is broken, which matches nothing. */
export function parseName(pattern: string): NameGlob | undefined {
  const characters = [...pattern];
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    if (character === '*') {
      if (tokens.at(-1) !== anyRun) tokens.push(anyRun);
    } else if (character === '?') tokens.push(anyOne);
    else if (character === '[') {
      const read = parseClass(characters, at + 1);
      if (read === undefined) return undefined;
      tokens.push(read.found);
      at = read.end;
    } else if (character === '\\') {
      at += 1;
      const literal = characters[at];
      if (literal === undefined) return undefined;
      tokens.push(literal.toLowerCase());
    } else tokens.push(character.toLowerCase());
  }
  return tokens;
}

/** Whether names, from the first to the last, are such as the pattern asks for. */
export function matchesPath(glob: PathGlob, names: readonly string[]): boolean {
  return matchesRun(glob, names, anyDepth, (part, name) => part !== anyDepth && matchesName(part, name));
}

function matchesName(glob: NameGlob, name: string): boolean {
  return matchesRun(glob, [...name], anyRun, fits);
}

/**
 * Whether the pattern's parts stand for all of the items, each for one but `wild`, which stands for any number of them.
 * Where parts do not fit, only the last `wild` takes one item more: what an earlier one would take, this one can as well.
 */
function matchesRun<Part, Item>(
  parts: readonly Part[],
  items: readonly Item[],
  wild: Part,
  isFit: (part: Part, item: Item) => boolean,
): boolean {
  let [part, item] = [0, 0];
  let retry: { readonly part: number; item: number } | undefined;
  while (item < items.length) {
    const wanted = parts[part];
    const present = items[item];
    if (wanted === wild && part < parts.length) {
      part += 1;
      retry = { part, item };
    } else if (wanted !== undefined && present !== undefined && isFit(wanted, present)) {
      part += 1;
      item += 1;
    } else if (retry !== undefined) {
      retry.item += 1;
      [part, item] = [retry.part, retry.item];
    } else return false;
  }
  while (part < parts.length && parts[part] === wild) part += 1;
  return part === parts.length;
}

function fits(token: Token, character: string): boolean {
  const lower = character.toLowerCase();
  if (typeof token === 'string') return token === lower;
  if (typeof token === 'symbol') return token === anyOne;
  const ways = [character, lower, character.toUpperCase()];
  const isInside = token.ranges.some(([first, last]) => ways.some((way) => first <= way && way <= last));
  return isInside !== token.isNegated;
}

/** Reads what stands between brackets, from behind the first; `end` is where the last one is. */
function parseClass(
  characters: readonly string[],
  start: number,
): { readonly found: CharacterClass; readonly end: number } | undefined {
  const isNegated = characters[start] === '!' || characters[start] === '^';
  const ranges: [string, string][] = [];
  let at = isNegated ? start + 1 : start;
  for (let isFirst = true; characters[at] !== ']' || isFirst; isFirst = false) {
    const named = namedClass(characters, at);
    if (named !== undefined) {
      ranges.push(...named.ranges);
      at = named.next;
      continue;
    }
    const first = readCharacter(characters, at);
    if (first === undefined) return undefined;
    at = first.next;
    const isRange = characters[at] === '-' && characters[at + 1] !== ']' && characters[at + 1] !== undefined;
    const last = isRange ? readCharacter(characters, at + 1) : first;
    if (last === undefined) return undefined;
    ranges.push([first.character, last.character]);
    at = last.next;
  }
  return { found: { isNegated, ranges }, end: at };
}

function readCharacter(
  characters: readonly string[],
  at: number,
): { readonly character: string; readonly next: number } | undefined {
  const isEscaped = characters[at] === '\\';
  const character = characters[isEscaped ? at + 1 : at];
  return character === undefined ? undefined : { character, next: isEscaped ? at + 2 : at + 1 };
}

/** One such as `[:alpha:]`. */
function namedClass(characters: readonly string[], at: number) {
  if (characters[at] !== '[' || characters[at + 1] !== ':') return undefined;
  // No name is longer than this.
  const text = characters.slice(at, at + 12).join('');
  const [whole = '', name = ''] = /^\[:([a-z]+):\]/.exec(text) ?? [];
  const ranges = Object.hasOwn(namedRanges, name) ? namedRanges[name] : undefined;
  return ranges && { ranges, next: at + whole.length };
}

const namedRanges: Readonly<Record<string, [string, string][]>> = {
  alnum: [
    ['a', 'z'],
    ['A', 'Z'],
    ['0', '9'],
  ],
  alpha: [
    ['a', 'z'],
    ['A', 'Z'],
  ],
  blank: [
    [' ', ' '],
    ['\t', '\t'],
  ],
  digit: [['0', '9']],
  lower: [['a', 'z']],
  upper: [['A', 'Z']],
  punct: [
    ['!', '/'],
    [':', '@'],
    ['[', '`'],
    ['{', '~'],
  ],
  space: [
    [' ', ' '],
    ['\t', '\r'],
  ],
  xdigit: [
    ['0', '9'],
    ['a', 'f'],
    ['A', 'F'],
  ],
};
