import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentId } from '@tandem/companion';
import { RefusedFileError, readBoundedFile } from '@tandem/companion/files';
import type { Path } from '@tandem/core';
import { printError } from './output.js';

/** What of this machine decides how an agent's IDE mode can be switched on. */
export interface SettingsHost {
  readonly platform: NodeJS.Platform;
  readonly home: Path;
  readonly cwd: Path;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where we may write a file of our own. */
  readonly stateFolder: Path;
}

/** What an agent is started with besides the companion's variables, and what the person must still do. */
export interface IdeMode {
  readonly env: Readonly<Record<string, string>>;
  readonly hint?: string;
}

/**
 * Switches the IDE mode of an agent on for one start, without touching a file of the person's. Claude Code needs
 * nothing.
 */
export async function ideModeFor(agent: AgentId, host: SettingsHost): Promise<IdeMode> {
  if (agent === 'qwen') return qwenIdeMode(host);
  return agent === 'gemini' ? geminiIdeMode(host) : { env: {} };
}

/** A larger file holds no settings. */
const maxSettingsBytes = 1024 * 1024;

const connectByDefault = { enabled: true, hasSeenNudge: true };

const qwenSystemDefaults: Readonly<Partial<Record<NodeJS.Platform, Path>>> = {
  linux: '/etc/qwen-code/system-defaults.json',
  darwin: '/Library/Application Support/QwenCode/system-defaults.json',
  win32: 'C:\\ProgramData\\qwen-code\\system-defaults.json',
};

/**
 * Qwen Code 0.15 and 0.24 read defaults that rank below the person's own settings from a file that a variable
 * names. It stands in for the machine's file, whose content is therefore taken along.
 */
async function qwenIdeMode({ platform, env, stateFolder }: SettingsHost): Promise<IdeMode> {
  const variable = 'QWEN_CODE_SYSTEM_DEFAULTS_PATH';
  const hint = 'If Qwen Code does not connect, type /ide enable in it once; it remembers that.';
  const machineFile = qwenSystemDefaults[platform];
  const machine = machineFile === undefined ? {} : await readSettings(machineFile);
  if (env[variable] !== undefined || machine === undefined) return { env: {}, hint };
  const settings = { ...machine, ide: { ...connectByDefault, ...settingsIn(machine.ide) } };
  const file = join(stateFolder, 'qwen-defaults.json');
  // Whole by a rename: another `tandem run` may be starting a Qwen Code that reads it.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(settings), { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
  return { env: { [variable]: file } };
}

/** Gemini CLI 0.61 has such a file too but takes it from root alone, so that its person must switch the mode on. */
async function geminiIdeMode({ home, cwd, env }: SettingsHost): Promise<IdeMode> {
  const places = [join(cwd, '.gemini'), join(env.GEMINI_CLI_HOME || home, '.gemini')];
  const settings = await Promise.all(places.map((folder) => readSettings(join(folder, 'settings.json'))));
  const isOn = settings.some((each) => settingsIn(each?.ide).enabled === true);
  if (isOn) return { env: {} };
  return { env: {}, hint: 'If Gemini CLI does not connect, type /ide enable in it once; it remembers that.' };
}

/** The settings in a file: none when it is not there or not read, `undefined` when they are not plain JSON. */
async function readSettings(file: Path): Promise<Record<string, unknown> | undefined> {
  let text: string;
  try {
    text = (await readBoundedFile(file, { maxBytes: maxSettingsBytes })).bytes.toString('utf8');
  } catch (error) {
    if (error instanceof RefusedFileError) printError(`tandem: ${error.message}`);
    return {};
  }
  try {
    return settingsIn(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function settingsIn(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
