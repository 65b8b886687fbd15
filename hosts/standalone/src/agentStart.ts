import {
  type AgentId,
  agentProtocols,
  descriptorOf,
  type HookEntries,
  receivesOnly,
} from '@tandem/companion/agents';
import { placeDefaults, readSettingsFile } from '@tandem/companion/hooks';
import type { Path } from '@tandem/core';
import { printError } from './output.js';

/** Flags that make the agent ask before it edits, unless it asks by itself or the user chose another mode. */
export function askingFlags(agent: AgentId, args: readonly string[]): readonly string[] {
  const { askingFlags: flags, approvesEdits } = descriptorOf(agent);
  if (approvesEdits === undefined) return [];
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  return own.some((arg) => approvesEdits.unless.some((pattern) => pattern.test(arg))) ? [] : flags;
}

/** The facts that decide how an agent's IDE mode can be switched on. */
export interface StartHost {
  readonly platform: NodeJS.Platform;
  readonly home: Path;
  readonly tmpdir: Path;
  readonly cwd: Path;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where we may write a file of our own. */
  readonly stateFolder: Path;
}

/** Additional variables for an agent besides the companion's, and a hint for the user. */
export interface IdeMode {
  readonly env: Readonly<Record<string, string>>;
  readonly hint?: string;
  /** Its own settings leave it off, and only they can switch it on. */
  readonly isOff?: boolean;
}

/**
 * Switches the IDE mode of an agent on for one start, without changing the user's files. If a variable can name a file
 * of defaults, and the agent would accept it, that file is ours, and contains the defaults that it replaces, of the machine or
 * of the user's own variable. Otherwise the user has to type a command, which the hint names. `hooks`: added to the same file.
 */
export async function ideModeFor(agent: AgentId, host: StartHost, hooks: HookEntries = {}): Promise<IdeMode> {
  const descriptor = descriptorOf(agent);
  const { displayName, connect, polls, remembersConnect } = descriptor;
  const { defaults, settingsFiles, readSettings } = agentProtocols[agent].diagnosis;
  const hint = remembersConnect
    ? `If ${displayName} asks whether to connect, choose No (Yes looks for an extension that Tandem does not need). Then type ${connect} in it, only once.`
    : `${displayName} connects after you type ${connect} in it, in each session.`;
  const isReviewed = receivesOnly(descriptor) === undefined;
  if (!isReviewed || polls) {
    const when = polls ? `after you type ${connect}, once in each session` : 'by itself';
    const asks = isReviewed ? '' : ' Its changes are not shown for review: it asks in this terminal.';
    return { env: {}, hint: `${displayName} sees your editor ${when}.${asks}` };
  }
  const site = { ...host, report: (message: string) => printError(`tandem: ${message}`) };
  const layers = await Promise.all(
    settingsFiles(host, host.cwd).map((file) => readSettingsFile(file, site.report)),
  );
  const byHand = { env: {}, ...(readSettings(layers).isIdeModeOn === false && { hint, isOff: true }) };
  if (defaults === undefined) return byHand;
  const added = { sections: defaults.ideMode, hooks };
  const placed = await placeDefaults(agent, site, added);
  return placed === undefined ? byHand : { env: placed.env };
}
