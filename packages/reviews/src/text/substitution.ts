/** Characters that editors cannot show, or that they change. */
const delicate = /[\0\u2028\u2029]|\p{Cs}/gu;
/** The private use area: its characters have no standard meaning. */
const firstStandIn = 0xe000;
const lastStandIn = 0xf8ff;

/**
 * Stand-ins for characters that an editor cannot show as they are: with NUL, VS Code treats a file as binary; for a
 * line separator, it asks the user what to do; half a surrogate pair is lost in UTF-8. Each gets a character that
 * occurs in none of the texts, so that it can be restored exactly.
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

  /** The original of a shown text. */
  restore(text: string): string {
    if (this.#meant.size === 0) return text;
    return text.replace(/[\uE000-\uF8FF]/g, (character) => this.#meant.get(character) ?? character);
  }
}
