import { defineTool, type McpTool } from '@tandem/mcp';
import { type ToolContext, textResult } from '../toolContext.js';
import { noArguments } from '../wire.js';

/**
 * `closeAllDiffTabs`: Claude Code calls it at every prompt. Only this session's diffs are closed: those of other
 * agents are none of its business.
 */
export function closeAllDiffTabs({ reviews, session }: ToolContext): McpTool {
  return defineTool({
    name: 'closeAllDiffTabs',
    description: 'Closes all diff tabs that this session opened.',
    input: noArguments,
    run() {
      const ours = reviews.pending.filter(({ proposal }) => proposal.session === session.id);
      reviews.withdrawSession(session.id, 'agent');
      return textResult(`CLOSED_${ours.length}_DIFF_TABS`);
    },
  });
}
