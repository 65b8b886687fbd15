import { type Attempt, isAboutConflict, type Question, type Review } from '@tandem/core';
import { RpcError } from '@tandem/rpc';

/** Throws unless the attempt is done: the error has the question, or reports that the text changed. */
export function requireDone(attempt: Attempt, { proposal: { path } }: Review): void {
  if (attempt.kind === 'question') throw questionError(attempt.question);
  if (attempt.kind === 'changed') {
    throw new RpcError(
      'changed',
      `The proposal for ${path} changed a moment ago. Check it and accept again.`,
    );
  }
}

/** The error with which a call asks. `conflict` if the question is about later changes of the file alone. */
export function questionError(question: Question): RpcError {
  const code = isAboutConflict(question) ? 'conflict' : 'question';
  return new RpcError(code, `${question.message}\n${question.detail}`, { question });
}
