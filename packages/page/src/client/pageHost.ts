import type { Caller } from '@tandem/rpc';
import type { PageContract, PageEvent } from '../wire/index.js';

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
