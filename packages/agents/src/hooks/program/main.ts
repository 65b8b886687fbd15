/**
 * The program of a hook: `node hook.mjs AGENT injected|installed PID [MODE [FOLDER...]]`, with the process of the agent. `MODE` and the
 * folders in which it applies are those of an installed hook. An agent's CLI starts it around a tool call, with a description of the
 * call on its standard input. It asks a companion, waits for the user, and prints what the companion answers. Without a
 * companion it prints nothing, so that the agent works as without Tandem, except where the user chose that each edit is
 * reviewed. A bundle of its own, without dependencies.
 */
import { mayPatch } from '../mayPatch.js';
import { callCompanion, startLimitMs, UnreachableError } from './callCompanion.js';
import { denialReason } from './denialReason.js';
import { findCompanion, injectedTarget, isChosen, markUsed } from './findTarget.js';
import { hookVariables } from './hookVariables.js';
import { eventLogOf, onInterruption } from './interruption.js';

const [agent = '', origin, parent, installedMode = 'follow', ...folders] = process.argv.slice(2);
const { env } = process;
const isInjected = env[hookVariables.agent] === agent;
const chosen = isInjected ? env[hookVariables.mode] : installedMode;
const mode = chosen === 'follow' || chosen === 'after' ? chosen : 'before';

/** How often the hook looks whether its agent still runs, in milliseconds. */
const checkMs = 1_000;

/** The agents' names for the tools that run a command. */
const commandTools = ['Bash', 'bash', 'run_shell_command'];
/** How long a command waits for a companion that is slow, in milliseconds since the start of this program. */
const commandLimitMs = 1_900;

// Of an installed and an injected hook the installed one yields. Variables also reach an agent that the agent starts.
if ((origin === 'installed') !== isInjected && (isInjected || isChosen(folders, process.cwd()))) await run();

async function run(): Promise<void> {
  markUsed();
  const pid = Number(parent);
  // A CLI that was killed does not end its hooks.
  setInterval(() => hasEnded(pid) && process.exit(), checkMs).unref();
  let input: unknown;
  try {
    input = JSON.parse(await readInput());
    const output = await ask(input, pid);
    if (output !== undefined) await print(output);
  } catch (error) {
    if (mode === 'before' && isOfCall(input)) await print(denial(error));
  }
}

/** What the companion answers. */
async function ask(input: unknown, pid: number): Promise<object | undefined> {
  // Only a tool call waits for a companion that does not run.
  const limit = mode === 'before' && isOfCall(input) ? startLimitMs : 0;
  const startedAt = performance.now();
  const target = isInjected ? injectedTarget() : await findCompanion(process.cwd(), limit);
  if (target === undefined) throw new UnreachableError(false);
  const isInteractive = agent !== 'claude' || env.CLAUDE_CODE_ENTRYPOINT === 'cli';
  const call = { agent, mode, pid, isInteractive, input };
  const interruption = new AbortController();
  const limits = isOfCommand(input)
    ? [AbortSignal.timeout(Math.max(0, Math.round(commandLimitMs - performance.now())))]
    : [];
  const log = eventLogOf(agent, input, env);
  if (log !== undefined) onInterruption(log, () => interruption.abort());
  const answer = await callCompanion(target, call, {
    startLimitMs: limit - (performance.now() - startedAt),
    signal: AbortSignal.any([interruption.signal, ...limits]),
    // The agent shows this question itself meanwhile.
    ...(eventOf(input) === 'PermissionRequest' && { restartLimitMs: 0 }),
  });
  if (!isObject(answer) || Array.isArray(answer)) throw new TypeError('Its answer is none.');
  const { output } = answer;
  if (output !== undefined && !isObject(output)) throw new TypeError('Its answer is none.');
  return output;
}

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return isObject(error) && error.code === 'ESRCH';
  }
}

/** Throws if it is not UTF-8. */
async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function eventOf(input: unknown): unknown {
  return isObject(input) ? input.hook_event_name : undefined;
}

/** Whether a tool call waits for this hook. An input without an event may be of one. */
function isOfCall(input: unknown): boolean {
  const event = eventOf(input);
  if (isOfCommand(input)) return false;
  // Copilot CLI names no event.
  if (agent === 'copilot' && isObject(input)) return 'toolArgs' in input && !('toolResult' in input);
  return event === undefined || event === 'PreToolUse' || event === 'BeforeTool';
}

/** Whether it is about a command, which never waits for the user. Codex CLI applies the patch of a command itself. */
function isOfCommand(input: unknown): boolean {
  if (!isObject(input) || !commandTools.includes(String(input.tool_name ?? input.toolName))) return false;
  return agent !== 'codex' || !mayPatch(JSON.stringify(input.tool_input));
}

function print(output: object): Promise<void> {
  return new Promise((resolve) => process.stdout.write(JSON.stringify(output), () => resolve()));
}

/** Refuses a tool call in the words of its agent. */
function denial(error: unknown): object {
  const reason = denialReason(error);
  if (agent === 'gemini') return { decision: 'deny', reason };
  const decision = { permissionDecision: 'deny', permissionDecisionReason: reason };
  return agent === 'copilot'
    ? decision
    : { hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } };
}
