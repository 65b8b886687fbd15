import * as z from 'zod';
import type { McpTool } from './mcpEndpoint.js';

/** One entry of a `tools/list` answer. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
}

type InputSchema = { readonly [key: string]: unknown; readonly type: 'object' };

/** Keyed by what the tool takes: each session has tools of its own, and all of them share what describes their arguments. */
const described = new WeakMap<z.ZodType, InputSchema>();

/** A tool as `tools/list` shows it. */
export function listTool({ name, description, input }: McpTool): ListedTool {
  return { name, description, inputSchema: described.get(input) ?? describe(input) };
}

function describe(input: z.ZodType): InputSchema {
  // `io: 'input'` describes what a caller has to write: a field with a default is optional there, and fields
  // that the schema does not know are not forbidden.
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const inputSchema: InputSchema = { ...schema, type: 'object' };
  described.set(input, inputSchema);
  return inputSchema;
}
