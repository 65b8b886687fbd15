/**
 * Matches names and paths against the patterns of gitignore(5), case-insensitively. The time grows only with the
 * product of the lengths, because patterns come from the repository: as a regular expression, a pattern such as
 * `*a*a*a*b` would block the whole process for half a minute on one name.
 */

/** A pattern for the names of a path; `anyDepth` matches any number of folders. */
export type PathGlob = readonly (NameGlob | typeof anyDepth)[];
/** A pattern for one name. */
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

/** Parses the pattern of one name; undefined for an invalid one, which matches nothing. */
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

/** One name of a path, prepared for comparison: its characters as they are and in lower case. */
export interface NameText {
  readonly characters: readonly string[];
  readonly lower: readonly string[];
}

export function readName(name: string): NameText {
  const characters = [...name];
  return { characters, lower: characters.map((character) => character.toLowerCase()) };
}

/** How many comparisons are left. `matchesPath` decrements it. */
export interface Effort {
  left: number;
}

/** A comparison stopped because it needed more comparisons than were left. */
export class EffortSpentError extends Error {
  override readonly name = 'EffortSpentError';
}

/** Whether the pattern matches all names. Throws `EffortSpentError`. */
export function matchesPath(glob: PathGlob, names: readonly NameText[], effort: Effort): boolean {
  const last = glob.length === 2 && glob[0] === anyDepth ? glob[1] : anyDepth;
  // Fast path: most patterns only concern the last name.
  if (last !== undefined && last !== anyDepth) return isNameLike(last, names, names.length - 1, effort);
  return matchesRun(glob, anyDepth, names, names.length, isNameLike, effort);
}

function isNameLike(
  part: NameGlob | typeof anyDepth,
  names: readonly NameText[],
  at: number,
  effort: Effort,
): boolean {
  const name = names[at];
  if (part === anyDepth || name === undefined) return false;
  return matchesRun(part, anyRun, name, name.characters.length, isCharacterLike, effort);
}

function isCharacterLike(token: Token, { characters, lower }: NameText, at: number, effort: Effort): boolean {
  if (typeof token === 'string') return token === lower[at];
  if (typeof token === 'symbol') return token === anyOne;
  effort.left -= token.ranges.length;
  const character = characters[at] ?? '';
  const ways = [character, lower[at] ?? '', character.toUpperCase()];
  const isInside = token.ranges.some(([first, last]) => ways.some((way) => first <= way && way <= last));
  return isInside !== token.isNegated;
}

/**
 * Whether the pattern's parts match all items. `wild` matches any number of items, each other part one item. The parts
 * after the last `wild` are compared first: that rejects most names quickly. On a mismatch, only the most recent `wild`
 * takes one more item: whatever an earlier one could take, this one can take as well.
 */
function matchesRun<Part, Items>(
  parts: readonly Part[],
  wild: Part,
  items: Items,
  count: number,
  isFit: (part: Part, items: Items, at: number, effort: Effort) => boolean,
  effort: Effort,
): boolean {
  let partsEnd = parts.length;
  let itemsEnd = count;
  for (; partsEnd > 0; partsEnd -= 1, itemsEnd -= 1) {
    const part = parts[partsEnd - 1];
    if (part === undefined || part === wild) break;
    if (itemsEnd === 0 || !isFit(part, items, itemsEnd - 1, spend(effort))) return false;
  }
  if (partsEnd === 0) return itemsEnd === 0;
  let [at, item] = [0, 0];
  let retry: { readonly at: number; item: number } | undefined;
  // The last part is now wild and takes the rest.
  while (at < partsEnd - 1) {
    const part = parts[at];
    if (part === undefined || part === wild) {
      at += 1;
      retry = { at, item };
    } else if (item === itemsEnd) return false;
    else if (isFit(part, items, item, spend(effort))) {
      at += 1;
      item += 1;
    } else if (retry !== undefined) {
      retry.item += 1;
      [at, item] = [retry.at, retry.item];
    } else return false;
  }
  return true;
}

function spend(effort: Effort): Effort {
  effort.left -= 1;
  if (effort.left < 0) throw new EffortSpentError('its names take too long to compare');
  return effort;
}

/** Parses a character class, from after the opening bracket; `end` is the index of the closing one. */
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

/** A named class such as `[:alpha:]`. */
function namedClass(characters: readonly string[], at: number) {
  if (characters[at] !== '[' || characters[at + 1] !== ':') return undefined;
  // The longest name fits into 12 characters.
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
