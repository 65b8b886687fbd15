import { DocumentError } from '@tandem/core';
import {
  type Attempt,
  CommentError,
  FileConflictError,
  HunkConflictError,
  isAboutConflict,
  presentChanged,
  type Question,
  ReviewDecidedError,
  UnanswerableError,
} from '@tandem/reviews';
import { type RpcCode, RpcError } from '@tandem/rpc';
import { RefusedFileError } from '../files/refusedFileError.js';

/** The answer to a call that caused this error; `undefined` for an internal error. */
export function toRpcError(error: unknown): RpcError | undefined {
  const code = codeOf(error);
  if (code === undefined || !(error instanceof Error)) return undefined;
  return new RpcError(code, error.message, { cause: error });
}

function codeOf(error: unknown): RpcCode | undefined {
  if (error instanceof ReviewDecidedError) return 'already-decided';
  if (error instanceof FileConflictError) return 'conflict';
  if (error instanceof CommentError) return 'bad-params';
  // The review has no such hunk.
  if (error instanceof RangeError) return 'bad-params';
  const isRefusal = [DocumentError, HunkConflictError, RefusedFileError, UnanswerableError].some(
    (refusal) => error instanceof refusal,
  );
  return isRefusal ? 'refused' : undefined;
}

/** Throws unless the attempt is done: the error has the question, or reports that the text changed. `label`: the file. */
export function requireDone(attempt: Attempt, label: string): void {
  if (attempt.kind === 'question') throw questionError(attempt.question);
  if (attempt.kind === 'changed') {
    throw new RpcError('changed', presentChanged(label, attempt));
  }
}

/** The error with which a call asks. `conflict` if the question is about later changes of the file alone. */
export function questionError(question: Question): RpcError {
  const code = isAboutConflict(question) ? 'conflict' : 'question';
  return new RpcError(code, `${question.message}\n${question.detail}`, { question });
}
