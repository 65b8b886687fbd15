/**
 * A name from outside the page as it may be shown: characters that are not seen, or that reorder what is, are
 * replaced by visible signs, so that no file or agent can pass for another.
 */
export function visibleName(name: string): string {
  return name.replace(hiddenCharacters, (character) => {
    const code = character.codePointAt(0) ?? 0;
    // Unicode has a picture for each of the first control characters.
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    return `\u27e8${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
  });
}

/**
 * A text from outside, over several lines, as it may be shown where somebody decides by it: as a name, but with its line
 * ends and tabs. A stretch of nothing that could push the rest out of sight is named instead.
 */
export function visibleText(text: string): string {
  return text
    .replace(/[^\t\n]+/g, visibleName)
    .replace(/\n(?:[^\S\n]*\n){4,}/g, (gap) => `\n\u27e8${gap.split('\n').length - 2} empty lines\u27e9\n`)
    .replace(/[^\S\n]{40,}/g, (gap) => ` \u27e8${gap.length} spaces\u27e9 `);
}

/** Controls, line and paragraph separators, marks and overrides of direction, fillers, tags, and what has no width. */
const hiddenCharacters =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be found.
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udc7f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
