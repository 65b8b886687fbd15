import type * as z from 'zod';
import { type RpcAnswer, RpcError, rpcFailure, toFailure } from './rpcError.js';

/** One call between two of our processes. Both sides parse what they receive: the other may have another version. */
interface Method {
  readonly params: z.ZodType;
  readonly result: z.ZodType;
}

/** The calls that one side answers, by name. */
export type Contract = Readonly<Record<string, Method>>;

export type MethodOf<C extends Contract> = keyof C & string;
export type Params<C extends Contract, M extends MethodOf<C>> = z.infer<C[M]['params']>;
export type Result<C extends Contract, M extends MethodOf<C>> = z.infer<C[M]['result']>;

/** Calls a method. Rejects with `RpcError`, or with the error of the carrier. */
export type Caller<C extends Contract> = <M extends MethodOf<C>>(
  method: M,
  params: Params<C, M>,
) => Promise<Result<C, M>>;

/** What answers each method. `Context` is what the carrier knows of the caller. */
export type Handlers<C extends Contract, Context = unknown> = {
  readonly [M in MethodOf<C>]: (
    params: Params<C, M>,
    context: Context,
  ) => Outgoing<C[M]> | Promise<Outgoing<C[M]>>;
};

/** A handler without a result returns nothing, which is sent as `null`. */
export type Outgoing<M extends Method> =
  | z.input<M['result']>
  // biome-ignore lint/suspicious/noConfusingVoidType: what a function without a return returns.
  | (null extends z.input<M['result']> ? void : never);

/**
 * The client's side of a contract. `send` carries a call, as JSON in both directions, and resolves to the `RpcAnswer`; it
 * rejects when there is none.
 */
export function createCaller<C extends Contract>(
  contract: C,
  send: (method: MethodOf<C>, params: unknown) => Promise<unknown>,
): Caller<C> {
  return async <M extends MethodOf<C>>(method: M, params: Params<C, M>): Promise<Result<C, M>> => {
    const answer = await send(method, params);
    const failure = rpcFailure.safeParse(answer);
    if (failure.success) {
      const { code, message, question } = failure.data.error;
      throw new RpcError(code, message, { question });
    }
    const hasResult = typeof answer === 'object' && answer !== null && 'result' in answer;
    const parsed = hasResult ? contract[method]?.result.safeParse(answer.result) : undefined;
    // The schema that parsed is the one of this method.
    if (parsed?.success) return parsed.data as Result<C, M>;
    throw new RpcError('bad-answer', `The companion answered "${method}" in an unexpected format.`, {
      cause: parsed?.error,
    });
  };
}

/** Answers one call. Never rejects. */
export type Dispatcher<Context> = (method: string, params: unknown, context: Context) => Promise<RpcAnswer>;

/** The server's side of a contract. Other errors than `RpcError` go to `onFault`, and not to the caller. */
export function createDispatcher<C extends Contract, Context = void>(of: {
  readonly contract: C;
  readonly handlers: Handlers<C, Context>;
  /** Translates an expected error; `undefined` for a fault. */
  readonly toRpcError?: (error: unknown) => RpcError | undefined;
  readonly onFault: (error: unknown) => void;
}): Dispatcher<Context> {
  return async (method, params, context) => {
    try {
      return { result: (await dispatch(of.contract, of.handlers, method, params, context)) ?? null };
    } catch (error) {
      const expected = error instanceof RpcError ? error : of.toRpcError?.(error);
      if (expected === undefined) of.onFault(error);
      return toFailure(expected ?? internalError());
    }
  };
}

/** What a caller learns of a fault. */
export function internalError(): RpcError {
  return new RpcError(
    'internal',
    'The companion failed with an internal error. Its log names the cause: what it prints, or the log of the editor that it runs in.',
  );
}

async function dispatch<C extends Contract, Context>(
  contract: C,
  handlers: Handlers<C, Context>,
  method: string,
  params: unknown,
  context: Context,
): Promise<unknown> {
  if (!isMethodOf(contract, method)) {
    throw new RpcError('unknown-method', `The companion has no method "${method}".`);
  }
  const parsed = contract[method]?.params.safeParse(params);
  if (parsed?.success) return handlers[method]?.(parsed.data as Params<C, typeof method>, context);
  const [issue] = parsed?.error.issues ?? [];
  const where = issue?.path.join('.') || 'the parameters';
  throw new RpcError('bad-params', `${method}: ${where}: ${issue?.message ?? 'not valid'}`);
}

function isMethodOf<C extends Contract>(contract: C, name: string): name is MethodOf<C> {
  return Object.hasOwn(contract, name);
}
