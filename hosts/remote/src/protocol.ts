import { isAbsolute } from 'node:path';
import { controlContract } from '@tandem/companion/controlContract';
import {
  concern,
  deskContract,
  fileContent,
  hunk,
  id,
  none,
  nothing,
  range,
  reviewComment,
  reviewSummary,
  sharingStatus,
} from '@tandem/rpc/schemas';
import * as z from 'zod';

/**
 * The editor protocol. Positions as in LSP: 0-based, in UTF-16 code units. Paths are absolute real paths, times Unix milliseconds.
 * Unknown members are ignored. Plugins of version 1 are served, too: see `versionOne.ts`.
 */
export const protocolVersion = 2;

/** Of longer texts, `document/saved` names only the file. In UTF-8. */
export const maxSavedTextBytes = 8 * 1024 * 1024;

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

/** Which edits of agents with hooks wait for the user. */
const hookMode = deskContract['session.hooks'].params.shape.hooks;

/** What closing the view of a pending review does. */
const whenClosed = z.enum(['reject', 'ask', 'keep']);

export const initializeParams = z.object({
  protocolVersion: z.union([z.literal(1), z.literal(protocolVersion)]),
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
      test: z.array(z.string()).optional(),
    })
    .default({}),
  settings: z
    .object({
      agents: texts.optional(),
      deny: texts.optional(),
      gitignore: z.boolean().optional(),
      /** Whether to look at the files around the commands of agents; by default true. */
      changes: z.boolean().optional(),
      startsPaused: z.boolean().optional(),
      whenClosed: whenClosed.optional(),
      hooks: hookMode.optional(),
    })
    .default({}),
});

const environment = z.record(z.string(), z.string());

export const initializeResult = z.object({
  /** The one that the editor named. */
  protocolVersion: z.union([z.literal(1), z.literal(protocolVersion)]),
  tandem: z.object({ version: z.string(), pid: z.int() }),
  /** Variables for the editor's terminals. They hold secrets. */
  environment,
  agents: z.array(z.object({ id: z.string(), displayName: z.string(), command: texts })),
  limits: z.object({
    selectionBytes: z.int(),
    messageBytes: z.int(),
    /** A Tandem that does not name it does not know `document/saved`. */
    savedTextBytes: z.int().optional(),
  }),
});

/** A review as the editor shows it. Texts have `\n` line ends and no byte order mark. */
export const shownReview = z.object({
  id: z.string(),
  agent: z.string(),
  agentName: z.string(),
  session: z.string(),
  title: z.string().optional(),
  path: z.string(),
  /** The path for users: below its workspace folder. */
  label: z.string(),
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
  /** What the user can do now; `review/run` does it. */
  actions: reviewSummary.shape.actions,
  isNewFile: z.boolean(),
  /** What the user has to confirm before it is accepted, as far as it is known. `warnings` have the same sentences. */
  concerns: z.array(concern).readonly(),
  writesOwnText: z.boolean().optional(),
  notKept: z.string().optional(),
  warnings: texts,
});

const version = z.int().min(0);

/** What the editor sends about what it shows. Each may also be a notification, which is not answered. */
export const viewCalls = {
  'context/changed': { params: contextSnapshot, result: nothing },
  'workspace/changed': { params: z.object(workspace), result: z.object({ environment }) },
  'terminals/hooks': { params: z.object({ hooks: hookMode }), result: z.object({ environment }) },
  'diagnostics/changed': { params: z.object({ paths: z.array(path) }), result: nothing },
  'document/saved': { params: z.object({ path, text: z.string().optional() }), result: nothing },
  'review/edit': { params: z.object({ id, version, content: z.string() }), result: nothing },
  'review/show': { params: reviewId, result: nothing },
} as const;

/** Method names of this protocol have a slash where those of our other contracts have a dot. */
type Slashed<C> = {
  [M in keyof C & string as M extends `${infer Subject}.${infer Verb}` ? `${Subject}/${Verb}` : M]: C[M];
};

/** The same members by their names in this protocol. */
export function slashed<C extends object>(contract: C): Slashed<C> {
  const entries = Object.entries(contract).map(([name, method]) => [name.replace('.', '/'), method]);
  // The names are those of the type.
  return Object.fromEntries(entries) as Slashed<C>;
}

/** All that the editor sends. */
export const editorCalls = {
  ...viewCalls,
  ...slashed(deskContract),
  'review/list': {
    params: none,
    result: z.object({ reviews: z.array(reviewSummary), interrupted: z.array(reviewSummary) }),
  },
  'review/read': { params: reviewId, result: z.object({ review: shownReview }) },
  'session/list': controlContract['session.list'],
  'changes/list': controlContract['changes.list'],
  mention: { ...deskContract.mention, params: deskContract.mention.params.extend({ path }) },
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
  /** The files with changes that wait for the user are these, or other lines of them wait. */
  'changes/changed': z.object({ version: z.int(), paths: texts }),
  message: z.object({ type: z.enum(['error', 'warning', 'info']), message: z.string() }),
  'file/written': z.object({ path }),
} as const;

export type InitializeParams = z.infer<typeof initializeParams>;
export type InitializeResult = z.infer<typeof initializeResult>;
export type ContextSnapshot = z.infer<typeof contextSnapshot>;
export type ShownReview = z.infer<typeof shownReview>;
