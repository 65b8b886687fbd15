import { resolve } from 'node:path';
import { normalPath } from '@tandem/core';
import * as z from 'zod';
import {
  type AgentHooks,
  type DecidedFile,
  type EditEvent,
  type HookCommands,
  holdSeconds,
} from '../hooks/agentHooks.js';
import { commandText } from '../hooks/commandText.js';
import { mayPatch } from '../hooks/mayPatch.js';
import { codexTool, patchEdits, rewrittenPatch } from '../hooks/patchEdits.js';
import { type Hook, hashOf, idOf } from './hookTrust.js';
import { patchCommand, shellPatch } from './shellPatch.js';

const patchTool = 'apply_patch';
/** Its name for each tool that runs a shell command. */
const shellTool = 'Bash';
/** In seconds: it allows no more for its last hook. */
const endSeconds = 3;

const common = z.object({ session_id: z.string(), cwd: z.string() });
const calls = z.discriminatedUnion('hook_event_name', [
  z.object({
    hook_event_name: z.enum(['PreToolUse', 'PermissionRequest', 'PostToolUse']),
    tool_name: z.enum([patchTool, shellTool]),
    tool_input: z.unknown(),
    tool_use_id: z.string().optional(),
  }),
  z.object({
    hook_event_name: z.enum(['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd']),
    prompt: z.string().optional(),
  }),
]);
const turnEvents = {
  SessionStart: 'session-start',
  UserPromptSubmit: 'prompt',
  Stop: 'turn-pause',
  SessionEnd: 'session-end',
} as const;
const hidden =
  "The user reviews each change before it is written, and Tandem cannot show a patch among other commands. Run apply_patch <<'EOF' with the patch as the whole command, in the right working directory.";

/** The hooks of Codex CLI 0.171. See PROTOCOL.md. */
export const hooks: AgentHooks = {
  inject: ({ commands }) => {
    const events = Object.entries(hooksOf(commands));
    // It runs only hooks that the user trusts, by their hash. This trusts exactly ours, for this process.
    const trust = events.flatMap(([event, all]) =>
      all.map((hook, at) => {
        const id = idOf(event);
        return `${text(`/<session-flags>/config.toml:${id}:${at}:0`)}={trusted_hash=${text(hashOf(id, hook))}}`;
      }),
    );
    const settings = [
      ...events.map(([event, all]) => `hooks.${event}=[${all.map(tomlOf).join(',')}]`),
      `hooks.state={${trust.join(',')}}`,
    ];
    return { args: settings.flatMap((setting) => ['-c', setting]), env: {}, files: {} };
  },

  entries: (commands) =>
    Object.fromEntries(
      Object.entries(hooksOf(commands)).map(([event, all]) => [event, all.map(groupOf)] as const),
    ),

  afterInstall:
    'Codex CLI runs new hooks only once you trust them: start "codex", and choose "Trust all and continue". Until then it works as without them, also with "codex exec".',

  read(input) {
    const of = common.safeParse(input);
    const call = calls.safeParse(input);
    if (!of.success || !call.success) return undefined;
    const { session_id: session, cwd } = of.data;
    const { data } = call;
    if (!('tool_name' in data))
      return { kind: turnEvents[data.hook_event_name], session, prompt: data.prompt };
    // Where it asks, the hook of its question runs after that of the call.
    const isQuestion = data.hook_event_name === 'PermissionRequest';
    const command = commandText(data.tool_input);
    const isShell = data.tool_name === shellTool;
    if (isShell && !mayPatch(command)) {
      if (isQuestion) return undefined;
      const hasEnded = data.hook_event_name === 'PostToolUse';
      return { kind: 'command', session, call: data.tool_use_id, command, hasEnded };
    }
    const patch = isShell ? shellPatch(command) : command;
    return {
      // The hook of a question does not report the id of the call.
      kind: data.hook_event_name === 'PostToolUse' ? 'written' : 'edit',
      session,
      agentMode: isQuestion ? 'asks' : 'writes',
      isQuestion,
      // The question does not report the working directory of a shell command.
      subject: patch?.trim(),
      tool: data.tool_name,
      input: data.tool_input,
      ...(patch === undefined
        ? { edits: [], refusal: hidden }
        : patchEdits(patch, (path) => normalPath(resolve(cwd, path)), codexTool)),
    };
  },

  review: () => 'by-hook',

  allow(event, files, note) {
    if (event.isQuestion) return files.length > 0 ? undefined : answer({ behavior: 'allow' });
    // It rejects the permission without new arguments.
    if (files.length === 0) return undefined;
    const command = rewritten(event, files);
    return command === undefined
      ? undefined
      : preToolUse({
          permissionDecision: 'allow',
          updatedInput: { command },
          ...(note !== undefined && { additionalContext: note }),
        });
  },

  deny: ({ isQuestion }, reason) =>
    isQuestion
      ? answer({ behavior: 'deny', message: reason })
      : preToolUse({ permissionDecision: 'deny', permissionDecisionReason: reason }),

  // In code mode its model does not wait for a script that runs for long.
  resume: (reason) => ({ decision: 'block', reason }),

  inform: (context) => ({
    hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: context },
  }),
};

/** The argument with which the tool writes exactly these files. */
function rewritten({ tool, input }: EditEvent, files: readonly DecidedFile[]): string | undefined {
  const command = commandText(input);
  const patch = rewrittenPatch(tool === shellTool ? (shellPatch(command) ?? '') : command, files, codexTool);
  return tool === shellTool && patch !== undefined ? patchCommand(patch) : patch;
}

/** The hooks of each event. */
function hooksOf({ call, patch, event }: HookCommands): Readonly<Record<string, readonly Hook[]>> {
  const hook: Hook = { command: event, timeout: holdSeconds };
  return {
    PreToolUse: [
      { ...hook, command: call, matcher: patchTool },
      { ...hook, command: patch, matcher: shellTool },
    ],
    // Its question about a patch of a shell command names the tool for patches.
    PermissionRequest: [{ ...hook, matcher: patchTool }],
    PostToolUse: [patchTool, shellTool].map((matcher) => ({ ...hook, matcher })),
    SessionStart: [hook],
    UserPromptSubmit: [hook],
    Stop: [hook],
    SessionEnd: [{ ...hook, timeout: endSeconds }],
  };
}

/** A group of hooks with this one, in `hooks.json`. */
function groupOf({ matcher, command, timeout }: Hook): object {
  return { ...(matcher !== undefined && { matcher }), hooks: [{ type: 'command', command, timeout }] };
}

/** A group of hooks with this one, as a value of TOML. */
function tomlOf({ matcher, command, timeout }: Hook): string {
  const hook = `{type="command",command=${text(command)},timeout=${timeout}}`;
  return `{${matcher === undefined ? '' : `matcher=${text(matcher)},`}hooks=[${hook}]}`;
}

/** A string of TOML. */
function text(value: string): string {
  return JSON.stringify(value);
}

function preToolUse(decision: object): object {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } };
}

function answer(decision: object): object {
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
}
