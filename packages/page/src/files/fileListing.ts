import { createStore, type StoreApi } from 'zustand/vanilla';
import { messageOf } from '../client/loading.js';
import type { PageHost } from '../client/pageStore.js';
import type { TreeEntry } from '../wire/index.js';

interface ListingState {
  /** What lies in each folder that was listed. */
  readonly entries: ReadonlyMap<string, readonly TreeEntry[]>;
  /** Why a folder could not be listed. */
  readonly failures: ReadonlyMap<string, string>;
  readonly expanded: ReadonlySet<string>;
}

const expandedKey = 'tandem.expanded';

/** The listed folders of the workspace. It lives as long as the page. */
export class FileListing {
  readonly state: StoreApi<ListingState> = createStore(() => ({
    entries: new Map(),
    failures: new Map(),
    expanded: new Set(readExpanded()),
  }));
  readonly #host: PageHost;
  readonly #loading = new Set<string>();
  /** Folders that changed, or whose host came back, while they were being listed. */
  readonly #stale = new Set<string>();

  constructor(host: PageHost) {
    this.#host = host;
    host.onEvent((event) => {
      if (event.event === 'files') {
        for (const folder of event.folders) if (this.#isKnown(folder)) void this.#load(folder);
      }
    });
    // Changes during a lost connection are not reported later.
    host.onConnection((connection) => {
      if (connection === 'open') for (const folder of this.#known()) void this.#load(folder);
    });
  }

  /** Lists a folder unless that was tried: the tree asks again whenever its rows change, also for a failure. */
  need(folder: string): void {
    if (!this.state.getState().failures.has(folder)) this.#loadUnknown(folder);
  }

  toggle(folder: string, isExpanded: boolean): void {
    const expanded = new Set(this.state.getState().expanded);
    if (isExpanded) expanded.add(folder);
    else expanded.delete(folder);
    this.state.setState({ expanded });
    sessionStorage.setItem(expandedKey, JSON.stringify([...expanded]));
    if (isExpanded) this.#loadUnknown(folder);
  }

  retry(folder: string): void {
    void this.#load(folder);
  }

  #known(): readonly string[] {
    const { entries, failures } = this.state.getState();
    return [...new Set([...entries.keys(), ...failures.keys(), ...this.#loading])];
  }

  #isKnown(folder: string): boolean {
    return this.#loading.has(folder) || this.state.getState().entries.has(folder);
  }

  #loadUnknown(folder: string): void {
    if (!this.#isKnown(folder)) void this.#load(folder);
  }

  async #load(folder: string): Promise<void> {
    if (this.#loading.has(folder)) return void this.#stale.add(folder);
    this.#loading.add(folder);
    do {
      this.#stale.delete(folder);
      try {
        const { entries } = await this.#host.request('files.list', { folder });
        this.#set(folder, entries, undefined);
      } catch (error) {
        this.#set(folder, undefined, messageOf(error));
      }
    } while (this.#stale.has(folder));
    this.#loading.delete(folder);
  }

  #set(folder: string, found: readonly TreeEntry[] | undefined, failure: string | undefined): void {
    this.state.setState((state) => {
      const entries = new Map(state.entries);
      const failures = new Map(state.failures);
      failures.delete(folder);
      if (found !== undefined) entries.set(folder, found);
      if (failure !== undefined && !entries.has(folder)) failures.set(folder, failure);
      return { entries, failures };
    });
  }
}

function readExpanded(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(expandedKey) ?? '[]');
    return Array.isArray(stored) ? stored.filter((folder) => typeof folder === 'string') : [];
  } catch {
    return [];
  }
}
