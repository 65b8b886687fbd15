import type { Recorder } from './recorder.js';
import { redact } from './redaction.js';

export interface RecorderOptions {
  /** Takes one line of JSON without a line end. Its errors are swallowed: recording must not disturb the work. */
  write(line: string): void;
  readonly clock: { now(): number };
  /** Keep the contents of files and selections. Off unless a person asked for it. */
  readonly includeContents?: boolean;
  /** Tokens and the like. Read at each message, so that the owner may add to it. */
  readonly secrets: readonly string[];
}

/**
 * A recorder that writes each MCP message as one redacted line
 * `{t, endpoint, session, direction, message}`, `t` in the unit of the clock. It holds no resources.
 */
export function createRecorder(options: RecorderOptions): Recorder {
  const { write, clock, includeContents = false, secrets } = options;
  return {
    record({ endpoint, session, direction, message }) {
      const redacted = redact(message, { includeContents, secrets });
      const line = JSON.stringify({ t: clock.now(), endpoint, session, direction, message: redacted });
      try {
        write(line);
      } catch {
        // A full disk under a trace file is no reason to lose a review.
      }
    },
  };
}
