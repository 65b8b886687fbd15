import type { AskUserQuestion } from './ideTypes.js';

/**
 * Answers keyed by the position of their question, the only keys that Qwen Code 0.24.4 takes: with any other it tells
 * the model that there are no valid answers. A host may as well name a question by its text or its header.
 */
export function answersByIndex(
  questions: readonly AskUserQuestion[],
  answers: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = questions.flatMap(({ question, header }, index) => {
    const answer = [String(index), question, header].map((key) => valueAt(answers, key)).find(isText);
    return answer === undefined ? [] : [[String(index), answer] as const];
  });
  return Object.fromEntries(entries);
}

function valueAt(answers: Readonly<Record<string, string>>, key: string): string | undefined {
  return key !== '' && Object.hasOwn(answers, key) ? answers[key] : undefined;
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}
