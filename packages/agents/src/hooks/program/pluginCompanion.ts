import { realpathSync } from 'node:fs';
import { callCompanion, pause, startLimitMs, UnreachableError } from './callCompanion.js';
import { denialReason } from './denialReason.js';
import { findCompanion, injectedTarget, isChosen, markUsed } from './findTarget.js';
import { hookVariables } from './hookVariables.js';

/** What a plugin does with a call. All absent: the call goes on, and the user has accepted it as it is. */
export interface CallAnswer {
  /** Why the call is refused, for the model. */
  readonly deny?: string;
  /** The arguments that replace those of the call. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** What the model should know of the result. */
  readonly note?: string;
}

/** What a plugin does with the event of a turn. */
interface TurnAnswer {
  /** What the model should know before it reads the prompt. */
  readonly inform?: string;
}

/** The companion of an agent that runs our plugin. */
interface PluginCompanion {
  /** Asks about a call. Undefined if the user has decided nothing about it. Never rejects. */
  ask(input: object, signal?: AbortSignal): Promise<CallAnswer | undefined>;
  /** Reports what does not wait for the user, in the order of the calls. The agent waits for the answer only for a moment. Never rejects. */
  tell(input: object): Promise<void>;
  /** Likewise, with a prompt of the user. An answer that comes later is given with the next prompt. */
  prompt(input: object): Promise<TurnAnswer>;
}

/** How long the agent waits for what does not wait for the user, in milliseconds. */
const tellLimitMs = 2_000;
/** How long that is tried, in milliseconds: on a busy machine an answer can take seconds, and a lost prompt is never repeated. */
const deliveryLimitMs = 10_000;

/** How a plugin was added for good. */
export interface Installed {
  /** A `HookMode`. */
  readonly mode: string;
  /** The real folders in which it applies; empty if in each. */
  readonly folders: readonly string[];
}

/**
 * Undefined if the plugin has nothing to do. An injected one only works if `tandem run` has started exactly this agent: the variables
 * also reach agents that an agent starts. There an installed one yields. `directory`: where the agent works.
 */
export function pluginCompanion(
  agent: string,
  directory: string,
  installed?: Installed,
): PluginCompanion | undefined {
  const { env } = process;
  const isInjected = env[hookVariables.agent] === agent;
  if (isInjected !== (installed === undefined)) return undefined;
  const here = isInjected ? directory : realpathSync(directory);
  if (installed !== undefined && !isChosen(installed.folders, here)) return undefined;
  markUsed();
  const chosen = installed === undefined ? env[hookVariables.mode] : installed.mode;
  const mode = chosen === 'follow' || chosen === 'after' ? chosen : 'before';
  const send = async <Answer>(input: object, limitMs: number, signal?: AbortSignal) => {
    const call = { agent, mode, pid: process.pid, isInteractive: true, input };
    const startedAt = performance.now();
    const target = isInjected ? injectedTarget() : await findCompanion(here, limitMs);
    if (target === undefined) throw new UnreachableError(false);
    const startLimitMs = limitMs - (performance.now() - startedAt);
    const answer = await callCompanion(target, call, { startLimitMs, ...(signal && { signal }) });
    return (answer as { readonly output?: Answer }).output;
  };
  let sent: Promise<unknown> = Promise.resolve();
  const left: string[] = [];
  const deliver = (input: object): Promise<void> => {
    const signal = AbortSignal.timeout(deliveryLimitMs);
    const delivered = sent
      .then(() => send<TurnAnswer>(input, 0, signal))
      .then((answer) => void (answer?.inform !== undefined && left.push(answer.inform)))
      .catch(() => undefined);
    sent = delivered;
    return Promise.race([delivered, pause(tellLimitMs)]);
  };
  return {
    tell: deliver,
    async prompt(input) {
      await deliver(input);
      const texts = left.splice(0);
      return texts.length === 0 ? {} : { inform: texts.join('\n\n') };
    },
    async ask(input, signal) {
      try {
        return await send<CallAnswer>(input, mode === 'before' ? startLimitMs : 0, signal);
      } catch (error) {
        if (signal?.aborted) return { deny: 'The user has interrupted the turn.' };
        return mode === 'before' ? { deny: denialReason(error) } : undefined;
      }
    },
  };
}

/** Replaces the arguments of a call in place: the agent keeps the object. */
export function replaceArguments(args: Record<string, unknown>, by: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(args)) delete args[name];
  Object.assign(args, by);
}
