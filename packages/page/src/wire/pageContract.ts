import type { MethodOf, Params, Result } from '@tandem/rpc';
import {
  answer,
  changeSelection,
  chatContract,
  deskContract,
  folderRecording,
  hunk,
  id,
  none,
  nothing,
  path,
  range,
} from '@tandem/rpc/schemas';
import * as z from 'zod';
import {
  documentConflict,
  pageChange,
  pageReviewDetails,
  textState,
  textUpdate,
  treeEntry,
} from './values.js';

const reviewId = z.object({ id });
const version = z.int().min(0);

/** `review:<id>` or `document:<path>`. */
const textId = z.string().regex(/^(review|document):./s);

const pageFinding = z.object({
  id: z.string(),
  severity: z.enum(['error', 'warning', 'note']),
  title: z.string(),
  cause: z.string(),
  consequence: z.string(),
  fix: z.object({ command: z.string(), place: z.enum(['shell', 'agent']) }),
});

/** The doctor's findings, by subject. */
const pageDiagnosis = z.object({
  folder: z.string(),
  isHealthy: z.boolean(),
  groups: z.array(
    z.object({
      /** An agent, or the folder and the shell. */
      name: z.string(),
      /** False for an agent that is not installed. */
      isLookedAt: z.boolean(),
      /** A summary in one sentence; absent if the findings say it. */
      state: z.string().optional(),
      findings: z.array(pageFinding),
    }),
  ),
});

/** One exchange between an agent and the companion: a request with its answer, or a notification. */
const pageExchange = z.object({
  id: z.int(),
  at: z.number(),
  agent: z.string(),
  agentName: z.string(),
  from: z.enum(['agent', 'companion']),
  kind: z.enum(['request', 'notification', 'answer']),
  method: z.string(),
  detail: z.string().optional(),
  answer: z
    .object({ afterMs: z.number().optional(), isError: z.boolean(), says: z.string().optional() })
    .optional(),
});

/** What the page calls on its host: by POST to `/api/<method>`. */
export const pageContract = {
  /** Succeeds if the host runs and accepts the token. */
  ping: { params: none, result: nothing },
  ...deskContract,
  /** One review, pending or ended, also of the history. */
  'review.open': { params: reviewId, result: pageReviewDetails },
  /** Writes `content` into the file of a review that has ended without being accepted. May ask first. */
  'review.save': {
    params: z.object({ id, content: z.string(), answer: answer.optional() }),
    result: nothing,
  },

  /** The files that agents changed, by session and turn, of all sessions or of one. */
  'changes.list': { params: z.object({ session: id.optional() }), result: z.array(pageChange) },
  /** One of them, without and with what stands of these changes. Lines end in `\n`; empty if there is no text. */
  'changes.read': {
    params: z.object({ path, group: z.string().optional(), waits: z.boolean().optional() }),
    result: z.object({
      before: z.string(),
      now: z.string(),
      /** Where they differ. */
      hunks: z.array(hunk),
      stamp: z.string(),
      /** What no line of a diff shows, in sentences. */
      notes: z.array(z.string()),
    }),
  },
  /** Opens the files with conflicts, with both versions as an unsaved change. Returns their paths. */
  'changes.resolve': { params: changeSelection, result: z.object({ paths: z.array(z.string()) }) },

  /** The text, and that of its file at the proposal; absent for a new file. */
  'interrupted.read': {
    params: reviewId,
    result: z.object({ original: z.string().optional(), content: z.string() }),
  },
  /**
   * Opens the file of an interrupted review with its text as an unsaved change of the proposal's original. Asks as
   * `review.accept`.
   */
  'interrupted.restore': { params: reviewId.extend({ answer: answer.optional() }), result: nothing },
  /**
   * The page's text of a review that was pending, opened at `openedAt`, when the last companion ended. `isKept` is false
   * if the host does not know that review; the page has to keep the text then.
   */
  'interrupted.keep': {
    params: z.object({ agent: z.string(), path, openedAt: z.number(), content: z.string() }),
    result: z.object({ isKept: z.boolean() }),
  },

  /** The text at its newest version. From now on this connection receives its `text` events. */
  'text.open': { params: z.object({ text: textId }), result: textState },
  /**
   * The updates after `version`, for a page that missed some. Subscribes like `text.open`. Fails with `changed` if they
   * are gone: open again.
   */
  'text.pull': {
    params: z.object({ text: textId, version }),
    result: z.object({ updates: z.array(textUpdate) }),
  },
  /**
   * Applies updates of `version`. `isApplied` is false if the text has a newer version: pull, rebase and push again. All
   * pages receive applied updates as a `text` event, the sender too.
   */
  'text.push': {
    params: z.object({ text: textId, version, updates: z.array(textUpdate) }),
    result: z.object({ isApplied: z.boolean() }),
  },

  /** Opens a file of the workspace in a tab, unless it is open. `text.open` returns its text. */
  'document.open': { params: z.object({ path }), result: nothing },
  /** Fails with `unsaved` if it has unsaved changes, unless `discards`. */
  'document.close': { params: z.object({ path, discards: z.boolean().optional() }), result: nothing },
  /** Writes the text at `version`. Fails with `conflict` if the text is not based on the file on disk. */
  'document.save': { params: z.object({ path, version }), result: nothing },
  'document.conflict': { params: z.object({ path }), result: documentConflict },
  /**
   * Resolves a conflict: `mine` writes the text to the file, `theirs` loads the file, `merged` writes `content` to both.
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
   * Opens a file, which need not exist, with `content` as an unsaved change, after a restart of the host. It is based on
   * `base`, or else on the file on disk. Both have `\n` line ends.
   */
  'document.restore': {
    params: z.object({ path, base: z.string().optional(), content: z.string() }),
    result: nothing,
  },
  /**
   * The file with the focus and its selection; without a path, no file has it. Ignored if the page has received fewer requests
   * that take the focus (`count` of `show`) than were sent: it reports the file from before them.
   */
  focus: {
    params: z.object({
      path: path.optional(),
      range: range.optional(),
      cursor: z.enum(['start', 'end']).optional(),
      focusRequests: z.int().optional(),
    }),
    result: nothing,
  },

  /** The entries of a folder, folders first, without ignored ones. */
  'files.list': { params: z.object({ folder: path }), result: z.object({ entries: z.array(treeEntry) }) },
  /** All files of the workspace, for quick open. */
  'files.all': {
    params: none,
    result: z.object({
      files: z.array(z.object({ path: z.string(), label: z.string() })),
      /** There are more. */
      isTruncated: z.boolean(),
    }),
  },

  ...chatContract,
  /** The page receives the chat as a `chat` event, and from now on its changes as `chat-patches`. */
  'chat.follow': { params: none, result: nothing },
  /** Connects to a running daemon. The token stays in the host. */
  'chat.connect': {
    params: z.object({ url: z.string().min(1), token: z.string().optional() }),
    result: nothing,
  },

  // Help when something does not work: no token and no file content.
  /** What is recorded in each folder, and where the copies of its files are. */
  'recording.read': { params: none, result: z.array(folderRecording) },
  /** Checks files, ports and programs in the environment of the companion. May take some seconds. */
  diagnose: { params: none, result: pageDiagnosis },
  /**
   * The last messages, the oldest first. With the `version` of the last answer, `exchanges` are absent if there are no new
   * ones.
   */
  'trace.read': {
    params: z.object({ version: z.string().optional() }),
    result: z.object({ version: z.string(), exchanges: z.array(pageExchange).optional() }),
  },
  /** What a bug report needs, as Markdown: without tokens, file contents and the home folder's name. */
  'trace.report': {
    params: z.object({ agent: z.string().optional() }),
    result: z.object({ text: z.string() }),
  },
} as const;

export type PageContract = typeof pageContract;
export type PageMethod = MethodOf<PageContract>;
export type PageParams<M extends PageMethod> = Params<PageContract, M>;
export type PageResult<M extends PageMethod> = Result<PageContract, M>;
export type PageFinding = z.infer<typeof pageFinding>;
export type PageDiagnosis = z.infer<typeof pageDiagnosis>;
export type PageExchange = z.infer<typeof pageExchange>;
