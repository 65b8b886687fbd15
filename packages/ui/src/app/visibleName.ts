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

/** Controls, line and paragraph separators, marks and overrides of direction, and what has no width. */
const hiddenCharacters =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be found.
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
