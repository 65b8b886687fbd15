import * as z from 'zod';
import { chatMethods } from './chat.js';
import { helpMethods } from './help.js';
import {
  documentConflict,
  pageReviewDetails,
  pageSharing,
  range,
  textState,
  textUpdate,
  treeEntry,
} from './values.js';

const reviewId = z.object({ id: z.string().min(1) });
const path = z.string().min(1);
const nothing = z.null();

/** Which of the two kinds of text is meant: `review:<id>` or `document:<path>`. */
const textId = z.string().regex(/^(review|document):./s);

/**
 * What the page asks of its host. In the browser: one JSON object by POST to `/api/<method>`, one back,
 * `{"result":…}` or `{"error":{"code","message"}}` with the status of `pageFailureStatus`.
 */
export const pageMethods = {
  /** Whether the host is there and takes our token. */
  ping: { params: z.object({}), result: nothing },
  /** All of one review, pending or ended. */
  'review.open': { params: reviewId, result: pageReviewDetails },
  /**
   * Accepts the text as it stands at `version`. Fails with `changed` when the text is at another version by now:
   * the user has not seen it. Fails with `refused` when the agent could not take the answer, and, unless `overwrites`,
   * with `conflict` when accepting would undo a change of the file or write conflict markers.
   */
  'review.accept': {
    params: z.object({ id: z.string().min(1), version: z.int().min(0), overwrites: z.boolean().optional() }),
    result: nothing,
  },
  /** Merges conflicting changes of the file into the text, with conflict markers. Fails with `refused`. */
  'review.markConflicts': { params: reviewId, result: nothing },
  /** Takes the last change of the file that was merged by itself out of the text. Fails with `refused`. */
  'review.undoMerge': { params: reviewId, result: nothing },
  /** Fails with `unsaved` when the text was edited and `unlessEdited` is set: it is not rejected without a question. */
  'review.reject': {
    params: z.object({ id: z.string().min(1), unlessEdited: z.boolean().optional() }),
    result: nothing,
  },
  /** Keeps or drops one hunk of the proposal. The text changes by a `text` event. */
  'review.hunk': {
    params: z.object({ id: z.string().min(1), hunk: z.int().min(0), isKept: z.boolean() }),
    result: nothing,
  },
  /** Writes `content` into the file of a review that has ended without being accepted. */
  'review.save': { params: z.object({ id: z.string().min(1), content: z.string() }), result: nothing },

  /** The text of an interrupted review. */
  'interrupted.read': { params: reviewId, result: z.object({ content: z.string() }) },
  /** Opens its file with this text as an unsaved change, which was made from what the file held then. */
  'interrupted.restore': { params: reviewId, result: nothing },
  'interrupted.discard': { params: reviewId, result: nothing },
  /**
   * What a page still holds of a review that waited, opened at `openedAt`, when the companion before ended. `isKept` is
   * false when the host knows nothing of that review; the page has to keep the text then.
   */
  'interrupted.keep': {
    params: z.object({ agent: z.string(), path, openedAt: z.number(), content: z.string() }),
    result: z.object({ isKept: z.boolean() }),
  },

  /** The text at its newest version. From here on its `text` events go to this connection. */
  'text.open': { params: z.object({ text: textId }), result: textState },
  /**
   * The updates after `version`, for a page that missed some. It subscribes this connection like `text.open`. Fails
   * with `changed` when they are gone: open again.
   */
  'text.pull': {
    params: z.object({ text: textId, version: z.int().min(0) }),
    result: z.object({ updates: z.array(textUpdate) }),
  },
  /**
   * Applies updates that were made at `version`. `isApplied` is false when the text has moved on: take the newer
   * updates, rebase and push again. Applied or not, they come as a `text` event to everybody, the sender too.
   */
  'text.push': {
    params: z.object({ text: textId, version: z.int().min(0), updates: z.array(textUpdate) }),
    result: z.object({ isApplied: z.boolean() }),
  },

  /** Opens a file of the workspace in a tab, or does nothing when it is open. Its text is had by `text.open`. */
  'document.open': { params: z.object({ path }), result: nothing },
  /** Fails with `unsaved` when it has unsaved changes, unless `discards` says that they may go. */
  'document.close': { params: z.object({ path, discards: z.boolean().optional() }), result: nothing },
  /** Writes the text at `version`. Fails with `conflict` when the file on disk is not the one it was made from. */
  'document.save': { params: z.object({ path, version: z.int().min(0) }), result: nothing },
  'document.conflict': { params: z.object({ path }), result: documentConflict },
  /**
   * Ends a conflict: `mine` writes the text as it stands over the file, `theirs` takes what lies on disk into the
   * document, `merged` puts `content` into the document and writes it.
   */
  'document.resolve': {
    params: z.object({
      path,
      choice: z.enum(['mine', 'theirs', 'merged']),
      content: z.string().optional(),
    }),
    result: nothing,
  },
  /**
   * Opens a file, which need not exist, with `content` as an unsaved change: what the page still holds after its host
   * was restarted. It was made from `base`; without one, from what lies on disk. Both with `\n` line ends.
   */
  'document.restore': {
    params: z.object({ path, base: z.string().optional(), content: z.string() }),
    result: nothing,
  },
  /** The file that has the focus in the page and what is selected in it; no path: none has it. */
  focus: {
    params: z.object({
      path: path.optional(),
      range: range.optional(),
      cursor: z.enum(['start', 'end']).optional(),
    }),
    result: nothing,
  },

  /** What lies in a folder, folders first, without what ignore files name. */
  'files.list': { params: z.object({ folder: path }), result: z.object({ entries: z.array(treeEntry) }) },
  /** All files of the workspace, for quick open. */
  'files.all': {
    params: z.object({}),
    result: z.object({
      files: z.array(z.object({ path: z.string(), label: z.string() })),
      /** Whether there are more than were listed. */
      isTruncated: z.boolean(),
    }),
  },

  /** Points agents at a file; lines are inclusive. `told`: how many sessions heard it. */
  mention: {
    params: z.object({ path, lines: z.object({ first: z.int().min(0), last: z.int().min(0) }).optional() }),
    result: z.object({ told: z.int() }),
  },
  /** Answers what is shared from then on. */
  'share.pause': { params: z.object({}), result: pageSharing },
  'share.resume': { params: z.object({}), result: pageSharing },

  ...chatMethods,
  ...helpMethods,
} as const;

export type PageMethod = keyof typeof pageMethods;
export type PageParams<M extends PageMethod> = z.infer<(typeof pageMethods)[M]['params']>;
export type PageResult<M extends PageMethod> = z.infer<(typeof pageMethods)[M]['result']>;

/** Why a request failed. The message that comes with it is fit for the person. */
export const pageFailureCode = z.enum([
  'bad-request',
  'unauthorized',
  'forbidden',
  'not-found',
  'already-decided',
  'changed',
  'unsaved',
  'conflict',
  'refused',
  'too-large',
  'internal',
  /** Not from the host: it could not be reached. */
  'unreachable',
]);
export type PageFailureCode = z.infer<typeof pageFailureCode>;

export const pageFailureStatus: Readonly<Record<Exclude<PageFailureCode, 'unreachable'>, number>> = {
  'bad-request': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'already-decided': 409,
  changed: 409,
  unsaved: 409,
  conflict: 409,
  refused: 422,
  'too-large': 413,
  internal: 500,
};

/** A request that the host answered with a failure, or that did not reach it. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly code: PageFailureCode;
  constructor(code: PageFailureCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
