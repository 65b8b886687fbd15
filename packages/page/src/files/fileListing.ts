import { messageOf } from '@tandem/core';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { PageHost } from '../client/pageStore.js';
import type { TreeEntry, WorkspaceFolder } from '../wire/index.js';

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

/** One line of the tree. */
export interface TreeRow {
  readonly path: string;
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'failure';
  readonly heldBack?: string | undefined;
  /** From 1. */
  readonly level: number;
  readonly isExpanded: boolean;
  /** Its place among its siblings, from 1, and how many there are. */
  readonly place: number;
  readonly siblings: number;
  /** Index of the row of its folder; -1 at the top. */
  readonly parent: number;
}

interface TreeState {
  readonly entries: ReadonlyMap<string, readonly TreeEntry[]>;
  readonly failures: ReadonlyMap<string, string>;
  readonly expanded: ReadonlySet<string>;
}

/** The lines of the tree from top to bottom. A single workspace folder is not shown itself, only what lies in it. */
export function treeRows(folders: readonly WorkspaceFolder[], state: TreeState): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const addFolder = (folder: string, level: number, parent: number): void => {
    const failure = state.failures.get(folder);
    if (failure !== undefined) {
      rows.push({
        path: folder,
        name: failure,
        kind: 'failure',
        level,
        isExpanded: false,
        place: 1,
        siblings: 1,
        parent,
      });
    }
    addEntries(state.entries.get(folder) ?? [], level, parent);
  };
  const addEntries = (entries: readonly TreeEntry[], level: number, parent: number): void => {
    entries.forEach(({ path, name, kind, heldBack }, index) => {
      const isExpanded = kind === 'folder' && state.expanded.has(path);
      const place = { place: index + 1, siblings: entries.length };
      rows.push({ path, name, kind, heldBack, level, isExpanded, ...place, parent });
      if (isExpanded) addFolder(path, level + 1, rows.length - 1);
    });
  };
  const [only] = folders;
  if (folders.length === 1 && only !== undefined) addFolder(only.path, 1, -1);
  else
    addEntries(
      folders.map(({ path, name }) => ({ path, name, kind: 'folder' })),
      1,
      -1,
    );
  return rows;
}

/**
 * What brings a file into view: its row, or the folder on the way to it that has to be opened first. Nothing while a
 * folder is still being listed, and for a file that the tree does not show.
 */
export function revealStep(
  rows: readonly TreeRow[],
  path: string,
):
  | { readonly kind: 'show'; readonly index: number }
  | { readonly kind: 'open'; readonly folder: string }
  | undefined {
  const index = rows.findIndex((row) => row.kind === 'file' && row.path === path);
  if (index >= 0) return { kind: 'show', index };
  const folders = rows.filter((row) => row.kind === 'folder' && isBelow(path, row.path));
  const closed = folders.find(({ isExpanded }) => !isExpanded);
  return closed && { kind: 'open', folder: closed.path };
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder) && /^[/\\]/.test(path.slice(folder.length));
}

/** The row whose name begins with what was typed, from the row after `from` on, around the end; -1: there is none. */
export function findTyped(rows: readonly TreeRow[], typed: string, from: number): number {
  const wanted = typed.toLocaleLowerCase();
  for (let step = 0; step < rows.length; step += 1) {
    // Another character of the same word may still mean the row it has led to.
    const at = (from + step + (typed.length === 1 ? 1 : 0) + rows.length) % rows.length;
    if (rows[at]?.name.toLocaleLowerCase().startsWith(wanted)) return at;
  }
  return -1;
}

/** What a key asks of the tree. */
export type TreeCommand =
  | { readonly kind: 'go'; readonly to: number }
  | { readonly kind: 'run' }
  | { readonly kind: 'toggle'; readonly isExpanded: boolean };

/**
 * What a key does on the row that has the focus, by the tree pattern of ARIA; `page` is how many rows can be seen.
 * `undefined`: the key is not one of the tree's.
 */
export function treeCommand(
  key: string,
  rows: readonly TreeRow[],
  focused: number,
  page: number,
): TreeCommand | undefined {
  const row = rows[focused];
  if (row === undefined) return undefined;
  const go = (to: number): TreeCommand => ({ kind: 'go', to: Math.min(Math.max(to, 0), rows.length - 1) });
  switch (key) {
    case 'ArrowDown':
      return go(focused + 1);
    case 'ArrowUp':
      return go(focused - 1);
    case 'PageDown':
      return go(focused + page);
    case 'PageUp':
      return go(focused - page);
    case 'Home':
      return go(0);
    case 'End':
      return go(rows.length - 1);
    case 'Enter':
    case ' ':
      return { kind: 'run' };
    case 'ArrowRight':
      if (row.kind === 'folder' && !row.isExpanded) return { kind: 'toggle', isExpanded: true };
      return go(rows[focused + 1]?.parent === focused ? focused + 1 : focused);
    case 'ArrowLeft':
      if (row.isExpanded) return { kind: 'toggle', isExpanded: false };
      return go(row.parent >= 0 ? row.parent : focused);
    default:
      return undefined;
  }
}
