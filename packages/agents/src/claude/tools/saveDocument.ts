import { defineTool, type McpTool } from '@tandem/mcp';
import * as z from 'zod';
import { absolutePath, jsonResult, requireShared, type ToolContext } from '../toolContext.js';
import { wirePath } from '../wire.js';

const input = z.object({ filePath: wirePath.describe('Absolute path of the file to save') });

/** `saveDocument`: saves an open document. */
export function saveDocument(context: ToolContext): McpTool {
  return defineTool({
    name: 'saveDocument',
    description: 'Saves a document that has unsaved changes.',
    input,
    async run({ filePath }) {
      const path = absolutePath(context, 'saveDocument', 'filePath', filePath);
      await requireShared(context, path);
      if (context.editor.documents.state(path) === undefined) {
        return jsonResult({ success: false, message: `Document not open: ${filePath}` });
      }
      const saved = await context.editor.documents.save(path);
      const message = saved ? 'Document saved successfully' : 'The editor could not save the document';
      return jsonResult({ success: saved, filePath, saved, message });
    },
  });
}
