import type { Answer, Choice, Question } from '@tandem/reviews';
import { ask } from './messages.js';

/** The user wants to look first. */
export const showFirst = 'show';

/**
 * Asks what the companion asks before it does something dangerous, in its words. Resolves to the answer; to `showFirst` if
 * the user wants to look; undefined if the user cancels. Enter presses the first button: one that loses nothing.
 */
export async function askFirst(question: Question): Promise<Answer | typeof showFirst | undefined> {
  const show: Choice = { kind: 'show', label: 'Show again', answer: {} };
  const first = question.choices.length > 1 ? [] : [show];
  const chosen = await choose({ ...question, choices: [...first, ...question.choices] });
  return chosen === show ? showFirst : chosen?.answer;
}

/** Shows a question. Resolves to the choice; undefined if the user cancels. Closing the dialog chooses `keep`. */
export async function choose({ message, detail, choices }: Question): Promise<Choice | undefined> {
  const buttons = choices.map((choice) => ({
    title: inTitleCase(choice.label),
    isCloseAffordance: choice.kind === 'keep',
    choice,
  }));
  const chosen = await ask(message, detail, ...buttons);
  return buttons.find(({ title }) => title === chosen)?.choice;
}

/** As VS Code writes the labels of buttons. */
function inTitleCase(label: string): string {
  return label.replace(/\b(?!(?:and|with|the)\b)[a-z]/g, (letter) => letter.toUpperCase());
}
