import type { JSONRPCRequest, Result } from '@modelcontextprotocol/server';
import { ProtocolError } from '@modelcontextprotocol/server';
import { describeFailure, type Logger } from '@tandem/core';
import * as z from 'zod';
import {
  type McpSessionHandler,
  type McpTool,
  type McpToolCall,
  type McpToolResult,
  ToolError,
} from './mcpEndpoint.js';
import { rpcCode } from './rpcError.js';

/**
 * Answers the requests of an initialized client, except `initialize` and `ping`, which the SDK answers.
 *
 * @throws ProtocolError with the JSON-RPC code and text that the client receives
 */
export async function answerRequest(
  handler: McpSessionHandler,
  request: JSONRPCRequest,
  context: McpToolCall & { readonly logger: Logger },
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

/** One entry of a `tools/list` answer. */
interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
}

type InputSchema = { readonly [key: string]: unknown; readonly type: 'object' };

/** By input schema: each session has its own tools, with shared schemas. */
const inputSchemas = new WeakMap<z.ZodType, InputSchema>();

/** A tool as `tools/list` shows it. */
export function listTool({ name, description, input }: McpTool): ListedTool {
  return { name, description, inputSchema: inputSchemas.get(input) ?? describeInput(input) };
}

function describeInput(input: z.ZodType): InputSchema {
  // `io: 'input'`: fields with a default are optional, and unknown fields are allowed.
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const inputSchema: InputSchema = { ...schema, type: 'object' };
  inputSchemas.set(input, inputSchema);
  return inputSchema;
}

const callParams = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).nullish(),
});

/** How much of an unknown tool's name an error repeats. */
const shownName = 100;

/**
 * Answers `tools/call`.
 *
 * @throws ProtocolError -32602 for a malformed call or an unknown tool, -32603 without detail when the tool fails
 * unexpectedly. Wrong arguments and `ToolError` are results, so that the model reads them.
 */
async function callTool(
  tools: readonly McpTool[],
  params: unknown,
  context: McpToolCall & { readonly logger: Logger },
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
    // A cancelled tool may throw; its answer is not sent.
    if (signal.aborted) logger.debug('A cancelled tool call ended.', { tool: tool.name });
    else logger.error('A tool failed unexpectedly.', { tool: tool.name, error: describeFailure(error) });
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

type Issue = z.core.$ZodIssue;

/** How many faults are reported. */
const shownIssues = 3;

/**
 * Which arguments of a tool call are wrong, what was received and what is expected, in one line. Names only the types of
 * received values: a value could be the content of a file.
 */
function describeArgumentError(tool: string, input: unknown, issues: readonly Issue[]): string {
  const shown = issues.slice(0, shownIssues).map((issue) => describeIssue(input, issue));
  const hidden = issues.length - shown.length;
  const more = hidden > 0 ? `; and ${hidden} more` : '';
  return `Invalid arguments for ${tool}: ${shown.join('; ')}${more}.`;
}

function describeIssue(input: unknown, issue: Issue): string {
  const field = issue.path.length === 0 ? 'the arguments' : `"${issue.path.map(String).join('.')}"`;
  const received = typeName(valueAt(input, issue.path));
  return `${field} must be ${expectation(issue)}, but received ${received}`;
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return article(issue.expected);
    case 'invalid_value':
      return `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return `at least ${issue.minimum} (${issue.origin})`;
    case 'too_big':
      return `at most ${issue.maximum} (${issue.origin})`;
    case 'invalid_format':
      return `text in the form "${issue.format}"`;
    case 'unrecognized_keys':
      return 'an object without unknown fields';
    case 'invalid_union':
      return 'one of the allowed forms';
    // The messages of custom checks are ours and contain no value.
    default:
      return `valid: ${issue.message.replaceAll(/\s+/g, ' ')}`;
  }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

function typeName(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return article(typeof value);
}

function article(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}
