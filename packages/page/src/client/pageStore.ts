import type { Caller, ChatStatus, ReviewFacts, ReviewSummary, SharingStatus } from '@tandem/rpc';
import { create, type StoreApi, type UseBoundStore } from 'zustand';
import {
  afterListEvent,
  type PageAgent,
  type PageContract,
  type PageDocument,
  type PageEvent,
  type PageSessionSummary,
  type WorkspaceFolder,
} from '../wire/index.js';

/** The last state received from the host, and what this page still holds of an earlier host. */
export interface PageState {
  readonly connection: ConnectionState;
  /** Absent until the host has sent its first event. */
  readonly host?: HostInfo;
  /** Whether the host has sent its lists once: what they do not have does not exist. */
  readonly isListed: boolean;
  /** How often the companion was restarted while this page was open. */
  readonly restarts: number;
  readonly reviews: readonly ReviewSummary[];
  /** The history, the newest first. The last ones are also in `reviews`. */
  readonly decided: readonly ReviewFacts[];
  readonly sessions: readonly PageSessionSummary[];
  /** Another one when the changes of sessions are others. */
  readonly changesRevision: number;
  readonly documents: readonly PageDocument[];
  readonly agents: readonly PageAgent[];
  readonly sharing: SharingStatus;
  /** The status of the chat; its content is sent only to its followers. */
  readonly chat?: ChatStatus;
  /** What the last restart ended; dismissed by `undefined`. */
  readonly restart?: RestartReport | undefined;
  /** The last review that the user decided in this page, not elsewhere. */
  readonly decidedHere?: { readonly id: string; readonly isOneOfSeveral?: boolean } | undefined;
  /** The reviews whose tabs were closed, which rejects them in a moment. */
  readonly closing: readonly string[];
  /** Interrupted reviews, as the host keeps them. */
  readonly interrupted: readonly ReviewFacts[];
  /** Texts that a restart ended and the host could not take. They are nowhere else. */
  readonly keptHere: readonly KeptText[];
  /** Whether the demo that this page belongs to is over. */
  readonly isDemoOver: boolean;
}

interface HostInfo {
  readonly instance: string;
  readonly build: string;
  readonly version: string;
  readonly folders: readonly WorkspaceFolder[];
  readonly isTrusted: boolean;
  readonly machine: string;
  readonly command: string;
}

/** What the user should know after the companion was restarted while the page was open. */
export interface RestartReport {
  /** Reviews that waited and were ended by it. */
  readonly reviews: number;
  /** Reviews that waited and wait again, with what was typed. */
  readonly waiting: number;
  /** The ids of the reviews that are pending again. */
  readonly pendingIds: readonly string[];
  /** Labels of the files whose unsaved changes this page gave to the new companion. */
  readonly restored: readonly string[];
  /** Files that could not be opened again, and why; their text is in `keptHere`. */
  readonly failed: readonly { readonly label: string; readonly message: string }[];
}

/** One edited text that outlived its review or its host. */
export interface KeptText {
  readonly key: string;
  readonly agentName: string;
  readonly path: string;
  readonly label: string;
  /** Lines joined by `\n`. */
  readonly content: string;
}

export type PageStore = UseBoundStore<StoreApi<PageState>>;

export function createPageStore(host: PageHost): PageStore {
  const store: PageStore = create<PageState>(() => ({
    connection: host.connection,
    isListed: false,
    restarts: 0,
    reviews: [],
    decided: [],
    sessions: [],
    changesRevision: 0,
    documents: [],
    agents: [],
    sharing: { isPaused: false },
    closing: [],
    interrupted: [],
    keptHere: [],
    isDemoOver: false,
  }));
  host.onConnection((connection) => store.setState({ connection }));
  host.onEvent((event) => store.setState((state) => afterEvent(state, event)));
  return store;
}

function afterEvent(state: PageState, event: PageEvent): Partial<PageState> {
  switch (event.event) {
    case 'hello': {
      const { event: _event, connection: _connection, ...host } = event;
      const isRestarted = state.host !== undefined && state.host.instance !== host.instance;
      if (!isRestarted) return { host };
      return { host, restarts: state.restarts + 1, decidedHere: undefined };
    }
    case 'reviews':
      return { reviews: afterListEvent(state.reviews, event) };
    case 'decided':
      return { decided: afterListEvent(state.decided, event) };
    case 'changes':
      return { changesRevision: event.revision };
    case 'sessions':
      return { sessions: event.sessions };
    case 'interrupted':
      return { interrupted: event.reviews };
    case 'documents':
      return { documents: event.documents };
    case 'agents':
      return { agents: event.agents, isListed: true };
    case 'sharing':
      return { sharing: event.sharing };
    case 'chat-status':
      return { chat: event.status };
    case 'demo-ended':
      return { isDemoOver: true };
    default:
      return {};
  }
}

/** All reviews that the host lists: the pending ones, and then the others, the newest first. */
export function listedReviews({
  reviews,
  decided,
}: Pick<PageState, 'reviews' | 'decided'>): readonly (ReviewSummary | ReviewFacts)[] {
  const known = new Set(reviews.map(({ id }) => id));
  return [...reviews, ...decided.filter(({ id }) => !known.has(id))];
}

/**
 * The page's connection to its host. `refused`: another program, or a companion that does not know our token, answers.
 * `lost`: nothing answers. In both states the host reconnects by itself.
 */
export type ConnectionState = 'connecting' | 'open' | 'lost' | 'refused';

/** The host of the page: the server of a companion. */
export interface PageHost {
  /** Rejects with `RpcError`; its code is `unreachable` if there is no answer. */
  readonly request: Caller<PageContract>;
  /** Returns what removes the listener, like `onConnection`. */
  onEvent(listener: (event: PageEvent) => void): () => void;
  onConnection(listener: (state: ConnectionState) => void): () => void;
  readonly connection: ConnectionState;
  /** Connects, and reconnects whenever the connection is lost, until `close`. */
  start(): void;
  /** Reconnects now instead of after the current delay. */
  retry(): void;
  close(): void;
}
