import * as z from 'zod';
import { concern } from './question.js';

/**
 * Values of several contracts. Plain data: no token, no file content except in texts. Paths are absolute, times Unix
 * milliseconds, lines and characters 0-based, characters UTF-16 code units.
 */

const position = z.object({ line: z.int().min(0), character: z.int().min(0) });
export const range = z.object({ start: position, end: position });
export const none = z.object({});
export const nothing = z.null();
export const path = z.string().min(1);
export const id = z.string().min(1);

const lineSpan = z.object({ start: z.int(), count: z.int() });
/** A change of the proposal against the file. */
export const hunk = z.object({ original: lineSpan, proposed: lineSpan, isKept: z.boolean() });

/** What a user can do with a review: the call `review.run` does it. */
const action = z.object({
  id: z.string(),
  /** For its button: begins with a verb. */
  label: z.string(),
  isPrimary: z.boolean().optional(),
  /** It discards something. */
  isDangerous: z.boolean().optional(),
  /** The kind of the note that it belongs to. */
  about: z.string().optional(),
});

/** What is known of a review without comparing its texts. */
export const reviewFacts = z.object({
  id: z.string(),
  /** Identifier of the agent, such as `claude`. */
  agent: z.string(),
  session: z.string(),
  /** The agent's name for the change, if its protocol has one. */
  title: z.string().optional(),
  path: z.string(),
  /** The agent's display name, with a number if there are several. Absent from a companion of an earlier version. */
  agentName: z.string().default(''),
  /** The path for users: below its workspace folder. */
  label: z.string().default(''),
  /** `interrupted`: the agent has stopped waiting, and the user can still apply or discard it. */
  state: z.enum(['pending', 'accepted', 'rejected', 'withdrawn', 'interrupted']),
  /** `replaced`, `agent`, `let-go`, `disconnected`, `not-shown` or `stopped`. */
  withdrawReason: z.string().optional(),
  /** How it ended; absent while it is pending. `label` for a list, `text`: one or two sentences. */
  end: z.object({ label: z.string(), text: z.string() }).optional(),
  openedAt: z.number(),
  /** Under what heading lists show it, apart from the pending ones; `text`: what that means. */
  group: z.object({ label: z.string(), text: z.string() }).optional(),
  /** When it was decided, by the user or its agent. */
  decidedAt: z.number().optional(),
  /** What the user can do with it now. */
  actions: z.array(action).readonly().default([]),
  isNewFile: z.boolean(),
  /** What the user has to know about the file before accepting. Absent from a companion of an earlier version. */
  concerns: z.array(concern).readonly().default([]),
  /** The agent writes its own proposal, also where the user corrected it. */
  writesOwnText: z.boolean().optional(),
  /** The file is not text; the proposal is decided as a whole. */
  isBinary: z.boolean(),
  isEdited: z.boolean(),
  /** Its text differs from the proposal only by changes of the file that were merged into it; absent otherwise. */
  isMerged: z.boolean().optional(),
  /** Why a crash would lose the review and its edits, in a few words; absent while the journal has it. */
  notKept: z.string().optional(),
  /** How many comments the user made; absent if there are none. */
  comments: z.int().optional(),
  /** How often changes of the file were merged: each merge changes the texts of the file and the proposal. Absent for none. */
  basis: z.int().optional(),
});

/** What a view shows of a review besides its lines. `kind` for programs: that of a concern, or another one. */
const reviewNote = z.object({
  kind: z.string(),
  /** The user has to know it before accepting. */
  isWarning: z.boolean(),
  /** In a few words, for a list or a line. */
  title: z.string(),
  /** In one or two sentences. */
  text: z.string(),
});

/** One review without its texts. */
export const reviewSummary = reviewFacts.extend({
  /** The warnings first. Absent from a companion of an earlier version. */
  notes: z.array(reviewNote).readonly().default([]),
  hunks: z.int(),
  /** Lines of the proposal that the file does not have, and the reverse. */
  added: z.int(),
  removed: z.int(),
});

/** What agents see of the editor. */
export const sharingStatus = z.object({
  isPaused: z.boolean(),
  /** The active file that agents see, and how much of it is selected. */
  activeFile: z.object({ path: z.string(), label: z.string(), selectedCharacters: z.int() }).optional(),
  /** The active file that some or all agents do not see, and why. `agents`: their display names. */
  heldBack: z
    .object({
      path: z.string(),
      label: z.string(),
      agents: z.array(z.string()),
      isFromAll: z.boolean(),
      reason: z.string(),
    })
    .optional(),
});

/** One connected agent. */
export const agentSession = z.object({
  id: z.string(),
  client: z.object({ name: z.string(), version: z.string() }),
  connectedAt: z.number(),
  /** When the agent sent its last message. */
  lastMessageAt: z.number().optional(),
  pid: z.number().optional(),
  /** The agent's name for its conversation, if its protocol has one. */
  title: z.string().optional(),
  /** Its connection is lost: the agent has ended, or will reconnect soon. */
  isAway: z.boolean().optional(),
  /** Which of its edits wait for the user; `none`: it was started without hooks. Absent if its agent cannot have hooks. */
  hooks: z.enum(['before', 'follow', 'after', 'off', 'none']).optional(),
});

/** One agent process that proposed changes, with its pending reviews and those of the history. */
export const sessionSummary = z.object({
  id: z.string(),
  /** Identifier of the agent, such as `claude`. */
  agent: z.string(),
  /** Its display name, with a number if there are several. */
  agentName: z.string(),
  /** The agent's name for its conversation, if it has one; otherwise views show `firstPath`. */
  title: z.string().optional(),
  /** The file of its first review. */
  firstPath: z.string(),
  firstOpenedAt: z.number(),
  isConnected: z.boolean(),
  /** The ids of its pending reviews, the oldest first. */
  pending: z.array(z.string()),
  /** How many of its reviews were accepted or rejected. */
  decided: z.int(),
  /** How many files its accepted reviews changed. */
  files: z.int(),
  /** When it last proposed a change or one was decided. */
  lastActiveAt: z.number(),
});

/** Sessions that did not return after a restart of the companion, and what to type in the agent. */
export const lostSessions = z.object({ count: z.int(), connect: z.string() });

export type SessionSummary = z.infer<typeof sessionSummary>;
export type ReviewFacts = z.infer<typeof reviewFacts>;
export type ReviewSummary = z.infer<typeof reviewSummary>;
export type SharingStatus = z.infer<typeof sharingStatus>;
