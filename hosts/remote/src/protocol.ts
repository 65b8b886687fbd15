import { isAbsolute } from 'node:path';
import { controlContract } from '@tandem/companion/controlContract';
import {
  answer,
  changesContract,
  concern,
  feedbackContract,
  fileContent,
  hunk,
  id,
  lineRange,
  none,
  nothing,
  range,
  reviewComment,
  reviewSummary,
  sessionContract,
  sharingStatus,
} from '@tandem/rpc/schemas';
import * as z from 'zod';

/**
 * The editor protocol. Positions as in LSP: 0-based, in UTF-16 code units. Paths are absolute real paths, times Unix milliseconds.
 * Unknown members are ignored.
 */
export const protocolVersion = 1;

/** Longer lists are cut. */
const maxOpenFiles = 1000;
const maxFolders = 100;
const maxPathLength = 32_767;

const path = z
  .string()
  .max(maxPathLength)
  .refine((text) => isAbsolute(text) && !text.includes('\0'), 'must be an absolute path');
const name = z.string().trim().min(1).max(80);
const texts = z.array(z.string());
const position = range.shape.start;
const reviewId = z.object({ id });
/** What the user saw of the reviews that are decided. */
const seenReviews = answer.shape.seen.unwrap();

const workspace = {
  workspaceFolders: z.array(path).max(maxFolders),
  isTrusted: z.boolean(),
};

const openFile = z.object({
  path,
  lastFocusedAt: z.number().optional(),
  isDirty: z.boolean().default(false),
  languageId: z.string().max(80).optional(),
  selection: z.object({ range, cursor: position.optional(), text: z.string() }).optional(),
});

/** What the editor shows now, as a whole. The latest focus first. */
export const contextSnapshot = z.object({
  openFiles: z.array(openFile).transform((files) => files.slice(0, maxOpenFiles)),
  activePath: path.optional(),
});

const diagnostic = z.object({
  message: z.string(),
  severity: z.enum(['error', 'warning', 'info', 'hint']),
  range,
  source: z.string().optional(),
  code: z.union([z.string(), z.number()]).optional(),
});
const fileDiagnostics = z.object({ path, diagnostics: z.array(diagnostic) });

/** What closing the view of a pending review does. */
const whenClosed = z.enum(['reject', 'ask', 'keep']);

export const initializeParams = z.object({
  protocolVersion: z.literal(protocolVersion),
  editor: z.object({
    name: z
      .string()
      .max(40)
      .regex(/^[a-z][a-z0-9-]*$/, 'must be a short lower-case name'),
    displayName: name,
    version: name,
    pid: z.int().min(1),
  }),
  ...workspace,
  capabilities: z
    .object({
      format: z.boolean().optional(),
      diagnostics: z.boolean().optional(),
      terminals: z.boolean().optional(),
      test: z.array(z.string()).optional(),
    })
    .default({}),
  settings: z
    .object({
      agents: texts.optional(),
      deny: texts.optional(),
      gitignore: z.boolean().optional(),
      startsPaused: z.boolean().optional(),
      whenClosed: whenClosed.optional(),
    })
    .default({}),
});

const environment = z.record(z.string(), z.string());

export const initializeResult = z.object({
  protocolVersion: z.literal(protocolVersion),
  tandem: z.object({ version: z.string(), pid: z.int() }),
  /** Variables for the editor's terminals. They hold secrets. */
  environment,
  agents: z.array(z.object({ id: z.string(), displayName: z.string(), command: texts })),
  limits: z.object({ selectionBytes: z.int(), messageBytes: z.int() }),
});

/** A review as the editor shows it. Texts have `\n` line ends and no byte order mark. */
export const shownReview = z.object({
  id: z.string(),
  agent: z.string(),
  agentName: z.string(),
  session: z.string(),
  title: z.string().optional(),
  path: z.string(),
  /** Counts `review/show` and `review/changed`. */
  version: z.int(),
  original: fileContent,
  proposed: z.string(),
  /** The text of the right side, which the user edits. */
  content: z.string(),
  hunks: z.array(hunk),
  /** What happened to the file since the proposal. */
  file: z.enum(['unchanged', 'merged', 'conflict', 'deleted']),
  comments: z.array(reviewComment),
  isNewFile: z.boolean(),
  /** What the user has to confirm before it is accepted, as far as it is known. `warnings` have the same sentences. */
  concerns: z.array(concern).readonly(),
  writesOwnText: z.boolean().optional(),
  notKept: z.string().optional(),
  warnings: texts,
});

const hunkNumber = z.object({ id, hunk: z.int().min(0) });
const version = z.int().min(0);

/** What closing a view did, or what the user is asked. Each choice names the call that carries it out; without one, the review stays pending. */
const closeAnswer = z.object({
  note: z.string().optional(),
  question: z
    .object({
      message: z.string(),
      choices: z.array(
        z.object({ label: z.string(), method: z.enum(['review/reject', 'review/show']), params: reviewId }),
      ),
    })
    .optional(),
});

/** What the editor sends about what it shows. Each may also be a notification, which is not answered. */
export const viewCalls = {
  'context/changed': { params: contextSnapshot, result: nothing },
  'workspace/changed': { params: z.object(workspace), result: z.object({ environment }) },
  'diagnostics/changed': { params: z.object({ paths: z.array(path) }), result: nothing },
  'review/edit': { params: z.object({ id, version, content: z.string() }), result: nothing },
  'review/keep': { params: hunkNumber, result: nothing },
  'review/drop': { params: hunkNumber, result: nothing },
  'review/accept': {
    params: z.object({
      id,
      content: z.string().optional(),
      version: version.optional(),
      /** Of the choice that the user made, if the call failed with a question. */
      answer: answer.optional(),
      /** Short for an answer that confirms `deleted`, `conflict` and `markers`. */
      overwrites: z.boolean().optional(),
    }),
    result: nothing,
  },
  'review/reject': { params: reviewId, result: nothing },
  'review/merge': { params: reviewId, result: nothing },
  'review/close': { params: z.object({ id, isSeveral: z.boolean().optional() }), result: closeAnswer },
  'review/show': { params: reviewId, result: nothing },
} as const;

/** A pending review in the question before all of a session are decided. `obstacle`: why it would not be accepted. */
const pendingDecision = z.object({
  id: z.string(),
  path: z.string(),
  seen: z.string(),
  isEdited: z.boolean(),
  obstacle: z.string().optional(),
  /** What has to be confirmed first. */
  concerns: z.array(concern).readonly(),
});
const acceptAll = z.object({ session: id, seen: seenReviews, confirmed: texts.optional() });
const rejectAll = z.object({ session: id, seen: seenReviews, rejectsEdited: z.boolean().optional() });
/** What the user is asked before all pending reviews of a session are decided. Each choice names the call that carries it out. */
const sessionQuestion = z.object({
  message: z.string(),
  choices: z.array(
    z.discriminatedUnion('method', [
      z.object({ label: z.string(), method: z.literal('session/acceptAll'), params: acceptAll }),
      z.object({ label: z.string(), method: z.literal('session/rejectAll'), params: rejectAll }),
    ]),
  ),
});
const { result: decidedTogether } = sessionContract['session.decide'];

/** All that the editor sends. */
export const editorCalls = {
  ...viewCalls,
  'review/comment': feedbackContract['review.comment'],
  'review/editComment': feedbackContract['review.editComment'],
  'review/removeComment': feedbackContract['review.removeComment'],
  'review/feedback': feedbackContract['review.feedback'],
  'review/list': {
    params: none,
    result: z.object({ reviews: z.array(reviewSummary), interrupted: z.array(reviewSummary) }),
  },
  'review/read': { params: reviewId, result: z.object({ review: shownReview }) },
  'review/apply': controlContract['review.apply'],
  'review/discard': { params: reviewId, result: none },
  'session/list': controlContract['session.list'],
  'session/preview': { params: z.object({ session: id }), result: z.array(pendingDecision) },
  'session/question': {
    params: z.object({ session: id, decision: z.enum(['accept', 'reject']) }),
    result: sessionQuestion,
  },
  'session/acceptAll': { params: acceptAll, result: decidedTogether },
  'session/rejectAll': { params: rejectAll, result: decidedTogether },
  'changes/list': controlContract['changes.list'],
  'changes/restore': changesContract['changes.restore'],
  mention: { params: z.object({ path, lines: lineRange.optional() }), result: z.object({ count: z.int() }) },
  'sharing/pause': { params: none, result: sharingStatus },
  'sharing/resume': { params: none, result: sharingStatus },
  status: { params: none, result: controlContract.status.result },
  shutdown: { params: none, result: nothing },
} as const;

/** What Tandem asks the editor. */
export const tandemCalls = {
  'document/open': {
    params: z.object({ path, range: range.optional(), takeFocus: z.boolean().optional() }),
    result: nothing,
  },
  'document/save': { params: z.object({ path }), result: z.boolean() },
  'document/close': { params: z.object({ path }), result: z.boolean() },
  'document/format': { params: z.object({ path }), result: nothing },
  'diagnostics/get': { params: z.object({ path: path.optional() }), result: z.array(fileDiagnostics) },
  'terminal/insert': { params: z.object({ pids: z.array(z.int()), text: z.string() }), result: z.boolean() },
  'review/show': { params: z.object({ review: shownReview }), result: nothing },
} as const;

/** What Tandem reports to the editor. */
export const tandemNotifications = {
  'review/changed': z.object({ review: shownReview }),
  'review/close': z.object({
    id,
    outcome: z.enum(['accepted', 'rejected', 'withdrawn']),
    reason: z.string().optional(),
  }),
  'session/changed': z.object({ sessions: controlContract['session.list'].result }),
  'status/changed': sharingStatus.extend({
    agents: z.array(z.object({ id: z.string(), displayName: z.string(), sessions: z.int() })),
    pending: z.int(),
    interrupted: z.int(),
  }),
  message: z.object({ type: z.enum(['error', 'warning', 'info']), message: z.string() }),
  'file/written': z.object({ path }),
} as const;

export type InitializeParams = z.infer<typeof initializeParams>;
export type InitializeResult = z.infer<typeof initializeResult>;
export type ContextSnapshot = z.infer<typeof contextSnapshot>;
export type CloseAnswer = z.infer<typeof closeAnswer>;
export type ShownReview = z.infer<typeof shownReview>;
