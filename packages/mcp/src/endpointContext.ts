import type { Counts, Sizes, Timing } from './limits.js';
import type { TransportLogger } from './logger.js';
import type { Recorder } from './recording/recorder.js';

/** What the listener shares with everything that it serves. */
export interface EndpointContext {
  readonly timing: Timing;
  readonly sizes: Sizes;
  readonly counts: Counts;
  readonly logger: TransportLogger;
  readonly recorder: Recorder | undefined;
  /** Sessions of all endpoints, those that are about to begin included. */
  countSessions(): number;
}
