import { isAbsolute } from 'node:path';
import { defineTool, type McpTool } from '@tandem/transport';
import { z } from 'zod';
import { fromWirePath } from '../paths.js';
import { isShared, type ToolContext, textResult } from '../toolContext.js';

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
      const ours = [...reviews.pending, ...reviews.ended].filter(
        ({ proposal }) => proposal.session === session.id && proposal.title === tab_name,
      );
      for (const review of ours) review.withdraw('agent');
      if (ours.length > 0) return textResult('OK');
      const path = fromWirePath(tab_name, context.platform);
      const isClosed = isAbsolute(path) && (await isShared(context, path)) && (await editor.documents.close(path));
      return textResult(isClosed ? 'OK' : 'Tab not found');
    },
  });
}
