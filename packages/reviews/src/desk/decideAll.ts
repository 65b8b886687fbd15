import { type Path, visibleName } from '@tandem/core';
import type { Review } from '../record/review.js';
import type { Pause } from '../text/steps.js';
import type { ReviewSurroundings } from './consent.js';
import {
  acceptTogether,
  type DecidedTogether,
  describeObstacle,
  findConfirmable,
  type PendingDecision,
  previewTogether,
  rejectTogether,
} from './decideTogether.js';
import type { Answer, Choice, Question } from './question.js';

/** What is done with several reviews at once. */
export type Decision = 'accept' | 'reject';

/** A question lists at most this many files by name. */
const maxNames = 10;

/** How reviews and agents are named for users. */
interface Names {
  /** The agent that proposed it, with a number if there are several. */
  readonly nameOf: (review: Review) => string;
  /** The path relative to its folder. */
  readonly label: (path: Path) => string;
}

/** What came of deciding several reviews. `note`: the same for the user. */
export type DecidedAll =
  | ({ readonly kind: 'done'; readonly note: string } & DecidedTogether)
  | { readonly kind: 'question'; readonly question: Question };

/**
 * Accepts or rejects all of these reviews, or asks first. Without `seen`, an answer decides them as they are. `pause`: see
 * `rejectTogether`.
 */
export async function decideAll(
  reviews: readonly Review[],
  decision: Decision,
  answer: Answer | undefined,
  around: ReviewSurroundings & { readonly nameOf: (review: Review) => string; readonly pause?: Pause },
): Promise<DecidedAll> {
  const previews = answer === undefined ? await previewTogether(reviews, around) : [];
  if (answer === undefined && !isPlain(decision, previews))
    return { kind: 'question', question: askAboutAll(decision, previews, around) };
  const { seen: seenReviews } = answer ?? seenOf(previews);
  const seen = seenReviews && new Map(seenReviews.map((each) => [each.id, each.seen]));
  const outcome =
    decision === 'accept'
      ? await acceptTogether(reviews, { seen, confirmed: answer?.confirmed }, around)
      : await rejectTogether(reviews, seen, {
          rejectsEdited: answer?.rejectsEdited === true,
          ...(around.pause && { pause: around.pause }),
        });
  return { kind: 'done', ...outcome, note: describeDecided(decision, outcome, around.label) };
}

/** Whether there is nothing to ask: it is a single review, without the user's text, and nothing stops it. */
function isPlain(decision: Decision, previews: readonly PendingDecision[]): boolean {
  const [only, ...others] = previews;
  if (only === undefined || others.length > 0 || only.review.hasUsersText) return false;
  return decision === 'reject' || only.obstacle === undefined;
}

/** The question before all of these reviews are decided: which are edited or commented, and what stays pending, and why. */
export function askAboutAll(
  decision: Decision,
  previews: readonly PendingDecision[],
  { nameOf, label }: Names,
): Question {
  const isAccept = decision === 'accept';
  const wanted = isAccept ? previews.filter(({ obstacle }) => obstacle === undefined) : previews;
  const dangerous = isAccept ? findConfirmable(previews).reviews : [];
  const blocked = previews.filter((each) => !wanted.includes(each) && !dangerous.includes(each));
  const named = (some: readonly PendingDecision[]): string =>
    namesOf(
      some.map(({ review }) => review.proposal.path),
      label,
    );
  const [agent, ...others] = new Set(previews.map(({ review }) => nameOf(review)));
  const by = agent === undefined || others.length > 0 ? '' : ` by ${visibleName(agent)}`;
  const edited = wanted.filter(({ review }) => review.hasUsersEdits);
  const commented = wanted.filter(({ review }) => review.commentCount > 0);
  const detail = [
    ...(wanted.length > 0 ? [`${wanted.length === 1 ? 'File' : 'Files'}: ${named(wanted)}.`] : []),
    ...(isAccept ? lossLines(wanted, named) : []),
    ...(edited.length > 0 ? [`${isAccept ? 'With your edits' : 'You edited'}: ${named(edited)}.`] : []),
    ...(commented.length > 0 ? [`Your comments on these files are not sent: ${named(commented)}.`] : []),
    ...dangerous.map(
      (each) =>
        `${named([each])} needs your confirmation: ${each.concerns.map(({ text }) => text).join(' ')}`,
    ),
    ...stayingLines(blocked, label),
  ].join('\n');
  return {
    message: messageOf(decision, by, {
      wanted: wanted.length,
      dangerous: dangerous.length,
      all: previews.length,
    }),
    detail,
    concerns: dangerous.flatMap(({ concerns }) => concerns),
    choices: isAccept ? acceptChoices(previews, wanted, dangerous) : rejectChoices(wanted, edited),
  };
}

/** Files of which nothing remains: a list of names does not show that. */
function lossLines(
  wanted: readonly PendingDecision[],
  named: (some: readonly PendingDecision[]) => string,
): string[] {
  const deleted = wanted.filter(({ review }) => review.removesFile);
  const emptied = wanted.filter(
    ({ review }) => !review.removesFile && review.content === '' && review.original.kind !== 'missing',
  );
  return [
    ...(deleted.length > 0 ? [`Deletes: ${named(deleted)}.`] : []),
    ...(emptied.length > 0 ? [`Empties: ${named(emptied)}.`] : []),
  ];
}

/** What became of several reviews, and why the others stay pending. */
function describeDecided(
  decision: Decision,
  { decided, pending }: DecidedTogether,
  label: Names['label'],
): string {
  if (decided.length + pending.length === 0) return 'No pending reviews.';
  const done = `${decision === 'accept' ? 'Accepted' : 'Rejected'} ${countOf(decided.length)}.`;
  return [done, ...stayingLines(pending, label)].join(' ');
}

function messageOf(
  decision: Decision,
  by: string,
  { wanted, dangerous, all }: { readonly wanted: number; readonly dangerous: number; readonly all: number },
): string {
  if (wanted > 0) return `${verbOf(decision)} ${countOf(wanted)}${by}?`;
  if (dangerous > 0) return `Accept ${countOf(dangerous)}${by} in spite of this?`;
  return all > 0 ? 'No proposal can be accepted now.' : `There is nothing to ${decision}.`;
}

function acceptChoices(
  previews: readonly PendingDecision[],
  wanted: readonly PendingDecision[],
  dangerous: readonly PendingDecision[],
): Choice[] {
  const { kinds } = findConfirmable(previews);
  const all = [...wanted, ...dangerous];
  const choices: Choice[] = [];
  if (wanted.length > 0)
    choices.push({ kind: 'confirm', label: `Accept ${countOf(wanted.length)}`, answer: seenOf(wanted) });
  if (dangerous.length > 0) {
    const label = wanted.length > 0 ? `Accept all ${all.length}` : 'Accept anyway';
    choices.push({ kind: 'confirm', label, isDangerous: true, answer: { ...seenOf(all), confirmed: kinds } });
  }
  return choices;
}

function rejectChoices(wanted: readonly PendingDecision[], edited: readonly PendingDecision[]): Choice[] {
  if (wanted.length === 0) return [];
  const answer = seenOf(wanted);
  const reject: Choice = {
    kind: 'confirm',
    label: `Reject ${countOf(wanted.length)}`,
    isDangerous: true,
    answer: { ...answer, rejectsEdited: true },
  };
  if (edited.length === 0 || edited.length === wanted.length) return [reject];
  return [{ kind: 'confirm', label: 'Reject only the unedited', answer }, reject];
}

function seenOf(previews: readonly PendingDecision[]): Answer {
  return { confirmed: [], seen: previews.map(({ review, seen }) => ({ id: review.id, seen })) };
}

type Staying =
  | readonly Pick<PendingDecision, 'review' | 'obstacle' | 'concerns'>[]
  | DecidedTogether['pending'];

/** One line for each reason. */
function stayingLines(staying: Staying, label: Names['label']): string[] {
  const byReason = new Map<string, Path[]>();
  for (const { review, obstacle, ...rest } of staying) {
    if (obstacle === undefined) continue;
    const kinds = 'concerns' in rest ? rest.concerns.map(({ kind }) => kind) : [];
    const obstacles = kinds.some((kind) => kind === obstacle) ? kinds : [obstacle];
    const reason = obstacles.map(describeObstacle).join('; ');
    byReason.set(reason, [...(byReason.get(reason) ?? []), review.proposal.path]);
  }
  return [...byReason].map(
    ([reason, paths]) =>
      `${paths.length === 1 ? 'Stays' : 'Stay'} pending: ${namesOf(paths, label)} (${reason}).`,
  );
}

function namesOf(paths: readonly Path[], label: Names['label']): string {
  const names = [...new Set(paths)].map((path) => visibleName(label(path)));
  const shown = names.slice(0, maxNames).join(', ');
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown;
}

function verbOf(decision: Decision): string {
  return decision === 'accept' ? 'Accept' : 'Reject';
}

function countOf(proposals: number): string {
  return proposals === 1 ? '1 proposal' : `${proposals} proposals`;
}
