import { concernKinds, visibleLines } from '@tandem/core';
import { type Question, RpcError } from '@tandem/rpc';
import { confirm } from './confirm.js';
import { CommandError, exitCode } from './exitCode.js';
import { commandName } from './output.js';

/** A review whose concerns change more often while the user answers stays pending. */
const maxQuestions = 5;

/** The kinds of concerns that `--yes` names. Throws `CommandError` for a name that is none. */
export function confirmedBy(yes: string | boolean | undefined): string[] {
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
  call: (answer: { confirmed: string[] }) => Promise<T>,
  how: {
    readonly yes: string | boolean | undefined;
    readonly command: string;
    /** What else the user can do. */
    readonly hints?: (question: Question) => readonly string[];
    readonly ifNot: string;
  },
): Promise<T> {
  let confirmed = confirmedBy(how.yes);
  for (let asked = 0; ; asked += 1) {
    try {
      return await call({ confirmed });
    } catch (error) {
      const question = questionIn(error);
      const choice = question?.choices.at(-1);
      if (question === undefined || choice === undefined || asked === maxQuestions) throw error;
      const kinds = [...(choice.answer.confirmed ?? [])];
      const words = [question.message, question.detail, ...(how.hints?.(question) ?? [])].map(visibleLines);
      if (!process.stdin.isTTY) {
        const way = `To confirm: ${commandName} ${how.command} --yes ${kinds.join(',')}`;
        throw new CommandError([...words, way].join('\n'), exitCode.failed, { cause: error });
      }
      if (!(await confirm(`${words.join('\n')}\n${choice.label}?`))) throw new CommandError(how.ifNot);
      confirmed = kinds;
    }
  }
}

function questionIn(error: unknown): Question | undefined {
  const cause = error instanceof CommandError ? error.cause : error;
  return cause instanceof RpcError ? cause.question : undefined;
}
