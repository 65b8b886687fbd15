import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HookMode } from '@tandem/reviews';
import type { Scratch, TandemProcess } from './tandemProcess.js';

const quickTime = fileURLToPath(new URL('./quickTime.mjs', import.meta.url));
const program = fileURLToPath(new URL('../../dist/hook.mjs', import.meta.url));

/** The agents whose hooks are tested, as they describe a change of one file. */
export type HookedAgent = 'claude' | 'gemini';

interface HookOptions {
  readonly agent?: HookedAgent;
  readonly origin?: 'injected' | 'installed';
  /** The process of the agent. Default: that of the test. */
  readonly pid?: number;
  /** What the agent writes to the hook. */
  readonly input: string | Buffer;
  /** The variables that the agent has. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether time runs six times as fast in it. */
  readonly isQuick?: boolean;
}

/** Starts the built program of hooks, where `tandem run` would place it. */
export function startHook(scratch: Scratch, options: HookOptions): TandemProcess {
  const { agent = 'claude', origin = 'injected', pid = process.pid, input, env, isQuick = false } = options;
  const folder = join(scratch.state, 'tandem/hooks/0123456789abcdef');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'hook.mjs');
  copyFileSync(program, file);
  const args = [...(isQuick ? ['--import', quickTime] : []), file, agent, origin, String(pid)];
  return scratch.startProgram(process.execPath, args, { input, ...(env && { env }) });
}

/** The variables that `tandem run` gives to this agent for the companion that runs. */
export async function hookEnv(
  scratch: Scratch,
  { agent = 'claude', mode = 'before' }: { readonly agent?: HookedAgent; readonly mode?: HookMode } = {},
): Promise<Record<string, string>> {
  const connections = await scratch.call('connections', {});
  const { hooks = {} } = connections.find(({ id }) => id === agent) ?? {};
  return { ...hooks, TANDEM_HOOK_MODE: mode };
}

/** What the agent writes to its hook before a tool call that replaces `before` by `after`. */
export function callOf(
  agent: HookedAgent,
  path: string,
  { before, after, session = 'abc' }: { before: string; after: string; session?: string },
): string {
  const event = { session_id: session, cwd: '/', transcript_path: '/t' };
  const edit = { file_path: path, old_string: before, new_string: after };
  if (agent === 'gemini')
    return JSON.stringify({
      ...event,
      hook_event_name: 'BeforeTool',
      tool_name: 'replace',
      tool_input: { ...edit, instruction: 'x' },
    });
  return JSON.stringify({
    ...event,
    hook_event_name: 'PreToolUse',
    permission_mode: 'acceptEdits',
    tool_name: 'Edit',
    tool_input: { ...edit, replace_all: false },
  });
}
