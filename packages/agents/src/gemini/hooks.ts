import * as z from 'zod';
import type { AgentHooks, DecidedFile, EditEvent } from '../hooks/agentHooks.js';
import { wholeWrite } from '../hooks/fileEdit.js';
import { companionHooks, replacement, wholeFile } from '../ideCompanion/hooks.js';

/** The hooks of Gemini CLI 0.61. See PROTOCOL.md. */
export const hooks: AgentHooks = {
  ...companionHooks({
    before: 'BeforeTool',
    after: 'AfterTool',
    turns: {
      SessionStart: 'session-start',
      BeforeAgent: 'prompt',
      AfterAgent: 'turn-end',
      SessionEnd: 'session-end',
    },
    tools: { replace: replacement('allow_multiple'), write_file: wholeFile(wholeWrite) },
  }),

  // Its question comes with `openDiff`, which takes the user's text.
  review: (_event, { isConnected, isInteractive }) =>
    isConnected && isInteractive ? 'by-its-question' : 'by-hook',

  ask: (_event, reason) => ({ decision: 'ask', systemMessage: reason }),

  allow(event, files) {
    // Its result tells the model that the arguments were changed, and quotes the new text.
    const tool_input = rewritten(event, files);
    return tool_input && { hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input } };
  },

  deny: (_event, reason) => ({ decision: 'deny', reason }),
};

/** The whole arguments with which the tool writes exactly this text: the CLI does not merge them with the model's. */
function rewritten({ tool, input }: EditEvent, [file]: readonly DecidedFile[]): object | undefined {
  if (file === undefined) return undefined;
  if (tool === 'write_file') return { ...z.looseObject({}).parse(input), content: file.accepted };
  const { allow_multiple: _, ...args } = z.looseObject({}).parse(input);
  return { ...args, old_string: file.present ?? '', new_string: file.accepted };
}
