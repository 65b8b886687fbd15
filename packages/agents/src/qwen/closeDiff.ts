import { defineTool, type McpTool, ToolError } from '@tandem/mcp';
import type { QwenDiffs } from './qwenDiffs.js';
import { closeDiffArguments } from './wire.js';

/**
 * `closeDiff`: the person decided in the terminal, or the CLI exits (qwen-companion.md, "closeDiff tool"). Answers one
 * text block that is JSON `{"content": …}` with the text as it stood in the view: both measured versions parse it,
 * and take plain text for nothing.
 *
 * No notification is sent for it: an `ide/diffRejected` before the answer could turn a terminal accept into a
 * rejection.
 */
export function closeDiff(diffs: QwenDiffs): McpTool {
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
