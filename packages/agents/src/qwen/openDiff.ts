import { isAbsolute } from 'node:path';
import { ProposalError } from '@tandem/core';
import { defineTool, type McpTool, ToolError } from '@tandem/mcp';
import type { QwenDiffs } from './qwenDiffs.js';
import { openDiffArguments } from './wire.js';

/**
 * `openDiff`: opens a review and answers at once (qwen-companion.md, "openDiff tool"). The decision follows as
 * `ide/diffAccepted` or `ide/diffRejected`, to the session that asked and with its own spelling of the path: the
 * CLI ignores any other.
 */
export function openDiff(diffs: QwenDiffs): McpTool {
  return defineTool({
    name: 'openDiff',
    description:
      'Opens a diff view that shows proposed changes to a file, for the user to edit, accept or reject.',
    input: openDiffArguments,
    async run({ filePath, newContent }, { signal }) {
      if (!isAbsolute(filePath)) {
        throw new ToolError(`openDiff needs an absolute filePath, and "${filePath}" is a relative one.`);
      }
      try {
        await diffs.open(filePath, newContent, signal);
      } catch (error) {
        if (error instanceof ProposalError) throw new ToolError(error.message, { cause: error });
        throw error;
      }
      return { content: [] };
    },
  });
}
