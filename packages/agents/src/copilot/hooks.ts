import { resolve } from 'node:path';
import { normalPath, type Path } from '@tandem/core';
import * as z from 'zod';
import {
  type AgentHooks,
  type DecidedFile,
  type EditEvent,
  type HookCommands,
  holdSeconds,
} from '../hooks/agentHooks.js';
import { commandText } from '../hooks/commandText.js';
import { nativeEdit, newFile } from '../hooks/fileEdit.js';
import { patchEdits, rewrittenPatch } from '../hooks/patchEdits.js';
import { unifiedDiff } from '../hooks/unifiedDiff.js';
import { copilotTool } from './patchTool.js';

const call = z.object({
  sessionId: z.string(),
  cwd: z.string(),
  toolName: z.string(),
  toolArgs: z.unknown(),
  /** Only after the call. */
  toolResult: z.unknown().optional(),
  /** Only after one that has failed. */
  error: z.unknown().optional(),
});
const question = z.object({
  hookName: z.literal('permissionRequest'),
  sessionId: z.string(),
  cwd: z.string(),
  toolName: z.literal('edit'),
  toolInput: z.object({ file_path: z.string(), diff: z.string() }),
});
const event = z.looseObject({ sessionId: z.string() });
/** Events have no names: each is recognized by a field that only it has. */
const turnEvents = [
  ['source', 'session-start'],
  ['prompt', 'prompt'],
  ['stopReason', 'turn-end'],
  ['reason', 'session-end'],
] as const;
const edit = z.object({ path: z.string(), old_str: z.string().min(1), new_str: z.string() });
const create = z.object({ path: z.string(), file_text: z.string() });

/** The hooks of Copilot CLI 1.0. See PROTOCOL.md. */
export const hooks: AgentHooks = {
  runBeforeAllCalls: true,

  inject: ({ folder, commands }) => ({
    args: ['--plugin-dir', folder],
    env: {},
    files: {
      'plugin.json': JSON.stringify({ name: 'tandem', version: '0.0.0', hooks: 'hooks.json' }),
      'hooks.json': JSON.stringify(hooksFile(commands)),
    },
  }),

  ownFile: ({ commands }) => `${JSON.stringify(hooksFile(commands), undefined, 2)}\n`,

  read(input) {
    const asked = question.safeParse(input).data;
    if (asked !== undefined) {
      const { sessionId: session, cwd, toolName: tool, toolInput } = asked;
      const path = normalPath(resolve(cwd, toolInput.file_path));
      return {
        kind: 'edit',
        session,
        agentMode: 'writes',
        isQuestion: true,
        isDescription: true,
        tool,
        input: toolInput,
        edits: unifiedDiff(path, toolInput.diff),
      };
    }
    const { data: of } = event.safeParse(input);
    const turn = turnEvents.find(([field]) => of !== undefined && field in of);
    if (of !== undefined && turn !== undefined) {
      const [, kind] = turn;
      // A prompt that is typed meanwhile waits until the hook has ended.
      const prompt = typeof of.prompt === 'string' ? of.prompt : undefined;
      return { kind, session: of.sessionId, ...(kind === 'prompt' && { isTurnOver: true, prompt }) };
    }
    const { data } = call.safeParse(input);
    if (data === undefined) return undefined;
    const { sessionId: session, cwd, toolName: tool, toolArgs } = data;
    const hasEnded = data.toolResult !== undefined || data.error !== undefined;
    if (tool === commandTool) return { kind: 'command', session, command: commandText(toolArgs), hasEnded };
    return {
      kind: hasEnded ? 'written' : 'edit',
      session,
      // It does not report its mode. Where it asks by itself, its question comes with `open_diff`.
      agentMode: 'writes',
      tool,
      input: toolArgs,
      ...editsOf(tool, toolArgs, (path) => normalPath(resolve(cwd, path))),
    };
  },

  review: () => 'by-hook',

  allow(event, files, note) {
    if (event.isQuestion) return files.length > 0 ? undefined : { behavior: 'allow' };
    const modifiedArgs = rewritten(event, files);
    if (modifiedArgs === undefined) return undefined;
    return { modifiedArgs, ...(note !== undefined && { additionalContext: note }) };
  },

  inform: (text) => ({ additionalContext: text }),

  deny: (_event, reason) => ({ permissionDecision: 'deny', permissionDecisionReason: reason }),
};

const editTools = '^(edit|create|apply_patch)$';
const commandTool = 'bash';

function hooksFile({ call, event }: HookCommands): object {
  const hook = { type: 'command', bash: event, timeoutSec: holdSeconds };
  const ofCommand = { ...hook, matcher: `^${commandTool}$` };
  return {
    version: 1,
    hooks: {
      preToolUse: [{ ...hook, bash: call, matcher: editTools }, ofCommand],
      postToolUse: [{ ...hook, matcher: editTools }, ofCommand],
      postToolUseFailure: [ofCommand],
      permissionRequest: [{ ...hook, matcher: '^edit$' }],
      sessionStart: [hook],
      userPromptSubmitted: [hook],
      agentStop: [hook],
      sessionEnd: [hook],
    },
  };
}

function editsOf(
  tool: string,
  input: unknown,
  pathOf: (path: string) => Path,
): Pick<EditEvent, 'edits' | 'refusal'> {
  if (tool === 'apply_patch') return patchEdits(String(input), pathOf, copilotTool);
  const part = tool === 'edit' ? edit.safeParse(input).data : undefined;
  if (part !== undefined) {
    return { edits: [nativeEdit(pathOf(part.path), { before: part.old_str, after: part.new_str })] };
  }
  const whole = tool === 'create' ? create.safeParse(input).data : undefined;
  return { edits: whole === undefined ? [] : [newFile(pathOf(whole.path), whole.file_text)] };
}

/** The tool's arguments with which it writes exactly these texts. */
function rewritten({ tool, input }: EditEvent, files: readonly DecidedFile[]): object | string | undefined {
  const [file] = files;
  if (file === undefined) return undefined;
  if (tool === 'apply_patch') return rewrittenPatch(String(input), files, copilotTool);
  const { path } = z.object({ path: z.string() }).parse(input);
  return tool === 'create'
    ? { path, file_text: file.acceptedExactly }
    : { path, old_str: file.presentExactly ?? '', new_str: file.acceptedExactly };
}
