import * as z from 'zod';
import { type Question, question } from './question.js';

/** Every code that a failed call can have, with its status where HTTP carries the answer. */
export const rpcStatus = {
  'bad-params': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'unknown-method': 404,
  'already-decided': 409,
  /** The text is at another version. */
  changed: 409,
  /** It would lose unsaved changes. */
  unsaved: 409,
  /** The file on disk is not the one that was expected. */
  conflict: 409,
  /** The user has to answer the error's `question` first. */
  question: 409,
  'too-large': 413,
  refused: 422,
  /** A fault of the program that answers. Its log has the cause. */
  internal: 500,
  /** Set by the client: the answer does not fit the contract, because the other side has another version. */
  'bad-answer': 502,
  /** Set by the client: no answer arrived. */
  unreachable: 503,
} as const;

export type RpcCode = keyof typeof rpcStatus;

/** Why a call failed: `code` for programs; `message` for the user, with the cause and what to do. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: RpcCode;
  /** What the user can answer, to be sent with the same call. */
  readonly question: Question | undefined;

  constructor(
    code: RpcCode,
    message: string,
    options?: { readonly cause?: unknown; readonly question?: Question | undefined },
  ) {
    super(message, options);
    this.code = code;
    this.question = options?.question;
  }
}

/** Whether this is the failure of a call with that code. */
export function hasCode(error: unknown, code: RpcCode): boolean {
  return error instanceof RpcError && error.code === code;
}

const isCode = (code: unknown): code is RpcCode => typeof code === 'string' && Object.hasOwn(rpcStatus, code);

/** The answer to a call that failed. A code that only a newer version has counts as `internal`. */
export const rpcFailure = z.object({
  error: z.object({
    code: z.custom<RpcCode>(isCode).catch('internal'),
    message: z.string(),
    question: question.optional().catch(undefined),
  }),
});

export type RpcFailure = z.infer<typeof rpcFailure>;
/** The answer to a call, as JSON. */
export type RpcAnswer = RpcFailure | { readonly result: unknown };

/** The answer that reports this error. Leaves the cause out. */
export function toFailure({ code, message, question }: RpcError): RpcFailure {
  return { error: { code, message, ...(question && { question }) } };
}
