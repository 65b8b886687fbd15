import type { JSONRPCRequest, Result } from '@modelcontextprotocol/server';
import { ProtocolError } from '@modelcontextprotocol/server';
import type { TransportLogger } from './logger.js';
import type { McpSessionHandler, McpToolCall } from './mcpEndpoint.js';
import { rpcCode } from './rpcError.js';
import { callTool } from './toolCall.js';
import { listTool } from './toolListing.js';

/**
 * Answers the requests of an initialized client, except `initialize` and `ping`, which the SDK answers.
 *
 * @throws ProtocolError with the JSON-RPC code and text that the client is to see
 */
export async function answerRequest(
  handler: McpSessionHandler,
  request: JSONRPCRequest,
  context: McpToolCall & { readonly logger: TransportLogger },
): Promise<Result> {
  switch (request.method) {
    case 'tools/list':
      return { tools: handler.tools.map(listTool) };
    case 'tools/call':
      return { ...(await callTool(handler.tools, request.params, context)) };
    // Not advertised, but the client of the reverse-engineered document always asks (claude-code-ide.md,
    // "Initialization Sequence").
    case 'resources/list':
      return { resources: [] };
    case 'prompts/list':
      return { prompts: [] };
    default:
      throw new ProtocolError(rpcCode.methodNotFound, 'Method not found');
  }
}
