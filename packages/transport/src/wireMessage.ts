import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { isRequestId } from './requestId.js';

/** A JSON value as a JSON-RPC message, or why it is none. */
export type WireMessage =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | {
      readonly kind: 'invalid';
      /** The id to answer under, when one can be made out. */
      readonly id: string | number | null;
      /** False for what looks like an answer: answering an answer could go on for ever. */
      readonly wantsAnswer: boolean;
    };

/**
 * Reads one JSON-RPC message. The MCP layer refuses members that it does not know; agents may add some, so
 * only the known ones are kept. `params: null`, which some JSON libraries write for "none", is dropped.
 */
export function readWireMessage(value: unknown): WireMessage {
  if (!isObject(value)) return { kind: 'invalid', id: null, wantsAnswer: true };
  const { jsonrpc, id, method, params, result, error } = value;
  const known: Record<string, unknown> = { jsonrpc };
  if (id !== undefined) known.id = id;
  if (method !== undefined) {
    known.method = method;
    if (params !== undefined && params !== null) known.params = params;
  } else if (error !== undefined) known.error = error;
  else if (result !== undefined) known.result = result;
  try {
    return { kind: 'message', message: parseJSONRPCMessage(known) };
  } catch {
    const isAnswer = method === undefined && (result !== undefined || error !== undefined);
    return { kind: 'invalid', id: isRequestId(id) ? id : null, wantsAnswer: !isAnswer };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
