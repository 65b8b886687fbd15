import * as z from 'zod';
import type { McpTool } from './mcpEndpoint.js';

/** One entry of a `tools/list` answer. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly [key: string]: unknown; readonly type: 'object' };
}

/** Keyed by the tool itself: 500 sessions that share a tool convert its schema once. */
const listed = new WeakMap<McpTool, ListedTool>();

/** A tool as `tools/list` shows it. */
export function listTool(tool: McpTool): ListedTool {
  const known = listed.get(tool);
  if (known !== undefined) return known;
  // `io: 'input'` describes what a caller has to write: a field with a default is optional there, and fields
  // that the schema does not know are not forbidden.
  const schema = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' });
  const fresh: ListedTool = {
    name: tool.name,
    description: tool.description,
    inputSchema: { ...schema, type: 'object' },
  };
  listed.set(tool, fresh);
  return fresh;
}
