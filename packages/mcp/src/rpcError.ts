/** JSON-RPC codes of the errors that this package sends. */
export const rpcCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  refused: -32000,
  sessionNotFound: -32001,
} as const;

/** The body of a JSON-RPC error that answers no request in particular. */
export function rpcErrorBody(code: number, message: string, id: string | number | null = null): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id });
}

/** The protocol versions that we negotiate, the preferred one first. */
export const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

export const invalidInitialize =
  'initialize needs {protocolVersion: string, capabilities: object, clientInfo: {name, version}}.';

export const alreadyInitialized = 'This session is initialized already.';
