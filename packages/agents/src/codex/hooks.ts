import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { normalPath } from '@tandem/core';
import * as z from 'zod';
import { type AgentHooks, holdSeconds } from '../hooks/agentHooks.js';
import { codexTool, patchEdits, rewrittenPatch } from '../hooks/patchEdits.js';

const patchTool = 'apply_patch';
/** In seconds: it allows no more for its last hook. */
const endSeconds = 3;

const common = z.object({ session_id: z.string(), cwd: z.string() });
const calls = z.discriminatedUnion('hook_event_name', [
  z.object({
    hook_event_name: z.enum(['PreToolUse', 'PermissionRequest', 'PostToolUse']),
    tool_name: z.literal(patchTool),
    tool_input: z.unknown(),
  }),
  z.object({ hook_event_name: z.enum(['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd']) }),
]);
const turnEvents = {
  SessionStart: 'session-start',
  UserPromptSubmit: 'prompt',
  Stop: 'turn-pause',
  SessionEnd: 'session-end',
} as const;
const patch = z.object({ command: z.string() });

/** The hooks of Codex CLI 0.171. See PROTOCOL.md. */
export const hooks: AgentHooks = {
  inject: ({ command }) => {
    const entries = [
      { name: 'PreToolUse', id: 'pre_tool_use', matcher: patchTool, timeout: holdSeconds },
      { name: 'PermissionRequest', id: 'permission_request', matcher: patchTool, timeout: holdSeconds },
      { name: 'PostToolUse', id: 'post_tool_use', matcher: patchTool, timeout: holdSeconds },
      { name: 'SessionStart', id: 'session_start', timeout: holdSeconds },
      { name: 'UserPromptSubmit', id: 'user_prompt_submit', timeout: holdSeconds },
      { name: 'Stop', id: 'stop', timeout: holdSeconds },
      { name: 'SessionEnd', id: 'session_end', timeout: endSeconds },
    ].map((entry) => ({ ...entry, command }));
    // It runs only hooks that the user trusts, by their hash. This trusts exactly ours, for this process.
    const trust = entries.map(
      (entry) =>
        `${text(`/<session-flags>/config.toml:${entry.id}:0:0`)}={trusted_hash=${text(hashOf(entry))}}`,
    );
    const settings = [
      ...entries.map((entry) => `hooks.${entry.name}=${tomlOf(entry)}`),
      `hooks.state={${trust.join(',')}}`,
    ];
    return { args: settings.flatMap((setting) => ['-c', setting]), env: {}, files: {} };
  },

  read(input) {
    const of = common.safeParse(input);
    const call = calls.safeParse(input);
    if (!of.success || !call.success) return undefined;
    const { session_id: session, cwd } = of.data;
    const { data } = call;
    if (!('tool_name' in data)) return { kind: turnEvents[data.hook_event_name], session };
    // Where it asks, the hook of its question runs after that of the call.
    const isQuestion = data.hook_event_name === 'PermissionRequest';
    return {
      // The hook of a question does not report the id of the call.
      kind: data.hook_event_name === 'PostToolUse' ? 'written' : 'edit',
      session,
      agentMode: isQuestion ? 'asks' : 'writes',
      isQuestion,
      tool: data.tool_name,
      input: data.tool_input,
      ...patchEdits(commandOf(data.tool_input), (path) => normalPath(resolve(cwd, path)), codexTool),
    };
  },

  review: () => 'by-hook',

  allow(event, files, note) {
    if (event.isQuestion) return files.length > 0 ? undefined : answer({ behavior: 'allow' });
    // It rejects the permission without new arguments.
    if (files.length === 0) return undefined;
    const command = rewrittenPatch(commandOf(event.input), files, codexTool);
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

interface Entry {
  readonly id: string;
  readonly matcher?: string;
  readonly command: string;
  readonly timeout: number;
}

/** A group of hooks with this one, as a value of TOML. */
function tomlOf({ matcher, command, timeout }: Entry): string {
  const hook = `{type="command",command=${text(command)},timeout=${timeout}}`;
  return `[{${matcher === undefined ? '' : `matcher=${text(matcher)},`}hooks=[${hook}]}]`;
}

/** By what the CLI knows a hook again: its canonical JSON. */
function hashOf({ id, matcher, command, timeout }: Entry): string {
  const hook = { async: false, command, timeout, type: 'command' };
  const canonical = { event_name: id, hooks: [hook], ...(matcher !== undefined && { matcher }) };
  return `sha256:${createHash('sha256').update(JSON.stringify(canonical)).digest('hex')}`;
}

/** A string of TOML. */
function text(value: string): string {
  return JSON.stringify(value);
}

function commandOf(input: unknown): string {
  return patch.safeParse(input).data?.command ?? '';
}

function preToolUse(decision: object): object {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } };
}

function answer(decision: object): object {
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
}
