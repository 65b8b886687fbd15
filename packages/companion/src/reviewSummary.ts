import {
  type AgentWriting,
  concernsOf,
  describeWritten,
  type LineEndKind,
  type Review,
  type WrittenDifferences,
} from '@tandem/core';
import { describeUnsaved, ownTextNote, type ReviewFacts, type ReviewSummary } from '@tandem/rpc';
import { writingOf } from './agents.js';
import type { ReviewDetails } from './control/controlContract.js';
import { remakeReview } from './remakeReview.js';
import type { InterruptedReview } from './reviewRecords.js';
import { encodingNote, textLosses } from './textLosses.js';

/** One review without its texts. `notKept`: why a crash would lose it. The first call after a change compares the texts. */
export function summarise(review: Review, notKept?: string): ReviewSummary {
  return { ...describeFacts(review, notKept), hunks: review.hunks.length, ...review.lineCounts };
}

/** The part of a summary for which no texts are compared: the answer to a decision does not depend on their size. */
export function describeFacts(review: Review, notKept?: string): ReviewFacts {
  return {
    ...summariseUnedited(review),
    isEdited: review.isEdited,
    ...(notKept !== undefined && { notKept }),
  };
}

/** The part of a summary that does not depend on the current text: cheap while the user types. */
export function summariseUnedited(review: Review) {
  const { proposal, outcome, original } = review;
  return {
    id: review.id,
    agent: proposal.agent,
    session: proposal.session,
    ...(proposal.title !== undefined && { title: proposal.title }),
    path: proposal.path,
    state: review.state,
    ...(outcome?.kind === 'withdrawn' && { withdrawReason: outcome.reason }),
    openedAt: review.openedAt,
    isNewFile: original.kind === 'missing',
    concerns: concernsOf(review),
    ...(proposal.writesOwnText && { writesOwnText: true }),
    isBinary: original.kind === 'binary',
    ...(review.commentCount > 0 && { comments: review.commentCount }),
  };
}

/** One review with its texts. `writing`: how the text of the review will be written. */
export function describeReview(
  review: Review,
  notKept?: string,
  writing = writingOf(review.proposal.agent),
): ReviewDetails {
  const { original, keptHunks } = review;
  return {
    ...summarise(review, notKept),
    commentList: [...review.comments],
    ...(original.kind === 'text' && { original: original.text }),
    proposed: review.proposed,
    content: review.content,
    hunkList: review.hunks.map((hunk, index) => ({
      original: hunk.original,
      proposed: hunk.proposed,
      isKept: keptHunks[index] ?? true,
    })),
    notes: [
      ...(notKept === undefined ? [] : [describeUnsaved(review.hasUsersText, notKept)]),
      ...notesOn(review, writing),
    ],
  };
}

/** How Tandem itself writes the text of a review: in the form of the file. */
const asApplied: AgentWriting = { lineEnds: 'file', encodings: { other: 'kept' } };

/** An interrupted review without its texts. */
export function summariseInterrupted(saved: InterruptedReview, notKept?: string): ReviewSummary {
  return { ...summarise(remakeReview(saved), notKept), ...endOf(saved) };
}

/** An interrupted review with its texts. */
export function describeInterrupted(saved: InterruptedReview, notKept?: string): ReviewDetails {
  return { ...describeReview(remakeReview(saved), notKept, asApplied), ...endOf(saved) };
}

function endOf({ interruption }: InterruptedReview) {
  return { state: 'interrupted' as const, ...(interruption && { interruption }) };
}

/** Notes on differences that no line of a diff shows. */
function notesOn(review: Review, writing: AgentWriting): string[] {
  const { proposal, proposed, original, marks, state } = review;
  const notes: string[] = [];
  if (proposal.writesOwnText && state === 'pending') notes.push(ownTextNote);
  notes.push(...concernsOf({ proposal, marks, original }).map(({ text }) => text));
  notes.push(...textLosses(review, writing));
  notes.push(...encodingNote(review, writing));
  if (original.kind === 'missing') notes.push('This is a new file.');
  if (proposed === '') notes.push('The proposal empties the file.');
  if (original.kind !== 'text') return notes;
  return [...notes, ...exactNotes(describeWritten(proposed, original, writing))];
}

/** In sentences what no line of a diff shows. */
export function exactNotes({ bom, lineEnds, overwritten, finalNewline }: WrittenDifferences): string[] {
  const notes: string[] = [];
  if (bom !== undefined) notes.push(`The byte order mark is ${bom}.`);
  if (lineEnds !== undefined) {
    notes.push(`Line endings change from ${nameOf(lineEnds.from)} to ${nameOf(lineEnds.to)}.`);
  }
  if (overwritten !== undefined) {
    notes.push(`If the agent overwrites the whole file, its line endings become ${nameOf(overwritten)}.`);
  }
  if (finalNewline !== undefined) notes.push(`The newline at the end of the file is ${finalNewline}.`);
  return notes;
}

function nameOf(ends: LineEndKind): string {
  return ends === 'mixed' ? ends : ends.toUpperCase();
}
