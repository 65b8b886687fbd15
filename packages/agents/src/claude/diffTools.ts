import { defineTool, type McpTool, textResult } from '@tandem/mcp';
import type { Review } from '@tandem/reviews';
import * as z from 'zod';
import { titleOf } from '../agentSessions.js';
import { decisionOn } from '../decisionOn.js';
import { absolutePath, isShared, nativePath, type ToolContext } from './toolContext.js';
import { noArguments, wirePath } from './wire.js';

const openDiffArguments = z.object({
  old_file_path: wirePath.describe('Absolute path to the original file'),
  new_file_path: wirePath.optional().describe('Absolute path of the changed file; the same as the original'),
  new_file_contents: z.string().describe('Proposed new file contents'),
  tab_name: z.string().describe('Tab title for the diff viewer'),
});

/** `openDiff`: shows the change, and answers only after the decision (claude-code-ide.md, tool 1). */
export function openDiff(context: ToolContext): McpTool {
  const { reviews, session, agent, openDiffs } = context;
  return defineTool({
    name: 'openDiff',
    description: 'Opens a diff of proposed changes and waits until the user accepts or rejects them.',
    input: openDiffArguments,
    async run({ old_file_path, new_file_path, new_file_contents, tab_name }, toolCall) {
      const path =
        new_file_path === undefined
          ? absolutePath(context, 'openDiff', 'old_file_path', old_file_path)
          : absolutePath(context, 'openDiff', 'new_file_path', new_file_path);
      for (const other of openDiffs) if (other.path === path) openDiffs.delete(other);
      const call = { tabName: tab_name, path };
      openDiffs.add(call);
      try {
        const proposal = {
          path,
          content: new_file_contents,
          agent: agent.id,
          session: session.id,
          title: titleOf(tab_name),
        };
        const opening = reviews.propose(proposal);
        const outcome = await decisionOn(opening, reviews, toolCall, () => {
          if (openDiffs.has(call)) reviews.withdraw(session.id, path, 'agent');
        });
        if (outcome.kind === 'rejected') await context.whenHookIsDone(await opening);
        // Never `TAB_CLOSED`: Claude Code 2.1 treats it as an acceptance.
        return outcome.kind === 'accepted'
          ? textResult('FILE_SAVED', outcome.content)
          : textResult('DIFF_REJECTED');
      } finally {
        openDiffs.delete(call);
      }
    },
  });
}

const closeTabArguments = z.object({
  tab_name: z.string().describe('Tab name (from openDiff) or absolute file path'),
});

/**
 * `close_tab` (claude-code-ide.md, tool 4). Claude Code calls it after every outcome, usually twice, so closing an
 * ended diff of this session succeeds.
 */
export function closeTab(context: ToolContext): McpTool {
  const { reviews, session, editor } = context;
  return defineTool({
    name: 'close_tab',
    description: 'Closes a tab by its name or file path.',
    input: closeTabArguments,
    async run({ tab_name }) {
      context.noteTabClosed(session.id, titleOf(tab_name));
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

/** `closeAllDiffTabs`: Claude Code calls it at every prompt. Only this session's diffs are closed. */
export function closeAllDiffTabs({ reviews, session }: ToolContext): McpTool {
  return defineTool({
    name: 'closeAllDiffTabs',
    description: 'Closes all diff tabs that this session opened.',
    input: noArguments,
    run() {
      const ours = reviews.ofSession(session.id);
      reviews.withdrawSession(session.id, 'agent');
      return textResult(`CLOSED_${ours.length}_DIFF_TABS`);
    },
  });
}
