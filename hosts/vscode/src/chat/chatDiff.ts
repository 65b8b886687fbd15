/** One diff of a tool's card or of a permission, as it is shown in a diff editor. */
export interface ChatDiff {
  readonly path: string;
  /** Absent for a new file. */
  readonly oldText?: string;
  readonly newText: string;
  /** The tool call that it belongs to, by which an open permission about it is found. */
  readonly toolCallId?: string;
}
