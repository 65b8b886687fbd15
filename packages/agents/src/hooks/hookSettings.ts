import { isRecord } from '../agentDiagnosis.js';

/**
 * What is added to the settings of an agent's CLI: for each event the groups of hooks. Claude Code introduced this form; its forks
 * and Gemini CLI have it, too.
 */
export type HookEntries = Readonly<Record<string, readonly object[]>>;

type Settings = Readonly<Record<string, unknown>>;

/** The settings with these entries, too, after those that are there. @throws TypeError if they have another form */
export function addHooks(settings: unknown, entries: HookEntries): Settings {
  const events = eventsIn(settings);
  const added = Object.entries(entries).map(([event, groups]) => [
    event,
    [...groupsIn(events, event), ...groups],
  ]);
  return { ...recordOf(settings, 'it'), hooks: { ...events, ...Object.fromEntries(added) } };
}

/** The settings without our commands, and without what held only them. @throws TypeError if they have another form */
export function removeHooks(settings: unknown, isOurs: (command: string) => boolean): Settings {
  const { hooks: _hooks, ...rest } = recordOf(settings, 'it');
  const events = eventsIn(settings);
  const left = Object.keys(events).flatMap((event) => {
    const before = groupsIn(events, event);
    const after = before.flatMap((group) => withoutOurs(group, isOurs));
    const isEmptied = after.length === 0 && before.length > 0;
    return isEmptied ? [] : [[event, after] as const];
  });
  const isEmptied = left.length === 0 && Object.keys(events).length > 0;
  return _hooks === undefined || isEmptied
    ? rest
    : { ...recordOf(settings, 'it'), hooks: Object.fromEntries(left) };
}

/** All commands in the settings, also those of other programs. @throws TypeError if the settings have another form */
export function hookCommands(settings: unknown): readonly string[] {
  const events = eventsIn(settings);
  return Object.keys(events).flatMap((event) => groupsIn(events, event).flatMap(hooksIn).flatMap(commandsOf));
}

function withoutOurs(group: unknown, isOurs: (command: string) => boolean): readonly unknown[] {
  const hooks = hooksIn(group);
  const kept = hooks.filter((hook) => !commandsOf(hook).some(isOurs));
  if (kept.length === hooks.length) return [group];
  return isRecord(group) && kept.length > 0 ? [{ ...group, hooks: kept }] : [];
}

function eventsIn(settings: unknown): Settings {
  return recordOf(recordOf(settings, 'it').hooks ?? {}, '"hooks"');
}

function groupsIn(events: Settings, event: string): readonly unknown[] {
  const groups = events[event] ?? [];
  if (Array.isArray(groups)) return groups;
  throw new TypeError(`"${event}" in "hooks" is not a list`);
}

function hooksIn(group: unknown): readonly unknown[] {
  return isRecord(group) && Array.isArray(group.hooks) ? group.hooks : [];
}

function commandsOf(hook: unknown): readonly string[] {
  return isRecord(hook) && typeof hook.command === 'string' ? [hook.command] : [];
}

function recordOf(value: unknown, name: string): Settings {
  if (isRecord(value)) return value;
  throw new TypeError(`${name} is not a JSON object`);
}
