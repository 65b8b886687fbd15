/**
 * Loads the MCP layer of a session, once. To load the MCP SDK takes longer than all the rest of a companion's start, which
 * therefore does without: it happens when the listener is open, or with the first client.
 */
export function loadMcpServer(): Promise<typeof import('./mcpServer.js')> {
  return import('./mcpServer.js');
}
