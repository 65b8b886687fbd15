import { DocumentError, type Path, type Position, type Range } from '@tandem/core';
import { defineTool, type McpTool, ToolError } from '@tandem/mcp';
import * as z from 'zod';
import { absolutePath, requireShared, type ToolContext, textResult } from '../toolContext.js';
import { wirePath } from '../wire.js';

const input = z.object({
  filePath: wirePath.describe('Absolute file path'),
  makeFrontmost: z.boolean().default(true).describe('Whether to bring the file to the front'),
  preview: z.boolean().optional().describe('Whether to open the file in a preview tab'),
  startText: z.string().optional().describe('Text at which the selection starts'),
  endText: z.string().optional().describe('Text at which the selection ends'),
  selectToEndOfLine: z.boolean().optional().describe('Whether to select to the end of the last line'),
});

/** `openFile` (claude-code-ide.md, tool 2). The text arguments select a range, as other clients of the tool ask. */
export function openFile(context: ToolContext): McpTool {
  return defineTool({
    name: 'openFile',
    description: 'Opens a file in the editor and optionally selects a range of text.',
    input,
    async run({ filePath, makeFrontmost, startText, endText, selectToEndOfLine }) {
      const path = absolutePath(context, 'openFile', 'filePath', filePath);
      await requireShared(context, path);
      try {
        const range =
          startText === undefined
            ? undefined
            : await findRange(context, path, startText, endText, selectToEndOfLine);
        await context.editor.documents.open(path, { takeFocus: makeFrontmost, ...(range && { range }) });
      } catch (error) {
        // The document's own words for a file that cannot be opened.
        if (error instanceof DocumentError && error.code === 'not-found') {
          return { ...textResult('Project is closed or directory not found'), isError: true };
        }
        if (error instanceof DocumentError) throw new ToolError(error.message, { cause: error });
        throw error;
      }
      return textResult('OK');
    },
  });
}

/** From the start of `startText` to the end of `endText` behind it; `undefined` when the start is not in the file. */
async function findRange(
  context: ToolContext,
  path: Path,
  startText: string,
  endText: string | undefined,
  toEndOfLine: boolean | undefined,
): Promise<Range | undefined> {
  const file = await context.files.read(path);
  if (file.kind !== 'text') return undefined;
  const start = file.text.indexOf(startText);
  if (start < 0) return undefined;
  const startEnd = start + startText.length;
  const endAt = endText === undefined ? -1 : file.text.indexOf(endText, startEnd);
  const end = endAt < 0 ? startEnd : endAt + (endText?.length ?? 0);
  const lineEnd = file.text.slice(end).search(/[\r\n]|$/);
  return {
    start: positionAt(file.text, start),
    end: positionAt(file.text, toEndOfLine ? end + lineEnd : end),
  };
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
}
