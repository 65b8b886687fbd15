/** Whether this value can be the id of a request, as MCP narrows JSON-RPC. */
export function isRequestId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
