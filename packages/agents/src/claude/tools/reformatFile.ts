import { DocumentError, type Path } from '@tandem/core';
import { defineTool, type McpTool, ToolError } from '@tandem/mcp';
import * as z from 'zod';
import { absolutePath, requireShared, type ToolContext, textResult } from '../toolContext.js';
import { wirePath } from '../wire.js';

const input = z.object({ file_path: wirePath.describe('Absolute file path') });

/** `reformat_file` (claude-code-ide.md, tool 6), offered by editors that have a formatter. */
export function reformatFile(context: ToolContext, format: (path: Path) => Promise<void>): McpTool {
  return defineTool({
    name: 'reformat_file',
    description: "Reformats a file with the editor's own formatter.",
    input,
    async run({ file_path }) {
      const path = absolutePath(context, 'reformat_file', 'file_path', file_path);
      await requireShared(context, path);
      // Of an open document too: an editor that saves what it formatted would write a deleted file again.
      if (!(await context.files.isOnDisk(path))) return { ...textResult('File not found'), isError: true };
      try {
        await format(path);
      } catch (error) {
        if (error instanceof DocumentError) throw new ToolError(error.message, { cause: error });
        throw error;
      }
      return textResult('OK');
    },
  });
}
