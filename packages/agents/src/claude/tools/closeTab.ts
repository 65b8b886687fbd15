import type { Review } from '@tandem/core';
import { defineTool, type McpTool } from '@tandem/mcp';
import * as z from 'zod';
import { isShared, nativePath, type ToolContext, textResult, titleOf } from '../toolContext.js';

const input = z.object({ tab_name: z.string().describe('Tab name (from openDiff) or absolute file path') });

/**
 * `close_tab` (claude-code-ide.md, tool 4). Claude Code calls it after every outcome, usually twice: closing a
 * diff of this session that has already ended is as good as closing it.
 */
export function closeTab(context: ToolContext): McpTool {
  const { reviews, session, editor } = context;
  return defineTool({
    name: 'close_tab',
    description: 'Closes a tab by its name or file path.',
    input,
    async run({ tab_name }) {
      const open = [...context.openDiffs].filter(({ tabName }) => tabName === tab_name);
      for (const { path } of open) reviews.withdraw(session.id, path, 'agent');
      const isOurs = (review: Review): boolean =>
        review.proposal.session === session.id && review.proposal.title === titleOf(tab_name);
      if (open.length > 0 || reviews.ended.some(isOurs)) return textResult('OK');
      const path = nativePath(tab_name, context.platform);
      const isClosed =
        path !== undefined && (await isShared(context, path)) && (await editor.documents.close(path));
      return textResult(isClosed ? 'OK' : 'Tab not found');
    },
  });
}
