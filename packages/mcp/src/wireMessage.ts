import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server';
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
 *
 * Checked by hand and not by a schema: nothing of a message is copied but its outermost object.
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
  if (isMessage(known)) return { kind: 'message', message: known };
  const isAnswer = method === undefined && (result !== undefined || error !== undefined);
  return { kind: 'invalid', id: isRequestId(id) ? id : null, wantsAnswer: !isAnswer };
}

/** Whether a message is one that wants an answer. */
export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

/** Whether an object that holds no other members than those of JSON-RPC is one of its messages. */
function isMessage(known: Record<string, unknown>): known is JSONRPCMessage & Record<string, unknown> {
  const { jsonrpc, id, method, params, result, error } = known;
  if (jsonrpc !== '2.0') return false;
  if (method !== undefined) {
    const hasFitId = id === undefined || isRequestId(id);
    return hasFitId && typeof method === 'string' && (params === undefined || hasFitMeta(params));
  }
  if (error === undefined) return isRequestId(id) && hasFitMeta(result);
  const hasFitId = id === undefined || isRequestId(id);
  return hasFitId && isObject(error) && Number.isSafeInteger(error.code) && typeof error.message === 'string';
}

/** Parameters and results are objects, and so is the `_meta` in one. */
function hasFitMeta(value: unknown): boolean {
  return isObject(value) && (value._meta === undefined || isObject(value._meta));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
