import * as z from 'zod';

/**
 * What the `tandem` command asks of a running companion, whatever its host: one JSON object by POST to
 * `/control/<method>`, one back. Both sides are ours and of one version, but each parses what it receives: the
 * other may be an older one that still runs.
 */

const position = z.object({ line: z.int().min(0), character: z.int().min(0) });
const reviewId = z.object({ id: z.string().min(1) });

/** The parameters of each method. Positions are 0-based. */
export const controlParams = {
  /** Answers `CompanionStatus`. */
  status: z.object({}),
  /** Answers `AgentConnection[]`, tokens included. */
  connections: z.object({}),
  /** Answers `ReviewSummary[]`: those that wait, after the interrupted ones; with `all` the last ones that ended before them. */
  'review.list': z.object({ all: z.boolean().optional() }),
  /** Answers `ReviewDetails`. */
  'review.show': reviewId,
  /**
   * Accepts the text as it stands, or `content`. Answers the `ReviewSummary` after it. Without `overwrites` it is refused
   * when it would undo what came into the file since it was proposed.
   */
  'review.accept': z.object({
    id: z.string().min(1),
    content: z.string().optional(),
    overwrites: z.boolean().optional(),
  }),
  'review.reject': reviewId,
  /** Replaces the text without deciding. */
  'review.edit': z.object({ id: z.string().min(1), content: z.string() }),
  /**
   * Takes into the text what came into the file since it was proposed. Answers the `ReviewSummary` after it, and in
   * `conflicts` how many stand marked in the text; without `marksConflicts` it is refused when there are some.
   */
  'review.update': z.object({ id: z.string().min(1), marksConflicts: z.boolean().optional() }),
  /** Keeps or drops one hunk; `hunk` is 0-based. */
  'review.hunk': z.object({ id: z.string().min(1), hunk: z.int().min(0), isKept: z.boolean() }),
  /**
   * Writes an interrupted review into its file, merged with what the file holds by now. Answers `{conflicts}`, how many
   * stand marked in it; without `marksConflicts` it is refused when there are some.
   */
  'review.apply': z.object({ id: z.string().min(1), marksConflicts: z.boolean().optional() }),
  /** Throws an interrupted review away. */
  'review.discard': reviewId,
  /** Opens a file, gives it the focus and selects a range. Answers what is shared of it. */
  focus: z.object({
    path: z.string().min(1),
    range: z.object({ start: position, end: position }).optional(),
  }),
  /** Points agents at a file; lines are inclusive. Answers `{told}`, how many sessions heard it. */
  mention: z.object({
    path: z.string().min(1),
    lines: z.object({ first: z.int().min(0), last: z.int().min(0) }).optional(),
  }),
  /** Answers the new `SharingStatus`. */
  'share.pause': z.object({}),
  'share.resume': z.object({}),
  /** Answers `PageAddress`, token included. */
  page: z.object({}),
  /** Answers the recorder's last lines, redacted JSONL. */
  trace: z.object({}),
  /** Ends the companion after the answer. */
  stop: z.object({}),
} as const;

export type ControlMethod = keyof typeof controlParams;
export type ControlParams<M extends ControlMethod> = z.infer<(typeof controlParams)[M]>;
