/**
 * The program of a hook: `node hook.mjs AGENT injected|installed PID [MODE [FOLDER...]]`, with the process of the agent. `MODE` and the
 * folders in which it applies are those of an installed hook. An agent's CLI starts it around a tool call, with a description of the
 * call on its standard input. It asks a companion, waits for the user, and prints what the companion answers. Without a
 * companion it prints nothing, so that the agent works as without Tandem, except where the user chose that each edit is
 * reviewed. A bundle of its own, without dependencies.
 */
import { fileURLToPath } from 'node:url';
import { callCompanion } from './callCompanion.js';
import { findTarget, isBelow } from './findTarget.js';
import { hookVariables } from './hookVariables.js';

const [agent = '', origin, parent, installedMode = 'follow', ...folders] = process.argv.slice(2);
const { env } = process;
const isInjected = env[hookVariables.agent] === agent;
const mode = isInjected ? (env[hookVariables.mode] ?? 'before') : installedMode;

/** How long a companion may take to start, where each edit is reviewed, in milliseconds. */
const startLimitMs = 20_000;
/** How often the hook looks whether its agent still runs, in milliseconds. */
const checkMs = 1_000;

/** Where companions announce themselves. A copy of this file is in `hooks/VERSION` beside it. */
const companions = fileURLToPath(new URL('../../companions', import.meta.url));

// Of an installed and an injected hook the installed one yields. Variables also reach an agent that the agent starts.
if ((origin === 'installed') !== isInjected && isChosen()) await run();

function isChosen(): boolean {
  const here = process.cwd();
  return isInjected || folders.length === 0 || folders.some((folder) => isBelow(folder, here));
}

async function run(): Promise<void> {
  const pid = Number(parent);
  // A CLI that was killed does not end its hooks.
  setInterval(() => isAlive(pid) || process.exit(), checkMs).unref();
  const input = JSON.parse(await readInput());
  const target = isInjected
    ? { port: Number(env[hookVariables.port]), token: env[hookVariables.token] ?? '' }
    : findTarget(companions, process.cwd());
  if (target === undefined) return;
  try {
    const call = {
      agent,
      mode,
      pid,
      isInteractive: agent !== 'claude' || env.CLAUDE_CODE_ENTRYPOINT === 'cli',
      input,
    };
    const answer = await callCompanion(target, call, {
      startLimitMs: mode === 'before' ? startLimitMs : 0,
      // The agent shows this question itself meanwhile.
      ...(input.hook_event_name === 'PermissionRequest' && { restartLimitMs: 0 }),
    });
    const { output } = answer as { readonly output?: object };
    if (output !== undefined) await print(output);
  } catch {
    if (mode === 'before') await print(denial(input));
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function print(output: object): Promise<void> {
  return new Promise((resolve) => process.stdout.write(JSON.stringify(output), () => resolve()));
}

/** Refuses the call in the words of its agent. Events that change nothing ignore it. */
function denial(input: { readonly hook_event_name?: string }): object {
  const reason =
    'The change was not written: the user reviews each change in Tandem first, and Tandem does not answer. Ask the user to start Tandem in this folder, or to start this agent without hooks.';
  if (agent === 'gemini') return { decision: 'deny', reason };
  const decision = { permissionDecision: 'deny', permissionDecisionReason: reason };
  if (agent === 'copilot') return decision;
  return input.hook_event_name === 'PreToolUse'
    ? { hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } }
    : {};
}
