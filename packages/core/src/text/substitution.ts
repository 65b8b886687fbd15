/** What editors cannot show, or change when they do. */
const delicate = /[\0\u2028\u2029]|\p{Cs}/gu;
/** The private use area, whose characters mean nothing to anybody but us. */
const firstStandIn = 0xe000;
const lastStandIn = 0xf8ff;

/**
 * Stand-ins for characters that an editor cannot show as they are: NUL makes VS Code take a file for a binary one, a
 * line separator makes it ask the person what to do, and half a surrogate pair is lost in UTF-8. Each gets a
 * character that occurs in none of the texts, so that it can be put back exactly.
 */
export class Substitution {
  readonly #standIns = new Map<string, string>();
  readonly #meant = new Map<string, string>();

  /** For texts in which the same characters are to be replaced, such as a file and its proposal. */
  constructor(...texts: readonly string[]) {
    let next = firstStandIn;
    for (const character of new Set(texts.flatMap((text) => text.match(delicate) ?? []))) {
      while (texts.some((text) => text.includes(String.fromCharCode(next)))) next++;
      if (next > lastStandIn) return;
      const standIn = String.fromCharCode(next++);
      this.#standIns.set(character, standIn);
      this.#meant.set(standIn, character);
    }
  }

  /** The text as an editor can show it. */
  show(text: string): string {
    if (this.#standIns.size === 0) return text;
    return text.replace(delicate, (character) => this.#standIns.get(character) ?? character);
  }

  /** What a shown text means. */
  restore(text: string): string {
    if (this.#meant.size === 0) return text;
    return text.replace(/[\uE000-\uF8FF]/g, (character) => this.#meant.get(character) ?? character);
  }
}
