/**
 * Makes text from outside safe to show: replaces characters that are invisible, that reorder visible text, or that
 * control a terminal with visible signs, so that no file, agent or command can impersonate another.
 */

/** A name or another text on one line. */
export function visibleName(name: string): string {
  return name.replace(hiddenCharacters, visibleSign);
}

/**
 * The agent's own name for a change to a file. Empty if it names the file: views show file and agent themselves, and
 * Claude Code and Copilot CLI repeat only these.
 */
export function shownTitle(title: string | undefined, path: string): string {
  const shown = visibleName(title ?? '');
  const file = visibleName(path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1));
  return shown.includes(file) ? '' : shown;
}

/** Lines of a file or a report. Keeps line ends, tabs and the joiners that some scripts and emoji need. */
export function visibleLines(text: string): string {
  return text.replace(hiddenCharacters, (character) =>
    /[\n\t\u200c\u200d]/.test(character) ? character : visibleSign(character),
  );
}

/** Lines on which a user bases a decision, such as a command. Long white space, which could hide text, is described. */
export function visibleText(text: string): string {
  return text
    .replace(/[^\t\n]+/g, visibleName)
    .replace(/\n(?:[^\S\n]*\n){4,}/g, (gap) => `\n\u27e8${gap.split('\n').length - 2} empty lines\u27e9\n`)
    .replace(/[^\S\n]{40,}/g, (gap) => ` \u27e8${gap.length} spaces\u27e9 `);
}

/** JSON, with JSON escapes: it parses to the same value. */
export function visibleJson(json: string): string {
  return json.replace(hiddenCharacters, (character) =>
    /[\n\t]/.test(character)
      ? character
      : character
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
  );
}

function visibleSign(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  // Unicode has a picture for each of the first control characters.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\u27e8${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}

/**
 * Controls, line and paragraph separators, direction marks and overrides, fillers, tags, lone surrogates, and
 * zero-width characters, except the joiner within an emoji.
 */
const hiddenCharacters =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?<!\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}\ufe0f]?)\u200d|\u200d(?!\p{Extended_Pictographic})/gu;
