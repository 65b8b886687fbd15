import { type FileRelation, hasConflictMarkers } from '../record/fileUnderReview.js';
import type { Review } from '../record/review.js';
import { whyNotEmpty } from '../record/reviewErrors.js';
import { type AgentWriting, describeWritten, type WrittenDifferences } from '../text/agentWriting.js';
import type { LineEndKind } from '../text/lines.js';
import type { FileContent } from '../text/mergeWithFile.js';
import { type Concern, type ConcernKind, concernSince, concernsOf, concernTitle } from './concerns.js';

/** What a note is about, besides the concerns. */
type NoteKind =
  | ConcernKind
  | 'not-kept' // A crash would lose it.
  | 'own-text' // The agent writes its own text, or a part of it.
  | 'removed' // The file is deleted.
  | 'empty' // Nothing of the file remains.
  | 'empty-answer' // The agent cannot receive the text, because it is empty.
  | 'encoding' // The encoding of the file, and what is lost with it.
  | 'new-file'
  | 'merged' // Later changes of the file are in it.
  | 'unseen'; // What no line of a diff shows.

/** What a view shows of a review besides its lines. Names and texts from outside are as they are: make them visible. */
export interface ReviewNote {
  readonly kind: NoteKind;
  /** The user has to know it before accepting. */
  readonly isWarning: boolean;
  /** In a few words, for a list or a line. */
  readonly title: string;
  /** In one or two sentences. */
  readonly text: string;
}

/** What the notes on a review depend on besides the review. */
export interface NoteSources {
  /** How the text will be written. */
  readonly writing: AgentWriting;
  /** What the file would lose of its text by its encoding, and what the encoding is. */
  readonly encoding: (review: Review, writing: AgentWriting) => readonly ReviewNote[];
  /** Why a crash would lose the review, in a few words. */
  readonly notKept?: string | undefined;
  /** What happened to the file since the proposal, as far as it is known. */
  readonly relation?: FileRelation | undefined;
  /** The editor has unsaved changes to the file. */
  readonly isUnsaved?: boolean | undefined;
}

/** All notes on a review, the warnings first. Cheap, also for large texts, once the texts are compared. */
export function notesOn(review: Review, sources: NoteSources): ReviewNote[] {
  const { notKept, relation, isUnsaved = false, writing } = sources;
  const { proposal, original, state } = review;
  const isPending = state === 'pending';
  const notes: ReviewNote[] = [];
  if (isPending && notKept !== undefined)
    notes.push({
      kind: 'not-kept',
      isWarning: true,
      title: 'Not saved',
      text: `Not saved: a crash would lose ${review.hasUsersText ? 'your edits' : 'this review'} (${notKept}).`,
    });
  notes.push(...concernsOf(review).map(warningOf));
  if (isPending) {
    if (isUnsaved) notes.push(warningOf(concernSince('unsaved')));
    if (relation === 'deleted' || relation === 'conflict') notes.push(warningOf(concernSince(relation)));
    if (hasConflictMarkers(review)) notes.push(warningOf(concernSince('markers')));
    if (review.hasUnusableAnswer)
      notes.push({
        kind: 'empty-answer',
        isWarning: true,
        title: 'Cannot be empty',
        text: whyNotEmpty,
      });
    else if (proposal.cannotAnswerEmpty && review.content === '')
      notes.push({
        kind: 'empty',
        isWarning: false,
        title: 'Empty',
        text: 'This agent cannot receive an empty text. Its own proposal is also empty, so the result is the same.',
      });
  }
  if (review.removesFile)
    notes.push({
      kind: 'removed',
      isWarning: true,
      title: 'Deletes the file',
      text: isPending ? 'If you accept, the agent deletes this file.' : 'The agent deletes this file.',
    });
  else if (review.content === '') {
    const text = `${review.isEdited ? 'Your text' : 'The proposal'} empties the file.`;
    notes.push(
      original.kind === 'missing'
        ? { kind: 'empty', isWarning: false, title: 'Empty', text: 'The new file is empty.' }
        : { kind: 'empty', isWarning: true, title: 'Empties the file', text },
    );
  }
  notes.push(...sources.encoding(review, writing));
  if (isPending && proposal.writesOwnText)
    notes.push({
      kind: 'own-text',
      isWarning: review.isEdited,
      title: review.isEdited ? 'Edits are saved, not sent' : 'Ignores your edits',
      text: 'This agent ignores your edits. Tandem saves them, so you can apply them after the agent has written the file.',
    });
  const { agentChooses } = proposal;
  if (isPending && agentChooses && review.content.includes(agentChooses))
    notes.push({
      kind: 'own-text',
      isWarning: false,
      title: 'The agent chooses a part',
      text: `In place of "${agentChooses}" the agent writes what it chooses then.`,
    });
  if (original.kind === 'missing')
    notes.push({ kind: 'new-file', isWarning: false, title: 'New file', text: 'This is a new file.' });
  if (isPending && (relation === 'merged' || review.basis > 0))
    notes.push({
      kind: 'merged',
      isWarning: false,
      title: 'Merged with the file',
      text: 'The file changed on disk. Its changes are merged into this text.',
    });
  notes.push(...unseenNotes(review, writing));
  return notes.toSorted((one, other) => Number(other.isWarning) - Number(one.isWarning));
}

/** The last result for each file content: to compare large texts takes time. A merge replaces both. */
const unseen = new WeakMap<
  FileContent,
  { readonly proposed: string; readonly notes: readonly ReviewNote[] }
>();

function unseenNotes({ original, proposed }: Review, writing: AgentWriting): readonly ReviewNote[] {
  if (original.kind !== 'text') return [];
  const known = unseen.get(original);
  if (known?.proposed === proposed) return known.notes;
  const notes = exactNotes(describeWritten(proposed, original, writing));
  if (notes.length === 0 && original.text === proposed)
    notes.push({
      kind: 'unseen',
      isWarning: false,
      title: 'No changed lines',
      text: 'No lines of this file change.',
    });
  unseen.set(original, { proposed, notes });
  return notes;
}

const badges: Partial<Record<NoteKind, string>> = {
  git: '.git',
  runs: 'runs',
  access: 'access',
  executable: 'program',
  hidden: 'hidden',
  outside: 'outside',
  binary: 'binary',
  unsaved: 'unsaved',
  deleted: 'deleted',
  conflict: 'conflict',
  markers: 'conflict',
  removed: 'deletes',
  empty: 'empties',
};

/** A note in one word, for a list with one line for each review; its title, where no word is clear. */
export function noteBadge({ kind, title }: { readonly kind: string; readonly title: string }): string {
  return Object.hasOwn(badges, kind) ? (badges[kind as NoteKind] ?? title) : title;
}

/** A concern as a note. */
export function warningOf({ kind, text }: Concern): ReviewNote {
  return { kind, isWarning: true, title: concernTitle(kind), text };
}

/** What no line of a diff shows. */
export function exactNotes({ bom, lineEnds, overwritten, finalNewline }: WrittenDifferences): ReviewNote[] {
  const of = (title: string, text: string): ReviewNote => ({ kind: 'unseen', isWarning: false, title, text });
  const notes: ReviewNote[] = [];
  if (bom !== undefined) notes.push(of(`Byte order mark ${bom}`, `The byte order mark is ${bom}.`));
  if (lineEnds !== undefined) {
    const [from, to] = [nameOf(lineEnds.from), nameOf(lineEnds.to)];
    notes.push(of(`Line endings: ${from} to ${to}`, `Line endings change from ${from} to ${to}.`));
  }
  if (overwritten !== undefined) {
    const ends = nameOf(overwritten);
    notes.push(
      of(
        `Line endings: ${ends} if the agent overwrites the whole file`,
        `If the agent overwrites the whole file, its line endings become ${ends}.`,
      ),
    );
  }
  if (finalNewline !== undefined)
    notes.push(
      of(`Newline at the end ${finalNewline}`, `The newline at the end of the file is ${finalNewline}.`),
    );
  return notes;
}

function nameOf(ends: LineEndKind): string {
  return ends === 'mixed' ? ends : ends.toUpperCase();
}
