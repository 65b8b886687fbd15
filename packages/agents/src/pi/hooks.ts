import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { normalPath, type Path } from '@tandem/core';
import * as z from 'zod';
import type { AgentHooks, DecidedFile, EditEvent } from '../hooks/agentHooks.js';
import { commandText } from '../hooks/commandText.js';
import { type FileEdit, wholeWrite } from '../hooks/fileEdit.js';
import { importOf, pluginNote } from '../hooks/pluginFile.js';
import { textEdits } from './textEdits.js';

const turnEvents = {
  session_start: 'session-start',
  before_agent_start: 'prompt',
  agent_settled: 'turn-end',
  session_shutdown: 'session-end',
} as const;

/** What the plugin sends of each event of pi. */
const session = z.object({ session: z.string() });
const turn = session.extend({
  event: z.enum(['session_start', 'before_agent_start', 'agent_settled', 'session_shutdown']),
  prompt: z.string().optional(),
});
const call = session.extend({
  event: z.enum(['tool_call', 'tool_result']),
  call: z.string(),
  tool: z.string(),
  args: z.unknown(),
  folder: z.string(),
  home: z.string(),
});
const edit = z.object({
  path: z.string(),
  edits: z.array(z.object({ oldText: z.string(), newText: z.string() })).min(1),
});
const write = z.object({ path: z.string(), content: z.string() });

/** The hooks of pi 1.6: an extension that speaks our own JSON. See PROTOCOL.md. */
export const hooks: AgentHooks = {
  plugin: 'piPlugin.mjs',
  runBeforeAllCalls: true,
  firstWords: ['auth', 'config', 'install', 'list', 'mcp', 'remove', 'uninstall', 'update'],

  inject: ({ program }) => ({ args: ['--extension', program], env: {}, files: {} }),

  ownFile: ({ program, mode, folders }) => `${pluginNote('pi')}
export default async (pi) => {
  const plugin = await ${importOf(program)};
  await plugin?.default(pi, ${JSON.stringify({ mode, folders })});
};
`,

  read(input) {
    const { data: of } = turn.safeParse(input);
    // It starts a turn only when the one before it has ended.
    if (of !== undefined) {
      return { kind: turnEvents[of.event], session: of.session, isTurnOver: true, prompt: of.prompt };
    }
    const { data } = call.safeParse(input);
    if (data === undefined) return undefined;
    const { event, session, call: id, tool, args, folder, home } = data;
    const hasEnded = event === 'tool_result';
    if (tool === 'bash') return { kind: 'command', session, call: id, command: commandText(args), hasEnded };
    return {
      kind: hasEnded ? 'written' : 'edit',
      session,
      call: id,
      agentMode: 'writes',
      tool,
      input: args,
      edits: editsOf(tool, args, (path) => pathOf(path, folder, home)),
    };
  },

  review: () => 'by-hook',

  allow(event, files, note) {
    const args = rewritten(event, files);
    if (args === undefined && files.length > 0) return undefined;
    return { ...(args && { args }), ...(note !== undefined && { note }) };
  },

  deny: (_event, reason) => ({ deny: reason }),
  inform: (text) => ({ inform: text }),
};

function editsOf(tool: string, args: unknown, pathIn: (path: string) => Path): readonly FileEdit[] {
  if (tool === 'write') {
    const { data } = write.safeParse(args);
    return data === undefined ? [] : [wholeWrite(pathIn(data.path), data.content)];
  }
  const { data } = edit.safeParse(args);
  if (tool !== 'edit' || data === undefined) return [];
  const edits = data.edits.map(({ oldText: before, newText: after }) => ({ before, after }));
  return [textEdits(pathIn(data.path), edits)];
}

/** The file that pi means. */
function pathOf(path: string, folder: Path, home: Path): Path {
  const named = path.replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ').replace(/^@/, '');
  if (named === '~' || named.startsWith('~/')) return normalPath(join(home, named.slice(1)));
  return normalPath(/^file:\/\//.test(named) ? fileURLToPath(named) : resolve(folder, named));
}

/** The tool's arguments with which it writes exactly this text. */
function rewritten({ tool, input }: EditEvent, [file]: readonly DecidedFile[]): object | undefined {
  if (file === undefined) return undefined;
  const { path } = z.object({ path: z.string() }).parse(input);
  if (tool === 'write') return { path, content: file.acceptedExactly };
  const [before, after] = [file.present ?? '', file.accepted];
  const written = textEdits(file.path, [{ before, after }]).apply(file.presentExactly);
  // Of a file with different line ends it cannot write every text.
  return written === file.acceptedExactly
    ? { path, edits: [{ oldText: before, newText: after }] }
    : undefined;
}
