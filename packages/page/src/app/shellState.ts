import type { ChatDiff } from '@tandem/chat-panel';
import type { Question, ReviewFacts } from '@tandem/rpc';
import type { StoreApi } from 'zustand/vanilla';
import type { PageServices } from '../client/pageContext.js';
import type { CloseChoice, DocumentCommands } from '../documents/documentCommands.js';
import type { Closings } from '../review/closings.js';
import type { NoticeBoard } from './notices.js';
import type { TabList } from './tabList.js';

export type ShellDialog =
  | { readonly kind: 'quick-open' }
  | { readonly kind: 'help' }
  | { readonly kind: 'settings' }
  | {
      readonly kind: 'close-document';
      readonly label: string;
      readonly answer: (choice: CloseChoice) => void;
    }
  | { readonly kind: 'question'; readonly question: Question; readonly answer: (choice?: Choice) => void };

type Choice = Question['choices'][number];

/** What a narrow page shows: one thing at a time. */
export type NarrowView = 'reviews' | 'files' | 'main' | 'chat';

export interface ShellState {
  readonly view: NarrowView;
  readonly dialog?: ShellDialog | undefined;
  /** What the tabs of the chat's changes show, by their keys. */
  readonly diffs: Readonly<Record<string, ChatDiff>>;
  /** The session whose changes are shown; absent for all. */
  readonly changesOf?: string | undefined;
  /** Counts how often the chat's composer should take the focus, as soon as it is ready. */
  readonly chatFocus?: number;
}

/** What the modules that the shell consists of use of it. */
export interface ShellParts {
  readonly services: PageServices;
  readonly tabs: TabList;
  readonly notices: NoticeBoard;
  readonly documentCommands: DocumentCommands;
  readonly state: StoreApi<ShellState>;
  readonly leaving: ReadonlySet<string>;
  readonly closings: Closings;
  advancedAt: number;
  preview: string | undefined;
  show(view: NarrowView): void;
  openReview(id: string, options?: { readonly takesFocus?: boolean; readonly replaces?: string }): void;
  openDocument(path: string): Promise<void>;
  dropReviews(): void;
  dropInterrupted(interrupted: readonly ReviewFacts[], before: readonly ReviewFacts[]): void;
  choose(question: Question): Promise<Choice | undefined>;
}
