import { redact } from './redaction.js';

export interface RecordedMessage {
  /** Name of the endpoint, such as `gemini`. */
  readonly endpoint: string;
  /** Id of the session. */
  readonly session: string;
  /** `in`: from the agent to us. */
  readonly direction: 'in' | 'out';
  readonly message: unknown;
}

/** Receives every MCP message of every session. Owned by its creator; never throws. */
export interface Recorder {
  record(entry: RecordedMessage): void;
}

export interface RecorderOptions {
  /** Receives one line of JSON without a line end. Its errors are ignored. */
  write(line: string): void;
  readonly clock: { now(): number };
  /** Keep the contents of files and selections. Off unless the user requests it. */
  readonly includeContents?: boolean;
  /** Tokens and the like. Read for each message: the owner may add some. */
  readonly secrets: readonly string[];
}

/**
 * Writes each MCP message as one redacted line `{t, endpoint, session, direction, message}`, `t` in the unit of the clock.
 * Holds no resources.
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
        // A full disk must not stop a session.
      }
    },
  };
}
