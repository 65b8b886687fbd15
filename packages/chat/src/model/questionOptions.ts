import type { ChatQuestions } from './chatModel.js';

/** The options by which questions are answered and skipped: an answer holds for this once, whatever else is offered. */
export function questionOptions({ options }: ChatQuestions): {
  readonly answer: string | undefined;
  readonly skip: string | undefined;
} {
  return {
    answer: options.find(({ isAllow, scope }) => isAllow && scope === 'once')?.optionId,
    skip: options.find(({ isAllow }) => !isAllow)?.optionId,
  };
}
