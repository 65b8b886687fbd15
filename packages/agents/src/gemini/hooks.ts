import { resolve } from 'node:path';
import { normalPath, type Path } from '@tandem/core';
import * as z from 'zod';
import {
  type AgentHooks,
  type DecidedFile,
  type EditEvent,
  type HookCommands,
  holdMs,
} from '../hooks/agentHooks.js';
import { commandText } from '../hooks/commandText.js';
import { type FileEdit, stringEdits, wholeWrite } from '../hooks/fileEdit.js';
import type { HookEntries } from '../hooks/hookSettings.js';

const call = z.object({
  session_id: z.string(),
  cwd: z.string(),
  hook_event_name: z.enum(['BeforeTool', 'AfterTool']),
  tool_name: z.string(),
  tool_input: z.unknown(),
});
const end = z.object({
  session_id: z.string(),
  hook_event_name: z.enum(['SessionStart', 'BeforeAgent', 'AfterAgent', 'SessionEnd']),
  prompt: z.string().optional(),
});
const turnEvents = {
  SessionStart: 'session-start',
  BeforeAgent: 'prompt',
  AfterAgent: 'turn-end',
  SessionEnd: 'session-end',
} as const;
const replace = z.object({
  file_path: z.string(),
  old_string: z.string(),
  new_string: z.string(),
  allow_multiple: z.boolean().default(false),
});
const writeFile = z.object({ file_path: z.string(), content: z.string() });

/** The hooks of Gemini CLI 0.61. See PROTOCOL.md. */
export const hooks: AgentHooks = {
  inject: ({ commands }) => ({ args: [], env: {}, files: {}, settings: { hooks: entries(commands) } }),

  entries,

  read(input) {
    const over = end.safeParse(input);
    if (over.success) {
      const { hook_event_name: event, session_id: session, prompt } = over.data;
      return { kind: turnEvents[event], session, prompt };
    }
    const { data } = call.safeParse(input);
    if (data === undefined) return undefined;
    const { session_id: session, cwd, tool_name: tool, tool_input } = data;
    const hasEnded = data.hook_event_name === 'AfterTool';
    if (tool === commandTool) {
      return { kind: 'command', session, command: commandText(tool_input), hasEnded };
    }
    const kind = hasEnded ? 'written' : 'edit';
    return { kind, session, tool, input: tool_input, edits: editsOf(tool, tool_input, cwd) };
  },

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

  inform: (text) => ({ hookSpecificOutput: { hookEventName: 'BeforeAgent', additionalContext: text } }),
};

const matcher = '^(replace|write_file)$';
const commandTool = 'run_shell_command';

function entries({ call, event: command }: HookCommands): HookEntries {
  const hook = { name: 'tandem', type: 'command', command, timeout: holdMs };
  const event = { hooks: [hook] };
  const ofCommand = { matcher: `^${commandTool}$`, ...event };
  return {
    BeforeTool: [{ matcher, hooks: [{ ...hook, command: call }] }, ofCommand],
    AfterTool: [{ matcher, hooks: [hook] }, ofCommand],
    SessionStart: [event],
    BeforeAgent: [event],
    AfterAgent: [event],
    SessionEnd: [event],
  };
}

function editsOf(tool: string, input: unknown, cwd: Path): readonly FileEdit[] {
  const pathOf = (path: string): Path => normalPath(resolve(cwd, path));
  if (tool === 'write_file') {
    const { data } = writeFile.safeParse(input);
    return data === undefined ? [] : [wholeWrite(pathOf(data.file_path), data.content)];
  }
  const { data } = replace.safeParse(input);
  if (tool !== 'replace' || data === undefined) return [];
  const { old_string: before, new_string: after, allow_multiple: isEach } = data;
  return [stringEdits(pathOf(data.file_path), [{ before, after, isEach }])];
}

/** The whole arguments with which the tool writes exactly this text: the CLI does not merge them with the model's. */
function rewritten({ tool, input }: EditEvent, [file]: readonly DecidedFile[]): object | undefined {
  if (file === undefined) return undefined;
  if (tool === 'write_file') return { ...z.looseObject({}).parse(input), content: file.accepted };
  const { allow_multiple: _, ...args } = z.looseObject({}).parse(input);
  return { ...args, old_string: file.present ?? '', new_string: file.accepted };
}
