import { type Path, visibleName } from '@tandem/core';
import type { FileFollower } from '../record/fileFollower.js';
import {
  type Following,
  findOverwritten,
  findStop,
  hasConflictMarkers,
  type Stop,
} from '../record/fileUnderReview.js';
import type { PathMarks } from '../record/pathMarks.js';
import { alreadyDecided, type Review } from '../record/review.js';
import type { FileContent } from '../text/mergeWithFile.js';
import { type Concern, type ConcernKind, concernKinds, concernSince, concernsOf } from './concerns.js';
import type { Answer, Question } from './question.js';

/**
 * What came of an attempt to decide: `changed` if the text is not the one that the user has seen, for example because its file
 * was merged into it just now (`isMerged`); `merged` if the answer only asked to merge the file.
 */
export type Attempt =
  | { readonly kind: 'done' }
  | { readonly kind: 'merged' }
  | { readonly kind: 'changed'; readonly isMerged: boolean }
  | { readonly kind: 'question'; readonly question: Question };

/** What a decision needs to know besides the review. */
export interface ReviewSurroundings {
  /** The content of its file. Undefined if it cannot be read: the agent reports that when it writes the file. */
  readonly readFile: (review: Review, how?: Following) => Promise<FileContent | undefined>;
  /** The facts about the path now: a link may lead elsewhere since the proposal. */
  readonly marks: (of: { readonly path: Path; readonly agent: string }) => Promise<PathMarks>;
  /** Whether the editor has unsaved changes to the file. */
  readonly isUnsaved: (path: Path) => Promise<boolean>;
  /** Saves them. Resolves to whether there are none any more. */
  readonly save: (path: Path) => Promise<boolean>;
  /** Whether the review survives a crash. */
  readonly isKept: (review: Review) => boolean;
  /** The path for users, relative to its folder. */
  readonly label: (path: Path) => string;
}

/** How a review is accepted. */
export interface Accepting extends Answer {
  /** The user's own text instead of that of the review. */
  readonly content?: string | undefined;
  /** The view's follower of the file. */
  readonly file?: Pick<FileFollower, 'check' | 'markConflicts' | 'canMarkConflicts'> | undefined;
  /** Whether the user has seen the current text. */
  readonly isSeen?: () => boolean;
}

/**
 * Accepts a review if the user confirmed everything that is dangerous about it now; otherwise resolves to the question.
 * The only way to accept one review. Throws `ReviewDecidedError`, and `UnanswerableError` as `Review.accept`.
 */
export async function acceptReview(
  review: Review,
  how: Accepting,
  around: ReviewSurroundings,
): Promise<Attempt> {
  const { path } = review.proposal;
  if (review.state !== 'pending') throw alreadyDecided(review);
  const wasSeen = how.isSeen?.() ?? true;
  if (how.merges) return mergeConflicts(review, how, around);
  if (how.saves) await around.save(path);
  const found = await findConcerns(review, how, around);
  // From here to the decision nothing else can happen.
  if (review.state !== 'pending') throw alreadyDecided(review);
  const { isMerged } = found;
  if (how.saves ? !wasSeen : isMerged || how.isSeen?.() === false) return { kind: 'changed', isMerged };
  const { concerns, canMerge } = found;
  if (concerns.every(({ kind }) => how.confirmed?.includes(kind))) {
    if (!review.accept(how.content)) throw alreadyDecided(review);
    return { kind: 'done' };
  }
  return { kind: 'question', question: questionOn('accept', around.label(path), concerns, { canMerge }) };
}

/** Everything that is dangerous about accepting a review now. Merges its file into it, as `followFile`. */
export async function findConcerns(
  review: Review,
  how: Pick<Accepting, 'content' | 'file'>,
  around: ReviewSurroundings,
): Promise<FoundConcerns> {
  const { path, agent } = review.proposal;
  await review.settled();
  const [marks, isUnsaved] = await Promise.all([around.marks({ path, agent }), around.isUnsaved(path)]);
  // Last, because the text and the file may change at any time.
  const { stop, canMerge } = await checkFile(review, how, around);
  if (review.state !== 'pending') return { concerns: [], isMerged: false, canMerge: false };
  review.settle();
  const { original, proposal } = review;
  const concerns = [...concernsOf({ proposal, marks, original })];
  const add = (kind: Parameters<typeof concernSince>[0]): number => concerns.push(concernSince(kind));
  if (isUnsaved) add('unsaved');
  if (stop === 'deleted' || stop === 'conflict') add(stop);
  if (hasConflictMarkers({ original, proposal, content: how.content ?? review.content })) add('markers');
  return { concerns, isMerged: stop === 'merged', canMerge: stop === 'conflict' && canMerge };
}

interface FoundConcerns {
  readonly concerns: readonly Concern[];
  /** The file was merged into the text just now: the user has not seen the result. */
  readonly isMerged: boolean;
  /** Whether the file can be merged into the text with conflict markers. */
  readonly canMerge: boolean;
}

async function checkFile(
  review: Review,
  { content, file }: Pick<Accepting, 'content' | 'file'>,
  around: ReviewSurroundings,
): Promise<{ readonly stop: Stop | undefined; readonly canMerge: boolean }> {
  if (content === undefined && file !== undefined) {
    return { stop: await file.check(), canMerge: file.canMarkConflicts };
  }
  const now = await around.readFile(review, { content });
  if (content === undefined) return { stop: findStop(review, now), canMerge: now?.kind === 'text' };
  const overwritten = now && findOverwritten(review, content, now);
  return { stop: overwritten === 'changed' ? 'conflict' : overwritten, canMerge: false };
}

/** The question about a file, with the ways to answer it. `accept`: the agent writes it; `apply`: Tandem does. */
export function questionOn(
  verb: 'accept' | 'apply',
  label: string,
  concerns: readonly Concern[],
  { canMerge = false }: { readonly canMerge?: boolean } = {},
): Question {
  const kinds = concernKinds.filter((kind) => concerns.some((each) => each.kind === kind));
  const sorted = kinds.flatMap((kind) => concerns.filter((each) => each.kind === kind));
  const others = kinds.filter((kind) => kind !== 'unsaved');
  return {
    message: messageOn(verb, visibleName(label), kinds),
    detail: sorted.map(({ text }) => text).join('\n'),
    concerns: sorted,
    choices: [
      ...(canMerge
        ? [{ kind: 'merge', label: 'Show both versions', answer: { merges: true } } as const]
        : []),
      ...(others.length < kinds.length
        ? [{ kind: 'save', label: 'Save and accept', answer: { saves: true, confirmed: others } } as const]
        : []),
      {
        kind: 'confirm',
        label: confirmLabel(verb, kinds),
        isDangerous: true,
        answer: { confirmed: kinds },
      },
    ],
  };
}

/** The kinds that concern what happened to the file or the text since the proposal. */
const sinceProposal: readonly string[] = ['deleted', 'conflict', 'markers'] satisfies ConcernKind[];

/** Whether all concerns are about what happened to the file or the text since the proposal. */
export function isAboutConflict({ concerns }: Pick<Question, 'concerns'>): boolean {
  return concerns.length > 0 && concerns.every(({ kind }) => sinceProposal.includes(kind));
}

/** An answer with the short form of a call that confirms what happened to the file or the text since the proposal. */
export function answerOf(answer: Answer = {}, overwrites = false): Answer {
  if (!overwrites) return answer;
  return { ...answer, confirmed: [...(answer.confirmed ?? []), ...sinceProposal] };
}

function messageOn(verb: 'accept' | 'apply', label: string, kinds: readonly ConcernKind[]): string {
  if (kinds.every((kind) => sinceProposal.includes(kind))) {
    if (kinds.includes('deleted')) return `Create ${label} again?`;
    if (kinds.includes('conflict'))
      return verb === 'accept'
        ? `Overwrite the changes to ${label} on disk?`
        : `Write both versions to ${label}?`;
    if (kinds.includes('markers')) return `Accept ${label} with conflict markers?`;
  }
  if (kinds.every((kind) => kind === 'unsaved')) return `${label} has unsaved changes. Accept the proposal?`;
  return verb === 'accept' ? `Accept the proposal for ${label}?` : `Apply the proposal to ${label}?`;
}

function confirmLabel(verb: 'accept' | 'apply', kinds: readonly ConcernKind[]): string {
  const does = verb === 'accept' ? 'Accept' : 'Apply';
  if (kinds.includes('deleted')) return `${does} and create`;
  if (kinds.includes('conflict')) return verb === 'accept' ? 'Accept and overwrite' : 'Write both versions';
  return kinds.includes('markers') ? `${does} with conflict markers` : `${does} anyway`;
}

async function mergeConflicts(
  review: Review,
  { file }: Accepting,
  around: ReviewSurroundings,
): Promise<Attempt> {
  if (file === undefined) {
    const now = await around.readFile(review, { marksConflicts: true });
    if (now !== undefined) review.mergeFile(now, { marksConflicts: true });
  } else await file.markConflicts();
  return { kind: 'merged' };
}
