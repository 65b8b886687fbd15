import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentId, agentProtocols, descriptorOf, receivesOnly } from '@tandem/companion/agents';
import { RefusedFileError, readBoundedFile } from '@tandem/companion/files';
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
}

/**
 * Switches the IDE mode of an agent on for one start, without changing the user's files. If a variable can name a file
 * of defaults, that file is ours, and contains the machine's defaults, which it replaces.
 */
export async function ideModeFor(agent: AgentId, host: StartHost): Promise<IdeMode> {
  const descriptor = descriptorOf(agent);
  const { displayName, connect, polls, remembersConnect } = descriptor;
  const { defaults, settingsFiles, readSettings } = agentProtocols[agent].diagnosis;
  const hint = remembersConnect
    ? `If ${displayName} asks whether to connect, choose No. Then type ${connect} in it, only once: it remembers that.`
    : `${displayName} connects after you type ${connect} in it, in each session.`;
  if (receivesOnly(descriptor) !== undefined) {
    const when = polls ? `after you type ${connect}, once in each session` : 'by itself';
    const hint = `${displayName} sees your editor ${when}. Its changes are not shown for review: it asks in this terminal.`;
    return { env: {}, hint };
  }
  if (defaults === undefined) {
    const layers = await Promise.all(settingsFiles(host, host.cwd).map(readJson));
    return { env: {}, ...(readSettings(layers).isIdeModeOn === false && { hint }) };
  }
  const machineFile = defaults.machineFile[host.platform];
  const machine = machineFile === undefined ? {} : await readJson(machineFile);
  if (host.env[defaults.variable] !== undefined || machine === undefined) return { env: {}, hint };
  const settings = { ...machine };
  for (const [section, values] of Object.entries(defaults.ideMode)) {
    settings[section] = { ...values, ...recordOf(machine[section]) };
  }
  const file = join(host.stateFolder, `${agent}-defaults.json`);
  // Written by a rename: another `tandem run` may be starting an agent that reads it.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(settings), { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
  return { env: { [defaults.variable]: file } };
}

/** A larger file is not a settings file. */
const maxSettingsBytes = 1024 * 1024;

/** The settings in a file: empty if it does not exist or is refused, `undefined` if it is not plain JSON. */
async function readJson(file: Path): Promise<Record<string, unknown> | undefined> {
  let text: string;
  try {
    text = (await readBoundedFile(file, { maxBytes: maxSettingsBytes })).bytes.toString('utf8');
  } catch (error) {
    if (error instanceof RefusedFileError) printError(`tandem: ${error.message}`);
    return {};
  }
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
