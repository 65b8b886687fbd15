/** One message as it crossed the wire. */
export interface RecordedMessage {
  /** Name of the endpoint, such as `gemini`. */
  readonly endpoint: string;
  /** Id of the session. */
  readonly session: string;
  /** `in` is from the agent to us. */
  readonly direction: 'in' | 'out';
  readonly message: unknown;
}

/** Sees every MCP message of every session. Owned by whoever created it; never throws. */
export interface Recorder {
  record(entry: RecordedMessage): void;
}
