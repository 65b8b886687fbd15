import type { ChatModel } from '@tandem/chat/model';
import type { ChatMention, ChatPrompt, ChatSession, ChatSetup } from '../wire/index.js';

/** What a panel shows: which daemon the chat is set to, and the chat. */
export interface ChatState {
  readonly setup: ChatSetup;
  readonly model: ChatModel;
  /** `waiting`: the host has not told yet. `lost`: the host itself cannot be reached; it is tried again by itself. */
  readonly link: 'waiting' | 'open' | 'lost';
}

/** A file that a mention can name. */
export interface ChatFile {
  readonly path: string;
  /** Its path as a person reads it. */
  readonly label: string;
}

/** What is selected in the editor beside the panel, or where its caret is. */
export interface ChatSelection extends ChatFile {
  /** Counted from 0, inclusive. Absent when nothing is selected. */
  readonly lines?: NonNullable<ChatMention['lines']>;
}

/** One diff of a tool's card or of a permission. */
export interface ChatDiff {
  readonly path: string;
  /** Absent for a new file. */
  readonly oldText?: string;
  readonly newText: string;
  /** The tool call that it belongs to, by which an open permission about it is found. */
  readonly toolCallId?: string;
}

export interface ChatAnswerChoice {
  readonly optionId?: string;
  /** By each question's key. */
  readonly answers?: Readonly<Record<string, string>>;
}

/**
 * The other side of the chat panel: a page's companion, or the extension of an editor. Every call rejects with an error
 * whose message is for the person.
 */
export interface ChatHost {
  readonly state: ChatState;
  /** Returns what stops the listening. */
  onDidChange(listener: () => void): () => void;

  start(): Promise<void>;
  /** Leads to where the user trusts the folder. Absent where there is no such place. */
  manageTrust?(): Promise<void>;
  /** How a daemon that runs is named: in a form of the panel, or the host asks where the panel does not see the token. */
  readonly connecting:
    | {
        readonly kind: 'form';
        connect(daemon: { readonly url: string; readonly token: string }): Promise<void>;
      }
    | { readonly kind: 'native'; ask(): Promise<void> };
  reconnect(): Promise<void>;
  disconnect(): Promise<void>;

  /** Says whether the chat went back to before the message that the prompt replaces. */
  send(prompt: ChatPrompt): Promise<'sent' | 'rewound'>;
  retry(): Promise<void>;
  /** Removes a queued message, by its `promptId`. `started`: it is not queued any more. */
  unqueue(promptId: string): Promise<'removed' | 'started'>;
  cancel(): Promise<void>;
  setModel(id: string): Promise<void>;
  setMode(id: string): Promise<void>;
  newChat(): Promise<void>;
  sessions(): Promise<readonly ChatSession[]>;
  openSession(id: string): Promise<void>;
  answer(requestId: string, choice: ChatAnswerChoice): Promise<'answered' | 'elsewhere'>;

  /** Files whose name matches, the best first; what was open last for an empty query. */
  findFiles(query: string): Promise<readonly ChatFile[]>;
  /** Undefined where no file is in front. */
  selection(): ChatSelection | undefined;
  openFile(path: string, line?: number): Promise<void>;
  /** Shows a diff as a review that cannot be edited. */
  openDiff(diff: ChatDiff): Promise<void>;
  /** Puts code where the caret of the editor is. */
  insertAtCursor(code: string): Promise<void>;
  /** Gives a text to the person as a file. */
  saveText(name: string, content: string): Promise<void>;
  /** A path as a person reads it. */
  labelOf(path: string): string;
}
