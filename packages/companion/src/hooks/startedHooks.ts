import { fileURLToPath } from 'node:url';
import { type InstalledHook, isRecord } from '@tandem/agents';
import type { Path } from '@tandem/core';
import { hookFiles, versionsIn } from './hookCommands.js';

/** What a hook of ours starts that was added for good. */
export interface StartedHook {
  readonly program: Path;
  /** The Node.js that runs it, if it does not run in the agent's process. */
  readonly node?: Path;
  /** Whether an earlier version of Tandem has written the entry, in another form. */
  readonly isEarlier: boolean;
}

/** The hooks of ours in a file of an agent: settings in JSON, or a plugin. */
export function startedHooks(text: string): readonly StartedHook[] {
  const strings = text.match(/"(?:[^"\\\n]|\\.)*"/g) ?? [];
  return strings.flatMap((quoted) => startedBy(parse(quoted)) ?? []);
}

/** The hooks of ours in settings, with their places. */
export function installedHooks(settings: unknown): readonly InstalledHook[] {
  const hooks = isRecord(settings) && isRecord(settings.hooks) ? settings.hooks : {};
  return Object.entries(hooks).flatMap(([event, groups]) =>
    recordsIn(groups).flatMap(({ matcher, hooks: list }, group) =>
      recordsIn(list).flatMap(({ command, timeout }, at) =>
        typeof command === 'string' && typeof timeout === 'number' && hookFiles(command) !== undefined
          ? {
              event,
              command,
              timeout,
              place: [group, at] as const,
              ...(typeof matcher === 'string' && { matcher }),
            }
          : [],
      ),
    ),
  );
}

function recordsIn(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.map((each) => (isRecord(each) ? each : {})) : [];
}

function startedBy(word: string): StartedHook | undefined {
  if (word.startsWith('file:') && versionsIn(word).length > 0)
    return { program: fileURLToPath(word), isEarlier: false };
  const files = hookFiles(word);
  return files && { program: files.script, node: files.node, isEarlier: files.isEarlier };
}

function parse(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return '';
  }
}
