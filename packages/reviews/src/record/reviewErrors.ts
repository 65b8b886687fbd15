/** A caller tried to change or decide a review that has already ended. */
export class ReviewDecidedError extends Error {
  override readonly name = 'ReviewDecidedError';
}

/** A hunk cannot be toggled, or a merge not undone, because the user has edited the same lines by hand. */
export class HunkConflictError extends Error {
  override readonly name = 'HunkConflictError';
}

/** The changes of a file cannot be merged into its review. */
export class FileConflictError extends Error {
  override readonly name = 'FileConflictError';

  constructor(
    message: string,
    /** Both changed the same lines, and `marksConflicts` can put both versions into the text. */
    readonly canBeMarked = false,
  ) {
    super(message);
  }
}

/** The agent would misinterpret this answer. */
export class UnanswerableError extends Error {
  override readonly name = 'UnanswerableError';
}

/** Why an empty text cannot be accepted, and what the user can do. */
export const whyNotEmpty =
  'This agent cannot receive an empty text: it would write its own proposal instead. Leave at least one line, or reject the proposal and empty the file yourself.';
