import { DocumentError } from '@tandem/core';
import { defineTool, type McpTool } from '@tandem/mcp';
import * as z from 'zod';
import { absolutePath, isShared, jsonResult, type ToolContext } from '../toolContext.js';
import { wirePath } from '../wire.js';

const input = z.object({ file_paths: z.array(wirePath).describe('Array of absolute file paths') });

/** `open_files` (claude-code-ide.md, tool 3): answers which of them it opened. Those held back are not among them. */
export function openFiles(context: ToolContext): McpTool {
  return defineTool({
    name: 'open_files',
    description: 'Opens several files in the editor.',
    input,
    async run({ file_paths }) {
      const opened: string[] = [];
      const files = file_paths.map((filePath) => ({
        filePath,
        path: absolutePath(context, 'open_files', 'file_paths', filePath),
      }));
      for (const { filePath, path } of files) {
        if (!(await isShared(context, path))) continue;
        try {
          await context.editor.documents.open(path);
          opened.push(filePath);
        } catch (error) {
          if (!(error instanceof DocumentError)) throw error;
        }
      }
      return jsonResult({ opened_files: opened });
    },
  });
}
