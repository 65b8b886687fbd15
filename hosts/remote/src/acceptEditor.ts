import type { Readable, Writable } from 'node:stream';
import { describeError, type Logger } from '@tandem/core';
import { type Dispatcher, type RpcAnswer, RpcError, toFailure } from '@tandem/rpc';
import { Connection } from './connection.js';
import { type InitializeParams, type InitializeResult, initializeParams } from './protocol.js';

/** What answers an editor after `initialize`. */
export interface EditorSession {
  readonly result: InitializeResult;
  readonly dispatch: Dispatcher<void>;
}

/**
 * A connection whose other side is an editor: it sends `initialize` first and once. What arrives while `start` runs waits; what is
 * sent meanwhile follows the answer. The caller disposes the connection.
 */
export function acceptEditor(options: {
  readonly input: Readable;
  readonly output: Writable;
  readonly logger: Logger;
  readonly start: (connection: Connection, initialize: InitializeParams) => Promise<EditorSession>;
}): Connection {
  let started: Promise<EditorSession> | undefined;
  const connection: Connection = new Connection({
    ...options,
    async serve(method, params): Promise<RpcAnswer> {
      if (method !== 'initialize') {
        if (started === undefined) return refuse('unauthorized', 'The first message must be "initialize".');
        const session = await started.catch(() => undefined);
        return session?.dispatch(method, params) ?? refuse('internal', 'The companion cannot start.');
      }
      if (started !== undefined) return refuse('refused', 'The connection is initialized already.');
      const parsed = initializeParams.safeParse(params);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        return refuse('bad-params', `initialize: ${issue?.path.join('.') || 'params'}: ${issue?.message}`);
      }
      started = options.start(connection, parsed.data);
      try {
        const { result } = await started;
        // After the answer.
        setImmediate(() => connection.release());
        return { result };
      } catch (error) {
        started = undefined;
        return refuse('internal', `The companion cannot start: ${describeError(error)}`);
      }
    },
  });
  return connection;
}

function refuse(code: ConstructorParameters<typeof RpcError>[0], message: string): RpcAnswer {
  return toFailure(new RpcError(code, message));
}
