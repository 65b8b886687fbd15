import { ProtocolError } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { describeArgumentError } from './argumentError.js';
import { describeError, type TransportLogger } from './logger.js';
import { type McpTool, type McpToolCall, type McpToolResult, ToolError } from './mcpEndpoint.js';
import { rpcCode } from './rpcError.js';

const callParams = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).nullish(),
});

/** Names come from the peer; a long one would only fill the log and the screen. */
const shownName = 100;

/**
 * Answers `tools/call`.
 *
 * @throws ProtocolError -32602 for a call that is none or names no tool of ours, -32603 without any detail when
 * the tool failed by our fault. Wrong arguments and `ToolError` are results, which the model gets to read.
 */
export async function callTool(
  tools: readonly McpTool[],
  params: unknown,
  context: McpToolCall & { readonly logger: TransportLogger },
): Promise<McpToolResult> {
  const call = callParams.safeParse(params ?? {});
  if (!call.success) {
    throw new ProtocolError(rpcCode.invalidParams, 'tools/call needs {name: string, arguments?: object}.');
  }
  const tool = tools.find(({ name }) => name === call.data.name);
  if (tool === undefined) throw unknownTool(call.data.name, tools);
  const { logger, ...toolCall } = context;
  const { signal } = toolCall;
  try {
    const input = tool.input.safeParse(call.data.arguments ?? {});
    if (!input.success) {
      return failure(describeArgumentError(tool.name, call.data.arguments ?? {}, input.error.issues));
    }
    return await tool.run(input.data, toolCall);
  } catch (error) {
    if (error instanceof ToolError) return failure(error.message);
    // A tool that stops because the agent cancelled may well throw; nobody waits for its answer.
    if (signal.aborted) logger.debug('A cancelled tool call ended.', { tool: tool.name });
    else logger.error('A tool failed unexpectedly.', { tool: tool.name, error: describeError(error) });
    throw new ProtocolError(rpcCode.internalError, 'Internal error');
  }
}

function failure(text: string): McpToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function unknownTool(name: string, tools: readonly McpTool[]): ProtocolError {
  const known = tools.map((tool) => tool.name).join(', ');
  return new ProtocolError(
    rpcCode.invalidParams,
    `Unknown tool: ${name.slice(0, shownName)}. Known tools: ${known || 'none'}.`,
  );
}
