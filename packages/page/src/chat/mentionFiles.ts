import { fileItem, findItems, type QuickItem } from '../files/quickOpenItems.js';
import type { ChatFile } from './chatHost.js';

/** The maximum age of the fetched list. */
const listAgeMs = 5_000;
const mostFiles = 20;

/** The files for mentions. */
export class MentionFiles {
  readonly #fetch: () => Promise<readonly ChatFile[]>;
  #list: { readonly at: number; readonly items: Promise<readonly QuickItem[]> } | undefined;

  constructor(fetch: () => Promise<readonly ChatFile[]>) {
    this.#fetch = fetch;
  }

  /** The best matches first; recent files for an empty query. */
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

/** A path for the user: relative to its folder, with the folder's name if there are several. */
export function labelIn(
  folders: readonly { readonly path: string; readonly name: string }[],
  path: string,
): string {
  const folder = folders.find(
    (each) => path.startsWith(`${each.path}/`) || path.startsWith(`${each.path}\\`),
  );
  if (folder === undefined) return path;
  const below = path.slice(folder.path.length + 1);
  return folders.length > 1 ? `${folder.name}/${below}` : below;
}
