import type { Answer, Question } from '@tandem/core';
import * as vscode from 'vscode';
import { ask } from './messages.js';

/** The user wants to look first. */
export const showFirst = 'show';

/**
 * Asks what the companion asks before it does something dangerous, in its words. Resolves to the answer; to `showFirst` if
 * the user wants to look; undefined if the user cancels. Enter presses the first button: one that loses nothing.
 */
export async function askFirst(question: Question): Promise<Answer | typeof showFirst | undefined> {
  const show = vscode.l10n.t('Show Again');
  const choices = question.choices.map(({ label, answer }) => ({ label: inTitleCase(label), answer }));
  const first = choices.length > 1 ? [] : [show];
  const chosen = await ask(question.message, question.detail, ...first, ...choices.map(({ label }) => label));
  if (chosen === show) return showFirst;
  return choices.find(({ label }) => label === chosen)?.answer;
}

/** As VS Code writes the labels of buttons. */
function inTitleCase(label: string): string {
  return label.replace(/\b(?!(?:and|with)\b)[a-z]/g, (letter) => letter.toUpperCase());
}
