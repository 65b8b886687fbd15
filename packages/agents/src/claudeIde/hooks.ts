import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { normalPath, type Path } from '@tandem/core';
import * as z from 'zod';
import { isRecord } from '../agentDiagnosis.js';
import type { AgentHooks, DecidedFile, EditEvent } from '../hooks/agentHooks.js';
import { commandText } from '../hooks/commandText.js';
import { nativeEdit, wholeWrite } from '../hooks/fileEdit.js';
import { type PatchEdits, patchEdits, rewrittenPatch } from '../hooks/patchEdits.js';
import { importOf, pluginNote } from '../hooks/pluginFile.js';
import { isClear, openCodeTool } from './openCodePatch.js';

/**
 * What the plugin sends. `isAsked`: the agent asks the user about this call, which it no longer changes. `isWritten`: it has carried out
 * this call, on which the user has not decided here.
 */
const calls = z.object({
  session: z.string(),
  call: z.string(),
  folder: z.string(),
  tool: z.string(),
  args: z.unknown(),
  isAsked: z.boolean().default(false),
  isWritten: z.boolean().default(false),
});
/** What it sends with each prompt of the user, and at the end of the turn. */
const turns = z.union([
  z.object({ session: z.string(), isPrompt: z.literal(true), prompt: z.string() }),
  z.object({ session: z.string(), isTurnEnd: z.literal(true) }),
]);
const edit = z.object({
  filePath: z.string(),
  oldString: z.string(),
  newString: z.string(),
  replaceAll: z.boolean().default(false),
});
const write = z.object({ filePath: z.string(), content: z.string() });
const patch = z.object({ patchText: z.string() });

/** The tools that change files. */
const tools = ['edit', 'write', 'apply_patch'];

/**
 * The hooks of opencode and its forks: a plugin that speaks our own JSON. `variable`: the one with which a configuration is added to
 * the user's. See opencode/PROTOCOL.md.
 */
export function guestHooks(agent: string, variable: string): AgentHooks {
  return {
    plugin: 'openCodePlugin.mjs',

    inject: ({ program, env }) => ({
      args: [],
      env: { [variable]: JSON.stringify(withPlugin(env[variable] ?? '{}', variable, agent, program)) },
      files: {},
    }),

    ownFile: ({ program, mode, folders }) => pluginFile(agent, program, { agent, tools, mode, folders }),

    read(input) {
      const turn = turns.safeParse(input).data;
      if (turn !== undefined) {
        const { session } = turn;
        return 'prompt' in turn
          ? { kind: 'prompt', session, prompt: turn.prompt }
          : { kind: 'turn-end', session };
      }
      const { data } = calls.safeParse(input);
      if (data === undefined) return undefined;
      const { session, call, folder, tool, args, isAsked, isWritten } = data;
      if (tool === 'bash') {
        return { kind: 'command', session, call, command: commandText(args), hasEnded: isWritten };
      }
      const agentMode = isAsked ? 'asks' : 'writes';
      const edits = editsOf(tool, args, (path) => normalPath(resolve(folder, path)));
      const kind = isWritten ? 'written' : 'edit';
      return { kind, session, call, agentMode, isQuestion: isAsked, tool, input: args, ...edits };
    },

    review: () => 'by-hook',

    allow(event, files, note) {
      const args = event.isQuestion ? undefined : rewritten(event, files);
      if (args === undefined && files.length > 0) return undefined;
      return { ...(args && { args }), ...(note !== undefined && { note }) };
    },

    deny: (_event, reason) => ({ deny: reason }),
  };
}

/** A plugin that loads ours, and does nothing once ours is removed. */
function pluginFile(agent: string, program: Path, options: object): string {
  return `${pluginNote(agent)}
export const tandem = async (host) => {
  const plugin = await ${importOf(program)};
  return (await plugin?.tandem(host, ${JSON.stringify(options)})) ?? {};
};
`;
}

/** The user's own configuration, and our plugin once. */
function withPlugin(config: string, variable: string, agent: string, program: Path): object {
  const whole = parse(config);
  const { plugin = [] } = isRecord(whole) ? whole : {};
  if (!isRecord(whole) || !Array.isArray(plugin)) {
    throw new TypeError(
      `${variable} is not a configuration in JSON, so hooks cannot be added to it. Correct it, or use --hooks off.`,
    );
  }
  // The folder of all versions: another one may be left from the program that started us.
  const ours = pathToFileURL(`${dirname(dirname(program))}/`).href;
  const others = plugin.filter(
    (each: unknown) => !String(Array.isArray(each) ? each[0] : each).startsWith(ours),
  );
  return { ...whole, plugin: [...others, [pathToFileURL(program).href, { agent, tools }]] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function editsOf(tool: string, args: unknown, pathOf: (path: string) => Path): PatchEdits {
  if (tool === 'apply_patch') {
    const { patchText = '' } = patch.safeParse(args).data ?? {};
    return patchEdits(isClear(patchText) ? patchText : '', pathOf, openCodeTool);
  }
  if (tool === 'write') {
    const { data } = write.safeParse(args);
    return { edits: data ? [wholeWrite(pathOf(data.filePath), data.content, { keepsBom: true })] : [] };
  }
  const { data } = edit.safeParse(args);
  if (tool !== 'edit' || data === undefined) return { edits: [] };
  const { filePath, oldString: before, newString: after, replaceAll: isEach } = data;
  return { edits: [nativeEdit(pathOf(filePath), { before, after, isEach })] };
}

/** The tool's arguments with which it writes exactly these texts. */
function rewritten({ tool, input }: EditEvent, files: readonly DecidedFile[]): object | undefined {
  const [file] = files;
  if (file === undefined) return undefined;
  if (tool === 'apply_patch') {
    const patchText = rewrittenPatch(patch.parse(input).patchText, files, openCodeTool);
    return patchText === undefined ? undefined : { patchText };
  }
  const { filePath } = z.object({ filePath: z.string() }).parse(input);
  if (tool === 'write') return { filePath, content: file.acceptedExactly };
  // Without a text to replace it creates a file.
  if (file.present === undefined) return { filePath, oldString: '', newString: file.acceptedExactly };
  return file.present === '' ? undefined : { filePath, oldString: file.present, newString: file.accepted };
}
