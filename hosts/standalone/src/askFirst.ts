import { visibleLines } from '@tandem/core';
import { concernKinds } from '@tandem/reviews';
import { type Answer, type Question, RpcError } from '@tandem/rpc';
import { pick } from './confirm.js';
import { CommandError, exitCode } from './exitCode.js';
import { commandName } from './output.js';

/** A review whose concerns change more often while the user answers stays pending. */
const maxQuestions = 5;

/** The kinds of concerns that `--yes` names. Throws `CommandError` for a name that is none. */
function confirmedBy(yes: string | boolean | undefined): string[] {
  if (typeof yes !== 'string') return [];
  const kinds = yes.split(',').map((kind) => kind.trim());
  const unknown = kinds.filter((kind) => !concernKinds.some((known) => known === kind));
  if (unknown.length === 0) return kinds;
  throw new CommandError(
    `--yes does not know "${unknown.join(', ')}". It takes one or several of these, separated by commas: ${concernKinds.join(', ')}. Write the number of a review before --yes.`,
    exitCode.usage,
  );
}

/**
 * Makes a call that may ask. In a terminal, asks the user; otherwise throws `CommandError` with the command that confirms.
 * `command` is the one that was typed, without `--yes`.
 */
export async function askFirst<T>(
  call: (answer: { answer?: Answer }) => Promise<T>,
  how: {
    readonly yes: string | boolean | undefined;
    readonly command: string;
    /** What `--yes` answers besides the concerns that it names. */
    readonly agreed?: Answer;
    /** What else the user can do. */
    readonly hints?: (question: Question) => readonly string[];
    readonly ifNot: string;
  },
): Promise<T> {
  const confirmed = confirmedBy(how.yes);
  let answer: Answer | undefined = how.yes ? { ...how.agreed, confirmed } : undefined;
  for (let asked = 0; ; asked += 1) {
    try {
      return await call(answer === undefined ? {} : { answer });
    } catch (error) {
      const question = questionIn(error);
      if (question === undefined || asked === maxQuestions) throw error;
      const { choices } = question;
      const words = [question.message, question.detail, ...(how.hints?.(question) ?? [])]
        .filter((line) => line !== '')
        .map(visibleLines)
        .join('\n');
      if (choices.length === 0) throw new CommandError(words, exitCode.noSuchReview, { cause: error });
      if (!process.stdin.isTTY) {
        const kinds = [...(choices.at(-1)?.answer.confirmed ?? [])].join(',');
        const way = `To confirm: ${commandName} ${how.command} ${`--yes ${kinds}`.trim()}`;
        throw new CommandError([words, way].join('\n'), exitCode.failed, { cause: error });
      }
      const picked = await pick(
        words,
        choices.map(({ label }) => label),
      );
      const choice = picked === undefined ? undefined : choices[picked];
      if (choice === undefined) throw new CommandError(how.ifNot);
      answer = choice.answer;
    }
  }
}

function questionIn(error: unknown): Question | undefined {
  const cause = error instanceof CommandError ? error.cause : error;
  return cause instanceof RpcError ? cause.question : undefined;
}
