import { type EditorContext, isEmptyRange } from '@tandem/core';
import { defineTool, type McpTool, type McpToolResult } from '@tandem/mcp';
import { isShared, jsonResult, type ToolContext } from '../toolContext.js';
import { encodeSelection, noArguments } from '../wire.js';

/** `getCurrentSelection`: what is selected in the active file now. */
export function getCurrentSelection(context: ToolContext): McpTool {
  return defineTool({
    name: 'getCurrentSelection',
    description: 'Gets the current text selection in the active editor.',
    input: noArguments,
    async run() {
      const shared = await context.sharedContext();
      return shared.activePath === undefined ? failure('No active editor found') : success(context, shared);
    },
  });
}

/** `getLatestSelection`: what was last selected, also when the editor has lost the focus since. */
export function getLatestSelection(context: ToolContext): McpTool {
  return defineTool({
    name: 'getLatestSelection',
    description: 'Gets the most recent text selection, even if it is not in the active editor.',
    input: noArguments,
    async run() {
      await context.sharedContext();
      const latest = context.latestSelection();
      const path = latest?.activePath;
      // The policy may have changed since it was selected.
      if (latest === undefined || path === undefined || !(await isShared(context, path))) {
        return failure('No selection available');
      }
      return success(context, latest);
    },
  });
}

function success(context: ToolContext, shared: EditorContext): McpToolResult {
  const encoded = encodeSelection(shared, context.platform);
  const { selection } = encoded;
  return jsonResult({
    success: true,
    ...encoded,
    selection: { ...selection, isEmpty: isEmptyRange(selection) },
  });
}

function failure(message: string): McpToolResult {
  return jsonResult({ success: false, message });
}
