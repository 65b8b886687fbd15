import { createToken, tokensEqual } from '@tandem/companion/loopback';

/** How long an address for opening is valid, in milliseconds: a browser needs time to start. */
const openingMs = 60_000;

/** What authorizes a page. */
export class PageSecrets {
  /** Part of URLs, which browsers remember. It opens the page until this process ends. */
  readonly key = createToken(32);
  /** For tabs that stay open over a restart, never part of a URL. Empty until the page has an address. */
  token = '';
  readonly #openingCodes = new Map<string, number>();

  get all(): readonly string[] {
    return [this.token, this.key];
  }

  accepts(presented: string | undefined): boolean {
    if (presented === undefined || this.token === '') return false;
    const opens = this.all.map((secret) => tokensEqual(presented, secret));
    return opens.includes(true);
  }

  /**
   * A new code for a browser that a program opens. It works once and replaces the key, which is then on no command
   * line, where other users of the machine could read it.
   */
  openingCode(): string {
    const now = Date.now();
    for (const [code, until] of this.#openingCodes) if (until < now) this.#openingCodes.delete(code);
    const code = createToken(32);
    this.#openingCodes.set(code, now + openingMs);
    return code;
  }

  redeem(code: string): boolean {
    const until = this.#openingCodes.get(code);
    this.#openingCodes.delete(code);
    return until !== undefined && until >= Date.now();
  }
}
