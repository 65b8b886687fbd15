import { applyChatPatches, type ChatModel, type ChatPatch, emptyChat } from '@tandem/chat/model';
import type { Caller, ChatMention, ChatSetup } from '@tandem/rpc';
import type { chatContract } from '@tandem/rpc/schemas';
import { fileItem, findItems, type QuickItem } from './fileSearch.js';

/** What a panel shows. */
export interface ChatState {
  readonly setup: ChatSetup;
  readonly model: ChatModel;
  /** `waiting`: the host has not sent the state yet. `lost`: the host cannot be reached; it is retried automatically. */
  readonly link: 'waiting' | 'open' | 'lost';
}

export interface ChatFile {
  readonly path: string;
  /** The path for the user. */
  readonly label: string;
}

/** The active file, with the selected lines. */
export interface ChatSelection extends ChatFile {
  /** From 0, inclusive. Absent without a selection. */
  readonly lines?: NonNullable<ChatMention['lines']>;
}

/** A diff of a tool card or a permission. */
export interface ChatDiff {
  readonly path: string;
  /** Absent for a new file. */
  readonly oldText?: string;
  readonly newText: string;
  /** The tool call of the diff, by which its pending permission is found. */
  readonly toolCallId?: string;
}

export interface ChatAnswerChoice {
  readonly optionId?: string;
  /** By the questions' keys. */
  readonly answers?: Readonly<Record<string, string>>;
}

/** The host of a chat panel: the page or an editor's webview. Calls reject with an error whose message is for the user. */
export interface ChatHost {
  readonly state: ChatState;
  /** Returns a function that removes the listener. */
  onDidChange(listener: () => void): () => void;

  /** Calls the chat's host. */
  readonly call: Caller<typeof chatContract>;
  /** Opens the editor's workspace trust settings. Absent if there are none. */
  manageTrust?(): Promise<void>;
  /** How the user enters a running daemon: in a form of the panel, or in the host, so that the panel never sees the token. */
  readonly connecting:
    | {
        readonly kind: 'form';
        connect(daemon: { readonly url: string; readonly token: string }): Promise<void>;
      }
    | { readonly kind: 'native'; ask(): Promise<void> };

  /** Matching files, the best first; recently opened files for an empty query. */
  findFiles(query: string): Promise<readonly ChatFile[]>;
  /** Undefined without an active file. */
  selection(): ChatSelection | undefined;
  openFile(path: string, line?: number): Promise<void>;
  /** Shows a read-only diff. */
  openDiff(diff: ChatDiff): Promise<void>;
  /** Inserts code at the editor's cursor. */
  insertAtCursor(code: string): Promise<void>;
  /** Saves a text as a file of the user. */
  saveText(name: string, content: string): Promise<void>;
  /** A path for the user. */
  labelOf(path: string): string;
}

/** The delay of patches in a hidden page. */
const hiddenMs = 200;

/** A panel's copy of the host's chat: received whole once, then by patches. */
export class ChatMirror {
  readonly #queued: ChatPatch[] = [];
  readonly #onChange: () => void;
  #model: ChatModel = emptyChat;
  #isFollowing = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get model(): ChatModel {
    return this.#model;
  }

  /** Whether it was received whole, so that patches apply. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Ignores patches until the next `replace()`. */
  reset(): void {
    this.#isFollowing = false;
  }

  replace(model: ChatModel): void {
    this.#queued.length = 0;
    this.#model = model;
    this.#isFollowing = true;
    this.#onChange();
  }

  /** Applies all patches of one frame together. */
  patch(patches: readonly ChatPatch[]): void {
    if (!this.#isFollowing) return;
    const isFirst = this.#queued.length === 0;
    this.#queued.push(...patches);
    if (!isFirst) return;
    const apply = (): void => {
      const queued = this.#queued.splice(0);
      if (queued.length === 0) return;
      this.#model = applyChatPatches(this.#model, queued);
      this.#onChange();
    };
    if (document.visibilityState === 'visible') requestAnimationFrame(apply);
    else setTimeout(apply, hiddenMs);
  }
}

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
