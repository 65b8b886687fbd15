import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server';

export type WireMessage =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | {
      readonly kind: 'invalid';
      /** For the answer, if there is a valid one. */
      readonly id: string | number | null;
      /** False for what looks like an answer: answering answers could loop. */
      readonly wantsAnswer: boolean;
    };

/**
 * Reads one JSON-RPC message. Drops unknown members, which the SDK would refuse, and `params: null`, which some JSON
 * libraries write for "none".
 *
 * Checked without a schema, so that only the outermost object of a message is copied.
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

/** Whether this value can be the id of a request, as MCP narrows JSON-RPC. */
export function isRequestId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** Whether a message expects an answer. */
export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

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

/** Parameters, results and their `_meta` are objects. */
function hasFitMeta(value: unknown): boolean {
  return isObject(value) && (value._meta === undefined || isObject(value._meta));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
