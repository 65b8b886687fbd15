/** What the command's exit codes mean. They are documented in its help and the README: scripts rely on them. */
export const exitCode = {
  ok: 0,
  /** Something failed; the message says what and what to do. */
  failed: 1,
  /** The command line is not right, or does not say which companion is meant. */
  usage: 2,
  /** No companion runs for this folder. */
  noCompanion: 3,
  /** There is no such review, or it is already decided. */
  noSuchReview: 4,
} as const;

/** Ends a command with a message for the person and a code for scripts. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: number;

  constructor(message: string, code: number = exitCode.failed, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
