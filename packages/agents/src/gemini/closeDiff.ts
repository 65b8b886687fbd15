import { defineTool, type McpTool, ToolError } from '@tandem/mcp';
import type { GeminiDiffs } from './geminiDiffs.js';
import { closeDiffArguments } from './wire.js';

/**
 * `closeDiff`: the person decided in the terminal, or the CLI exits (gemini-companion.md, "closeDiff tool"). Answers
 * one text block that is JSON `{"content": …}` with the text as it stood in the view: Gemini CLI 0.61 parses it and
 * writes the person's edits on a terminal accept, and loses them when the block is plain text.
 *
 * No notification is sent for it: an `ide/diffRejected` before the answer turns a terminal accept into a rejection.
 */
export function closeDiff(diffs: GeminiDiffs): McpTool {
  return defineTool({
    name: 'closeDiff',
    description: 'Closes the diff view of a file and returns the content it held.',
    input: closeDiffArguments,
    run({ filePath }) {
      const content = diffs.close(filePath);
      if (content === undefined) throw new ToolError(`No diff is open for "${filePath}".`);
      return { content: [{ type: 'text', text: JSON.stringify({ content }) }] };
    },
  });
}
