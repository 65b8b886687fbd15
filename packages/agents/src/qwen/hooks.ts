import { splitBom } from '@tandem/reviews';
import type { AgentHooks } from '../hooks/agentHooks.js';
import { companionHooks, replacement, wholeFile } from '../ideCompanion/hooks.js';
import { notebookEdit } from './notebookEdit.js';

const companion = companionHooks({
  before: 'PreToolUse',
  after: 'PostToolUse',
  failed: 'PostToolUseFailure',
  turns: {
    SessionStart: 'session-start',
    UserPromptSubmit: 'prompt',
    Stop: 'turn-end',
    SessionEnd: 'session-end',
  },
  tools: {
    edit: replacement('replace_all'),
    // The mark of the file stays.
    write_file: wholeFile((path, content) => ({
      path,
      apply: (before = '') => splitBom(before).bom + splitBom(content).body,
    })),
    notebook_edit: notebookEdit,
  },
});

/** The hooks of Qwen Code 0.24. See PROTOCOL.md. */
export const hooks: AgentHooks = {
  ...companion,

  read(input, platform) {
    const event = companion.read(input, platform);
    if (event?.kind !== 'prompt') return event;
    // Without a prompt it comes after each tool result.
    return event.prompt ? { ...event, isTurnOver: true } : undefined;
  },

  // Its question comes with `openDiff`, which takes the user's text.
  review: ({ agentMode }, { isConnected }) =>
    isConnected && agentMode === 'asks' ? 'as-without-hook' : 'by-hook',

  // It ignores other arguments: its model has to write a corrected text.
  allow: () => undefined,

  deny: (_event, reason) => ({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  }),
};
