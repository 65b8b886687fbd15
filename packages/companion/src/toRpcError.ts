import {
  CommentError,
  DocumentError,
  FileConflictError,
  HunkConflictError,
  ReviewDecidedError,
  UnanswerableError,
} from '@tandem/core';
import { type RpcCode, RpcError } from '@tandem/rpc';
import { RefusedFileError } from './refusedFileError.js';

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
