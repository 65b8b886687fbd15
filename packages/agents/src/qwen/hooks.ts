import { resolve } from 'node:path';
import { normalPath, type Path } from '@tandem/core';
import { splitBom } from '@tandem/reviews';
import * as z from 'zod';
import { type AgentHooks, type HookCommands, holdMs } from '../hooks/agentHooks.js';
import { commandText } from '../hooks/commandText.js';
import { type FileEdit, stringEdits } from '../hooks/fileEdit.js';
import type { HookEntries } from '../hooks/hookSettings.js';

const call = z.object({
  session_id: z.string(),
  cwd: z.string(),
  hook_event_name: z.enum(['PreToolUse', 'PostToolUse', 'PostToolUseFailure']),
  permission_mode: z.string().optional(),
  tool_name: z.string(),
  tool_input: z.unknown(),
  tool_use_id: z.string().optional(),
});
const turn = z.object({
  session_id: z.string(),
  hook_event_name: z.enum(['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd']),
  prompt: z.string().optional(),
});
const turnEvents = {
  SessionStart: 'session-start',
  UserPromptSubmit: 'prompt',
  Stop: 'turn-end',
  SessionEnd: 'session-end',
} as const;
const edit = z.object({
  file_path: z.string(),
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().default(false),
});
const writeFile = z.object({ file_path: z.string(), content: z.string() });

const commandTool = 'run_shell_command';

/** Modes in which it asks before an edit. */
const askingModes = ['default', 'plan'];

/** The hooks of Qwen Code 0.24. See PROTOCOL.md. */
export const hooks: AgentHooks = {
  inject: ({ commands }) => ({ args: [], env: {}, files: {}, settings: { hooks: entries(commands) } }),

  entries,

  read(input) {
    const of = turn.safeParse(input).data;
    if (of !== undefined) {
      // Without a prompt it comes after each tool result.
      if (of.hook_event_name === 'UserPromptSubmit' && !of.prompt) return undefined;
      return {
        kind: turnEvents[of.hook_event_name],
        session: of.session_id,
        isTurnOver: of.prompt !== undefined,
        prompt: of.prompt,
      };
    }
    const { data } = call.safeParse(input);
    if (data === undefined) return undefined;
    const { session_id: session, permission_mode: mode } = data;
    const hasEnded = data.hook_event_name !== 'PreToolUse';
    if (data.tool_name === commandTool) {
      const command = commandText(data.tool_input);
      return { kind: 'command', session, call: data.tool_use_id, command, hasEnded };
    }
    return {
      kind: hasEnded ? 'written' : 'edit',
      session,
      call: data.tool_use_id,
      agentMode: mode === undefined ? undefined : askingModes.includes(mode) ? 'asks' : 'writes',
      tool: data.tool_name,
      input: data.tool_input,
      edits: editsOf(data.tool_name, data.tool_input, data.cwd),
    };
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

  inform: (text) => ({
    hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: text },
  }),
};

function entries({ call, event: command }: HookCommands): HookEntries {
  const hook = { name: 'tandem', type: 'command', command, timeout: holdMs };
  const [matcher, event] = ['^(edit|write_file)$', { hooks: [hook] }];
  const ofCommand = { matcher: `^${commandTool}$`, ...event };
  return {
    PreToolUse: [{ matcher, hooks: [{ ...hook, command: call }] }, ofCommand],
    PostToolUse: [{ matcher, hooks: [hook] }, ofCommand],
    PostToolUseFailure: [ofCommand],
    SessionStart: [event],
    UserPromptSubmit: [event],
    Stop: [event],
    SessionEnd: [event],
  };
}

function editsOf(tool: string, input: unknown, cwd: Path): readonly FileEdit[] {
  const pathOf = (path: string): Path => normalPath(resolve(cwd, path));
  const whole = tool === 'write_file' ? writeFile.safeParse(input).data : undefined;
  if (whole !== undefined) {
    // The mark of the file stays.
    const apply = (before = ''): string => splitBom(before).bom + splitBom(whole.content).body;
    return [{ path: pathOf(whole.file_path), apply }];
  }
  const part = tool === 'edit' ? edit.safeParse(input).data : undefined;
  if (part === undefined) return [];
  const { old_string: before, new_string: after, replace_all: isEach } = part;
  return [stringEdits(pathOf(part.file_path), [{ before, after, isEach }])];
}
