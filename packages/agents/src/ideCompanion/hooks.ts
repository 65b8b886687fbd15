import { resolve } from 'node:path';
import { normalPath, type Path } from '@tandem/core';
import * as z from 'zod';
import { type AgentHooks, type HookCommands, holdMs, type TurnEvent } from '../hooks/agentHooks.js';
import { commandText } from '../hooks/commandText.js';
import { type FileEdit, stringEdits } from '../hooks/fileEdit.js';
import type { HookEntries } from '../hooks/hookSettings.js';

/** In what the hooks of Gemini CLI and of its fork Qwen Code differ. */
interface Dialect {
  /** Its names of the events. `failed`: a call that has failed, if that is an event of its own. */
  readonly before: string;
  readonly after: string;
  readonly failed?: string;
  readonly turns: Readonly<Record<string, TurnEvent['kind']>>;
  /** Each tool that changes a file, and what a call of it does; undefined if the arguments are not its own. */
  readonly tools: Readonly<Record<string, (input: unknown, pathOf: PathOf) => FileEdit | undefined>>;
}

/** The absolute path for one of a call. */
type PathOf = (path: string) => Path;

const event = z.object({
  session_id: z.string(),
  cwd: z.string(),
  hook_event_name: z.string(),
  prompt: z.string().optional(),
  /** Qwen Code alone reports mode and id. */
  permission_mode: z.string().optional(),
  tool_use_id: z.string().optional(),
  tool_name: z.string().optional(),
  tool_input: z.unknown().optional(),
});
const writeFile = z.object({ file_path: z.string(), content: z.string() });
const replace = z.looseObject({ file_path: z.string(), old_string: z.string(), new_string: z.string() });

const commandTool = 'run_shell_command';

/** Modes in which it asks before an edit. */
const askingModes = ['default', 'plan'];

/** What both share: how our hooks are added, and what their events mean. */
export function companionHooks(
  dialect: Dialect,
): Required<Pick<AgentHooks, 'inject' | 'entries' | 'read' | 'inform'>> {
  const { before, after, failed, turns, tools } = dialect;
  const promptEvent = Object.keys(turns).find((name) => turns[name] === 'prompt');
  const entries = (commands: HookCommands): HookEntries => entriesOf(commands, dialect);
  return {
    inject: ({ commands }) => ({ args: [], env: {}, files: {}, settings: { hooks: entries(commands) } }),

    entries,

    read(input) {
      const { data } = event.safeParse(input);
      if (data === undefined) return undefined;
      const { session_id: session, cwd, hook_event_name: name, prompt, tool_name: tool, tool_input } = data;
      const kind = turns[name];
      if (kind !== undefined) return { kind, session, prompt };
      const hasEnded = name === after || name === failed;
      if (tool === undefined || !(hasEnded || name === before)) return undefined;
      const { permission_mode: mode, tool_use_id: call } = data;
      if (tool === commandTool)
        return { kind: 'command', session, call, command: commandText(tool_input), hasEnded };
      const edit = tools[tool]?.(tool_input, (path) => normalPath(resolve(cwd, path)));
      return {
        kind: hasEnded ? 'written' : 'edit',
        session,
        call,
        agentMode: mode === undefined ? undefined : askingModes.includes(mode) ? 'asks' : 'writes',
        tool,
        input: tool_input,
        edits: edit === undefined ? [] : [edit],
      };
    },

    inform: (text) => ({ hookSpecificOutput: { hookEventName: promptEvent, additionalContext: text } }),
  };
}

/** A tool that writes a whole file. */
export function wholeFile(write: (path: Path, content: string) => FileEdit): Dialect['tools'][string] {
  return (input, pathOf) => {
    const { data } = writeFile.safeParse(input);
    return data && write(pathOf(data.file_path), data.content);
  };
}

/** A tool that replaces a part of a file. `each`: its argument for all occurrences. */
export function replacement(each: string): Dialect['tools'][string] {
  return (input, pathOf) => {
    const { data } = replace.safeParse(input);
    if (data === undefined) return undefined;
    const { file_path: path, old_string: before, new_string: after, [each]: isEach = false } = data;
    return typeof isEach === 'boolean' ? stringEdits(pathOf(path), [{ before, after, isEach }]) : undefined;
  };
}

function entriesOf({ call, event: command }: HookCommands, dialect: Dialect): HookEntries {
  const { before, after, failed, turns, tools } = dialect;
  const hook = { name: 'tandem', type: 'command', command, timeout: holdMs };
  const matcher = `^(${Object.keys(tools).join('|')})$`;
  const ofCommand = { matcher: `^${commandTool}$`, hooks: [hook] };
  return {
    [before]: [{ matcher, hooks: [{ ...hook, command: call }] }, ofCommand],
    [after]: [{ matcher, hooks: [hook] }, ofCommand],
    ...(failed !== undefined && { [failed]: [ofCommand] }),
    ...Object.fromEntries(Object.keys(turns).map((name) => [name, [{ hooks: [hook] }]])),
  };
}
