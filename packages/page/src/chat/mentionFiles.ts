import { fileItem, findItems, type QuickItem } from '../files/quickOpenItems.js';
import type { ChatFile } from './chatHost.js';

/** A list of files that was fetched this long ago is fetched again. */
const listAgeMs = 5_000;
const mostFiles = 20;

/** The files that a mention can name, searched as a person types. */
export class MentionFiles {
  readonly #fetch: () => Promise<readonly ChatFile[]>;
  #list: { readonly at: number; readonly items: Promise<readonly QuickItem[]> } | undefined;

  constructor(fetch: () => Promise<readonly ChatFile[]>) {
    this.#fetch = fetch;
  }

  /** The best first; those that were open last for an empty query. */
  async find(query: string, recent: readonly string[]): Promise<readonly ChatFile[]> {
    return findItems(query, await this.#items(), [], recent)
      .slice(0, mostFiles)
      .map(({ item }) => ({ path: item.id, label: item.label }));
  }

  #items(): Promise<readonly QuickItem[]> {
    const now = performance.now();
    if (this.#list === undefined || now - this.#list.at > listAgeMs) {
      const items = this.#fetch().then((files) => files.map(({ path, label }) => fileItem(path, label)));
      this.#list = { at: now, items };
    }
    return this.#list.items;
  }
}
