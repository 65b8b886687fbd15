import { defineTool, type McpTool } from '@tandem/mcp';
import * as z from 'zod';
import { absolutePath, jsonResult, requireShared, type ToolContext } from '../toolContext.js';
import { wirePath } from '../wire.js';

const input = z.object({ filePath: wirePath.describe('Absolute path of the file to check') });

/** `checkDocumentDirty`: whether an open document has unsaved changes. */
export function checkDocumentDirty(context: ToolContext): McpTool {
  return defineTool({
    name: 'checkDocumentDirty',
    description: 'Checks whether a document has unsaved changes.',
    input,
    async run({ filePath }) {
      const path = absolutePath(context, 'checkDocumentDirty', 'filePath', filePath);
      await requireShared(context, path);
      const state = context.editor.documents.state(path);
      if (state === undefined)
        return jsonResult({ success: false, message: `Document not open: ${filePath}` });
      return jsonResult({ success: true, filePath, isDirty: state.isDirty, isUntitled: false });
    },
  });
}
