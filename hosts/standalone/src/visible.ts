/**
 * Text of others made fit for a terminal. What could steer the terminal, or show text in another order than it has,
 * is shown as its code and not obeyed: control characters, line separators, and the marks that turn the direction.
 */

/** For a name or a word: a line end in it is shown as well. */
export function visible(text: string): string {
  return text.replace(steering, escaped);
}

/** For lines of text: line ends and tabs stay. JSON means the same afterwards. */
export function visibleLines(text: string): string {
  return text.replace(steering, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );
}

const steering = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
