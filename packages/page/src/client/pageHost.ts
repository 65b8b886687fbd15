import type { PageEvent, PageMethod, PageParams, PageResult } from '../wire/index.js';

/**
 * How the page stands with its host. `refused`: somebody answers who does not know our token, another program or a
 * companion with another one. `lost`: nobody answers. Both are tried again by themselves.
 */
export type ConnectionState = 'connecting' | 'open' | 'lost' | 'refused';

/** The other side of the page: a server for a browser, an extension for a webview. */
export interface PageHost {
  /** Rejects with `PageError`; its code is `unreachable` when there was no answer. */
  request<M extends PageMethod>(method: M, params: PageParams<M>): Promise<PageResult<M>>;
  /** Returns what stops the listening. */
  onEvent(listener: (event: PageEvent) => void): () => void;
  /** Fires with each new state. Returns what stops the listening. */
  onConnection(listener: (state: ConnectionState) => void): () => void;
  readonly connection: ConnectionState;
  /** Connects, and again whenever the connection is lost, until `close`. */
  start(): void;
  /** Tries at once to connect again, where the host waits before the next attempt. */
  retry(): void;
  close(): void;
}
