import * as z from 'zod';
import type { AgentHooks, DecidedFile, EditEvent, HookCommands, Injection } from '../hooks/agentHooks.js';
import { holdSeconds } from '../hooks/agentHooks.js';
import { commandText } from '../hooks/commandText.js';
import { type FileEdit, stringEdits, wholeWrite } from '../hooks/fileEdit.js';
import type { HookEntries } from '../hooks/hookSettings.js';
import { notebookEdit, rewrittenNotebookEdit } from './notebookEdit.js';
import { nativePath } from './toolContext.js';

/** The tools that change a file. */
const matcher = 'Edit|Write|NotebookEdit';
const commandTool = 'Bash';
const notebookTool = 'NotebookEdit';
/** How the prompt begins that the CLI gives itself when something in the background has ended. */
const notification = '<task-notification>';

const common = z.object({ session_id: z.string(), permission_mode: z.string().optional() });
const calls = z.discriminatedUnion('hook_event_name', [
  z.object({
    hook_event_name: z.enum(['PreToolUse', 'PostToolUse', 'PostToolUseFailure']),
    tool_name: z.string(),
    tool_input: z.unknown(),
    tool_use_id: z.string().optional(),
  }),
  z.object({ hook_event_name: z.literal('PermissionRequest') }),
  z.object({ hook_event_name: z.literal('SessionStart') }),
  z.object({ hook_event_name: z.literal('UserPromptSubmit'), prompt: z.string().optional() }),
  z.object({ hook_event_name: z.literal('Stop'), background_tasks: z.array(z.unknown()).default([]) }),
  z.object({ hook_event_name: z.literal('SessionEnd') }),
]);
const edit = z.object({
  file_path: z.string(),
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().default(false),
});
const write = z.object({ file_path: z.string(), content: z.string() });

/** Modes in which an edit is written without a question. */
const writingModes = ['acceptEdits', 'auto', 'bypassPermissions'];

/** The hooks of Claude Code 2.1. See PROTOCOL.md. */
export const hooks: AgentHooks = {
  inject: ({ folder, commands }): Injection => ({
    // It adds to the user's own hooks, where `--settings` replaces the user's own `--settings`.
    args: ['--plugin-dir', folder],
    env: {},
    files: {
      '.claude-plugin/plugin.json': JSON.stringify({
        name: 'tandem',
        version: '0.0.0',
        description: 'Shows edits in Tandem before they are written.',
      }),
      'hooks/hooks.json': JSON.stringify({ hooks: entries(commands) }),
    },
  }),

  entries,

  read(input, platform) {
    const of = common.safeParse(input);
    const call = calls.safeParse(input);
    if (!of.success || !call.success) return undefined;
    const { session_id: session, permission_mode: mode } = of.data;
    const { data } = call;
    if (data.hook_event_name === 'SessionStart') return { kind: 'session-start', session };
    if (data.hook_event_name === 'SessionEnd') return { kind: 'session-end', session };
    if (data.hook_event_name === 'UserPromptSubmit') {
      return {
        kind: 'prompt',
        session,
        prompt: data.prompt,
        isContinued: data.prompt?.startsWith(notification),
      };
    }
    if (data.hook_event_name === 'Stop') {
      // What runs in the background may still write.
      return data.background_tasks.length === 0 ? { kind: 'turn-rest', session } : undefined;
    }
    if (data.hook_event_name === 'PermissionRequest') return { kind: 'question', session };
    const isBefore = data.hook_event_name === 'PreToolUse';
    if (data.tool_name === commandTool) {
      const command = commandText(data.tool_input);
      return { kind: 'command', session, call: data.tool_use_id, command, hasEnded: !isBefore };
    }
    return {
      kind: isBefore ? 'edit' : 'written',
      session,
      call: data.tool_use_id,
      agentMode: mode === undefined ? undefined : writingModes.includes(mode) ? 'writes' : 'asks',
      tool: data.tool_name,
      input: data.tool_input,
      hasNoDiff: data.tool_name === notebookTool,
      edits: editsOf(data.tool_name, data.tool_input, platform),
    };
  },

  // Its question comes with `openDiff`, which takes the user's text and reports the correction to the model.
  review: ({ edits, hasNoDiff }, { isConnected, isInteractive }) =>
    isInteractive && (edits.length === 0 || (isConnected && !hasNoDiff)) ? 'by-its-question' : 'by-hook',

  ask: (_event, reason) => preToolUse({ permissionDecision: 'ask', permissionDecisionReason: reason }),

  allow(event, files, note) {
    const updatedInput = rewritten(event, files);
    if (updatedInput === undefined && files.length > 0) return undefined;
    return preToolUse({
      permissionDecision: 'allow',
      ...(updatedInput && { updatedInput }),
      ...(note !== undefined && { additionalContext: note }),
    });
  },

  deny: (_event, reason) => preToolUse({ permissionDecision: 'deny', permissionDecisionReason: reason }),

  inform: (text) => ({
    hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: text },
  }),

  denyQuestion: (text) => ({
    hookSpecificOutput: {
      hookEventName: 'PermissionRequest',
      decision: { behavior: 'deny', message: text },
    },
  }),
};

function entries({ call, event }: HookCommands): HookEntries {
  const hook = { type: 'command', command: event };
  const ofTool = { matcher, hooks: [{ ...hook, timeout: holdSeconds }] };
  const ofCommand = { matcher: commandTool, hooks: [hook] };
  return {
    PreToolUse: [{ matcher, hooks: [{ ...hook, command: call, timeout: holdSeconds }] }, ofCommand],
    PostToolUse: [ofTool, ofCommand],
    PostToolUseFailure: [ofCommand],
    PermissionRequest: [ofTool],
    UserPromptSubmit: [{ hooks: [hook] }],
    Stop: [{ hooks: [hook] }],
    SessionStart: [{ hooks: [hook] }],
    SessionEnd: [{ hooks: [hook] }],
  };
}

function editsOf(tool: string, input: unknown, platform: NodeJS.Platform): readonly FileEdit[] {
  if (tool === notebookTool) {
    const ofCell = notebookEdit(input, (path) => nativePath(path, platform));
    return ofCell === undefined ? [] : [ofCell];
  }
  const whole = tool === 'Write' ? write.safeParse(input) : undefined;
  const part = tool === 'Edit' ? edit.safeParse(input) : undefined;
  const path = nativePath(whole?.data?.file_path ?? part?.data?.file_path ?? '', platform);
  if (path === undefined) return [];
  if (whole?.success) return [wholeWrite(path, whole.data.content)];
  if (!part?.success) return [];
  const { old_string: before, new_string: after, replace_all: isEach } = part.data;
  return [stringEdits(path, [{ before, after, isEach, takesLineEnd: true }])];
}

/** The tool's arguments with which it writes exactly this text. */
function rewritten({ tool, input }: EditEvent, [file]: readonly DecidedFile[]): object | undefined {
  if (file === undefined) return undefined;
  if (tool === notebookTool) return rewrittenNotebookEdit(input, file);
  const { file_path } = z.object({ file_path: z.string() }).parse(input);
  if (tool === 'Write') return { file_path, content: file.accepted };
  return { file_path, old_string: file.present ?? '', new_string: file.accepted, replace_all: false };
}

function preToolUse(decision: object): object {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } };
}
