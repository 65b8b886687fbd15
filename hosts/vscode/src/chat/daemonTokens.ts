import { validateDaemonBaseUrl } from '@tandem/companion/chat';
import type { SecretStorage } from 'vscode';

/** The tokens of daemons, in the secret storage. Each goes to the address that it was given for, and to no other. */
export class DaemonTokens {
  readonly #secrets: SecretStorage;

  constructor(secrets: SecretStorage) {
    this.#secrets = secrets;
  }

  async get(url: string): Promise<string | undefined> {
    return this.#secrets.get(keyOf(url));
  }

  /** An empty one is forgotten. */
  async set(url: string, token: string): Promise<void> {
    await (token === '' ? this.#secrets.delete(keyOf(url)) : this.#secrets.store(keyOf(url), token));
  }
}

/** Throws `DaemonError` for an address that is none of this machine. */
function keyOf(url: string): string {
  return `tandem.daemon.token ${validateDaemonBaseUrl(url).origin}`;
}
