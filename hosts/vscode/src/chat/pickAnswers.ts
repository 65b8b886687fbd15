import {
  type ChatAnswer,
  type ChatQuestion,
  type ChatQuestions,
  questionOptions,
} from '@tandem/companion/chat';
import { visibleName } from '@tandem/core';
import * as vscode from 'vscode';
import { plainLabel } from '../messages.js';
import { askText, pickItems, type StepOptions } from './quickInput.js';

/** The answer to one question so far. */
interface Given {
  readonly labels: readonly string[];
  /** The user's own words. */
  readonly words: string;
}

type QuestionEnd = Given | 'back' | 'skip' | 'left';

interface AnswerChoice extends vscode.QuickPickItem {
  /** Absent for the user's own words. */
  readonly answer?: string;
}

/**
 * Asks one question after the other, with a back button. Undefined if the user leaves: all questions then stay pending
 * in the panel, because an answer must be complete.
 */
export async function pickAnswers(
  request: ChatQuestions,
  { signal }: { readonly signal: AbortSignal },
): Promise<ChatAnswer | undefined> {
  const { questions } = request;
  const options = questionOptions(request);
  const given: Given[] = [];
  for (let at = 0; at < questions.length; ) {
    const question = questions[at];
    if (question === undefined) break;
    const end = await ask(question, { number: at + 1, of: questions.length }, given[at], signal);
    if (end === 'left') return undefined;
    if (end === 'skip') {
      return options.skip === undefined ? {} : { optionId: options.skip };
    }
    if (end === 'back') at -= 1;
    else {
      given[at] = end;
      at += 1;
    }
  }
  if (given.length === 0) return undefined;
  const { answer: optionId } = options;
  const answers = Object.fromEntries(
    questions.map(({ key }, at) => [key, answerOf(given[at] ?? { labels: [], words: '' })]),
  );
  return optionId === undefined ? { answers } : { optionId, answers };
}

async function ask(
  question: ChatQuestion,
  step: { readonly number: number; readonly of: number },
  before: Given | undefined,
  signal: AbortSignal,
): Promise<QuestionEnd> {
  const { t } = vscode.l10n;
  const back = vscode.QuickInputButtons.Back;
  const skip = { iconPath: new vscode.ThemeIcon('debug-step-over'), tooltip: t('Skip the questions') };
  const common: StepOptions = {
    title: [t('Qwen asks'), visibleName(question.header)].filter((part) => part !== '').join(': '),
    step,
    buttons: step.number > 1 ? [back, skip] : [skip],
    placeholder: visibleName(question.question),
    signal,
  };
  const own: AnswerChoice = { label: `$(edit) ${t('Something else…')}`, alwaysShow: true };
  const choices: AnswerChoice[] = question.options.map(({ label, description }) => ({
    label: plainLabel(label),
    ...(description !== undefined && { detail: plainLabel(description) }),
    answer: label,
  }));
  let labels: readonly string[] = [];
  if (choices.length > 0) {
    const isBefore = ({ answer }: AnswerChoice): boolean =>
      answer === undefined ? before?.words !== '' : (before?.labels.includes(answer) ?? false);
    const items = [...choices, own];
    const end = await pickItems({
      ...common,
      items,
      isMultiSelect: question.isMultiSelect,
      ...(before !== undefined && { selected: items.filter(isBefore) }),
    });
    if (end.kind === 'left') return 'left';
    if (end.kind === 'button') return end.button === back ? 'back' : 'skip';
    labels = end.value.flatMap(({ answer }) => answer ?? []);
    if (!end.value.includes(own)) return { labels, words: '' };
  }
  // From the text, the back button returns to the options.
  const hasChoices = choices.length > 0;
  const words = await askText({
    ...common,
    buttons: hasChoices ? [back, skip] : common.buttons,
    value: before?.words ?? '',
  });
  if (words.kind === 'left') return 'left';
  if (words.kind === 'given') return { labels, words: words.value };
  if (words.button !== back) return 'skip';
  return hasChoices ? ask(question, step, { labels, words: '' }, signal) : 'back';
}

function answerOf({ labels, words }: Given): string {
  return [...labels, words].filter((part) => part !== '').join(', ');
}
