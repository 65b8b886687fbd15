/** The documented exit codes of the command. */
export const exitCode = {
  ok: 0,
  failed: 1,
  /** The command line is invalid, or does not identify a companion. */
  usage: 2,
  /** No companion runs for this folder. */
  noCompanion: 3,
  /** There is no such review, or it is already decided. */
  noSuchReview: 4,
} as const;

/** Ends a command with a message for the user and an exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: number;

  constructor(message: string, code: number = exitCode.failed, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
