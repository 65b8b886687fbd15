import type { ChatQuestion } from '@tandem/chat/model';

/** What a person has chosen for one question so far. */
export interface QuestionDraft {
  /** Labels of the options. */
  readonly chosen: readonly string[];
  /** Whether their own words count. */
  readonly isOther: boolean;
  readonly other: string;
}

export const noAnswer: QuestionDraft = { chosen: [], isOther: false, other: '' };

/** The draft after an option was pressed: one of several, or one for another. */
export function choose(draft: QuestionDraft, question: ChatQuestion, label: string): QuestionDraft {
  if (!question.isMultiSelect) return { ...draft, chosen: [label], isOther: false };
  const isChosen = draft.chosen.includes(label);
  const chosen = isChosen ? draft.chosen.filter((each) => each !== label) : [...draft.chosen, label];
  return { ...draft, chosen };
}

/** The answer as the daemon takes it: labels in the order of the options, then the person's own words. */
function answerOf(draft: QuestionDraft, { options }: ChatQuestion): string {
  const labels = options.map(({ label }) => label).filter((label) => draft.chosen.includes(label));
  const other = draft.isOther || options.length === 0 ? draft.other.trim() : '';
  return [...labels, other].filter((part) => part !== '').join(', ');
}

/** All answers by their keys; undefined while one is missing. */
export function answersOf(
  questions: readonly ChatQuestion[],
  drafts: Readonly<Record<string, QuestionDraft>>,
): Readonly<Record<string, string>> | undefined {
  const entries = questions.map(
    (question) => [question.key, answerOf(drafts[question.key] ?? noAnswer, question)] as const,
  );
  return entries.every(([, answer]) => answer !== '') ? Object.fromEntries(entries) : undefined;
}
