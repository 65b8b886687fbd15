import { join } from 'node:path';
import { isRecord } from '../agentDiagnosis.js';
import type { PermissionHook } from '../agentProtocol.js';
import { claudeHome } from './discovery.js';

/** The tools whose permission question comes with a diff. */
const matcher = 'Edit|Write';
/** In seconds: the user may take hours. */
const timeout = 24 * 60 * 60;

/** The `PermissionRequest` hook of Claude Code 2.1. See PROTOCOL.md. */
export const permissionHook: PermissionHook = {
  settingsFile: (machine) => join(claudeHome(machine), 'settings.json'),
  entry: (command) => ({
    hooks: { PermissionRequest: [{ matcher, hooks: [{ type: 'command', command, timeout }] }] },
  }),
  add: (settings, command) =>
    withGroups(settings, [...groupsIn(settings), ...groupsIn(permissionHook.entry(command))]),
  remove(settings, isOurs) {
    const groups = groupsIn(settings);
    const others = groups.flatMap((group) => {
      const hooks = hooksIn(group);
      const kept = hooks.filter((hook) => !commandsOf(hook).some(isOurs));
      if (kept.length === hooks.length) return [group];
      return isRecord(group) && kept.length > 0 ? [{ ...group, hooks: kept }] : [];
    });
    return withGroups(settings, others);
  },
  commands: (settings) => groupsIn(settings).flatMap(hooksIn).flatMap(commandsOf),
  denial: (text) => ({
    hookSpecificOutput: {
      hookEventName: 'PermissionRequest',
      decision: { behavior: 'deny', message: text },
    },
  }),
};

function groupsIn(settings: unknown): readonly unknown[] {
  const groups = hooksOf(settings).PermissionRequest ?? [];
  if (Array.isArray(groups)) return groups;
  throw new TypeError('"PermissionRequest" in "hooks" is not a list');
}

/** The same settings in the same order; without groups, also without the objects that held only them. */
function withGroups(settings: unknown, groups: readonly unknown[]): Readonly<Record<string, unknown>> {
  const whole = recordOf(settings, 'it');
  const hooks = hooksOf(settings);
  if (groups.length > 0) return { ...whole, hooks: { ...hooks, PermissionRequest: groups } };
  const { PermissionRequest: _removed, ...others } = hooks;
  const { hooks: _hooks, ...rest } = whole;
  return Object.keys(others).length > 0 ? { ...whole, hooks: others } : rest;
}

function hooksOf(settings: unknown): Readonly<Record<string, unknown>> {
  return recordOf(recordOf(settings, 'it').hooks ?? {}, '"hooks"');
}

function hooksIn(group: unknown): readonly unknown[] {
  return isRecord(group) && Array.isArray(group.hooks) ? group.hooks : [];
}

function commandsOf(hook: unknown): readonly string[] {
  return isRecord(hook) && typeof hook.command === 'string' ? [hook.command] : [];
}

function recordOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw new TypeError(`${name} is not a JSON object`);
}
