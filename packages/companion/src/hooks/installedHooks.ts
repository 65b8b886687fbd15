import type { AgentHooks } from '@tandem/agents';
import type { Path } from '@tandem/core';
import type { HookMode } from '@tandem/reviews';
import { type AgentId, agentProtocols } from '../agents/agents.js';
import { versionsIn } from './hookCommands.js';
import { type HookProgram, placeProgram } from './placeHooks.js';
import { addHooks, ourHooks, removeHooks, type SettingsForm } from './settingsText.js';
import { noteEntry } from './versions.js';

/** Which edits wait, and in which real folders; in each one if there are none. */
export interface InstalledMode {
  readonly mode: HookMode;
  readonly folders: readonly Path[];
}

/**
 * The file in which the hooks of an agent are added for good. An empty text stands for a file that does not exist. The functions on its
 * text throw `TypeError` if it has another form.
 */
export interface HookFile {
  readonly path: Path;
  /** Whether it is a file of ours, and not settings of the user. */
  readonly isOwn: boolean;
  /** Whether hooks of ours are in it. */
  isThere(text: string): boolean;
  /** The text without them; undefined if there was nothing else, so that the file can be removed. */
  remove(text: string): string | undefined;
  /** Places our program, and prepares to add it. */
  prepare(our: HookProgram, how: InstalledMode): Promise<PreparedHooks>;
}

/** What is to be added to a `HookFile`. */
export interface PreparedHooks {
  /** For the user. */
  readonly shown: string;
  readonly afterInstall: string | undefined;
  /** Whether exactly this is in it. */
  isThere(text: string): boolean;
  add(text: string): string;
  /** Call it before the file is written: versions of our program that no file names are removed later. */
  keep(): Promise<void>;
}

/** Undefined for an agent without hooks that could be added. */
export async function hookFileOf(
  agent: AgentId,
  machine: HookProgram['machine'],
): Promise<HookFile | undefined> {
  const { hookFile, hooks: load, diagnosis } = agentProtocols[agent];
  const hooks = await load?.();
  if (hookFile === undefined || hooks === undefined) return undefined;
  const path = hookFile(machine);
  const form = { comments: diagnosis.allowsComments === true };
  const { isThere, remove } = hooks.entries === undefined ? ownFile : entriesIn(form);
  return {
    path,
    isOwn: hooks.entries === undefined,
    isThere,
    remove,
    async prepare(our, how) {
      const { commands, program, version } = await placeProgram(agent, hooks, our, {
        origin: 'installed',
        options: how.mode === 'follow' && how.folders.length === 0 ? [] : [how.mode, ...how.folders],
      });
      return {
        ...preparedFor(hooks, form, { commands, program, ...how }),
        afterInstall: hooks.afterInstall,
        keep: () => noteEntry(version, path),
      };
    },
  };
}

type Site = Parameters<NonNullable<AgentHooks['ownFile']>>[0];

function preparedFor(
  hooks: AgentHooks,
  form: SettingsForm,
  site: Site,
): Pick<PreparedHooks, 'shown' | 'isThere' | 'add'> {
  const entries = hooks.entries?.(site.commands);
  if (entries !== undefined)
    return {
      shown: JSON.stringify({ hooks: entries }, undefined, 2),
      isThere: (text) => sorted(ourHooks(text, form)) === sorted(entries),
      add: (text) => addHooks(text, entries, form),
    };
  const whole = hooks.ownFile?.(site) ?? '';
  return {
    shown: whole.trimEnd(),
    isThere: (text) => text === whole,
    add(text) {
      ownFile.isThere(text);
      return whole;
    },
  };
}

const entriesIn = (form: SettingsForm): Pick<HookFile, 'isThere' | 'remove'> => ({
  isThere: (text) => Object.keys(ourHooks(text, form)).length > 0,
  remove: (text) => removeHooks(text, form),
});

const ownFile: Pick<HookFile, 'isThere' | 'remove'> = {
  isThere(text) {
    if (text.trim() !== '' && versionsIn(text).length === 0) throw new TypeError('it is not from Tandem');
    return text.trim() !== '';
  },
  remove: () => undefined,
};

/** Settings may have the events in another order. */
function sorted(entries: object): string {
  return JSON.stringify(Object.entries(entries).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
