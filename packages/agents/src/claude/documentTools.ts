import { DocumentError, type Path, type Position, type Range } from '@tandem/core';
import { defineTool, jsonResult, type McpTool, ToolError, textResult } from '@tandem/mcp';
import * as z from 'zod';
import { absolutePath, isShared, sharedPath, type ToolContext } from './toolContext.js';
import { wirePath } from './wire.js';

const openFileArguments = z.object({
  filePath: wirePath.describe('Absolute file path'),
  makeFrontmost: z.boolean().default(true).describe('Whether to bring the file to the front'),
  preview: z.boolean().optional().describe('Whether to open the file in a preview tab'),
  startText: z.string().optional().describe('Text at which the selection starts'),
  endText: z.string().optional().describe('Text at which the selection ends'),
  selectToEndOfLine: z.boolean().optional().describe('Whether to select to the end of the last line'),
});

/** `openFile` (claude-code-ide.md, tool 2). The text arguments, which other clients use, select a range. */
export function openFile(context: ToolContext): McpTool {
  return defineTool({
    name: 'openFile',
    description: 'Opens a file in the editor and optionally selects a range of text.',
    input: openFileArguments,
    async run({ filePath, makeFrontmost, startText, endText, selectToEndOfLine }) {
      const path = await sharedPath(context, 'openFile', 'filePath', filePath);
      try {
        const range =
          startText === undefined
            ? undefined
            : await findRange(context, path, startText, endText, selectToEndOfLine);
        await context.editor.documents.open(path, { takeFocus: makeFrontmost, ...(range && { range }) });
      } catch (error) {
        // The document's message for a file that cannot be opened.
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

/**
 * From the start of `startText` to the end of the next `endText`; `undefined` if the file does not contain `startText`.
 */
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

const openFilesArguments = z.object({
  file_paths: z.array(wirePath).describe('Array of absolute file paths'),
});

/** `open_files` (claude-code-ide.md, tool 3): returns the files that it opened, without those that are hidden from agents. */
export function openFiles(context: ToolContext): McpTool {
  return defineTool({
    name: 'open_files',
    description: 'Opens several files in the editor.',
    input: openFilesArguments,
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

const reformatFileArguments = z.object({ file_path: wirePath.describe('Absolute file path') });

/** `reformat_file` (claude-code-ide.md, tool 6), offered by editors that have a formatter. */
export function reformatFile(context: ToolContext, format: (path: Path) => Promise<void>): McpTool {
  return defineTool({
    name: 'reformat_file',
    description: "Reformats a file with the editor's own formatter.",
    input: reformatFileArguments,
    async run({ file_path }) {
      const path = await sharedPath(context, 'reformat_file', 'file_path', file_path);
      // Also for an open document: an editor that saves after formatting would recreate a deleted file.
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

const checkDocumentDirtyArguments = z.object({
  filePath: wirePath.describe('Absolute path of the file to check'),
});

/** `checkDocumentDirty`: whether an open document has unsaved changes. */
export function checkDocumentDirty(context: ToolContext): McpTool {
  return defineTool({
    name: 'checkDocumentDirty',
    description: 'Checks whether a document has unsaved changes.',
    input: checkDocumentDirtyArguments,
    async run({ filePath }) {
      const path = await sharedPath(context, 'checkDocumentDirty', 'filePath', filePath);
      const state = context.editor.documents.state(path);
      if (state === undefined) return notOpen(filePath);
      return jsonResult({ success: true, filePath, isDirty: state.isDirty, isUntitled: false });
    },
  });
}

const saveDocumentArguments = z.object({ filePath: wirePath.describe('Absolute path of the file to save') });

/** `saveDocument`: saves an open document. */
export function saveDocument(context: ToolContext): McpTool {
  return defineTool({
    name: 'saveDocument',
    description: 'Saves a document that has unsaved changes.',
    input: saveDocumentArguments,
    async run({ filePath }) {
      const path = await sharedPath(context, 'saveDocument', 'filePath', filePath);
      if (context.editor.documents.state(path) === undefined) return notOpen(filePath);
      const saved = await context.editor.documents.save(path);
      const message = saved ? 'Document saved successfully' : 'The editor could not save the document';
      return jsonResult({ success: saved, filePath, saved, message });
    },
  });
}

function notOpen(filePath: string) {
  return jsonResult({ success: false, message: `Document not open: ${filePath}` });
}
