import { type AgentId, agentProtocols, nameOfAgent } from '@tandem/companion/agents';
import { expectContent } from '@tandem/companion/files';
import { writeUserFile } from '@tandem/companion/userFile';
import { describeError, visibleName } from '@tandem/core';
import type { StartHost } from './agentStart.js';
import { confirm } from './confirm.js';
import { readDiskFile } from './editor/diskFile.js';
import { printError } from './output.js';

type Sections = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Offers to switch the IDE mode of an agent on in its own settings: shows what it adds, and asks with `ask`. Resolves to whether
 * it is on now. Without the user's consent, the settings stay as they are.
 */
export async function offerIdeMode(
  agent: AgentId,
  host: StartHost,
  ask: (question: string) => Promise<boolean> = confirm,
): Promise<boolean> {
  const { defaults, settingsFiles } = agentProtocols[agent].diagnosis;
  const [file] = settingsFiles(host, host.cwd);
  if (defaults === undefined || file === undefined) return false;
  try {
    const disk = await readDiskFile(file);
    const isUsual = disk.kind === 'missing' || (disk.kind === 'text' && disk.encoding === undefined);
    const text = isUsual ? withSections(disk.kind === 'text' ? disk.text : '', defaults.ideMode) : undefined;
    if (text === undefined) return false;
    const name = nameOfAgent(agent);
    const added = JSON.stringify(defaults.ideMode, undefined, 2);
    printError(
      `${name} connects only in its IDE mode, which is off. This adds to ${visibleName(file)}:\n\n${added}\n`,
    );
    if (!(await ask('Switch it on?'))) return false;
    await writeUserFile(file, text, { isExpected: await expectContent(disk) });
    return true;
  } catch (error) {
    printError(`tandem: the IDE mode stays off: ${describeError(error)}`);
    return false;
  }
}

/** The settings with these sections. Undefined if they have comments, or another form. */
export function withSections(text: string, sections: Sections): string | undefined {
  const settings = text.trim() === '' ? {} : objectIn(text);
  if (settings === undefined) return undefined;
  for (const [name, section] of Object.entries(sections)) {
    const before = settings[name] ?? {};
    if (!isObject(before)) return undefined;
    settings[name] = { ...before, ...section };
  }
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
