import type { ChatModel } from '@tandem/chat/model';
import type { Caller, ChatMention, ChatSetup, chatContract } from '@tandem/rpc';

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
