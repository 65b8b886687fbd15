import { createHash } from 'node:crypto';
import type { HookSwitches, HooksOff } from '../agentDiagnosis.js';

/** A hook of Codex CLI, with the matcher of its group. */
export interface Hook {
  readonly matcher?: string;
  readonly command: string;
  readonly timeout: number;
}

/** The name of an event in keys and hashes: `PreToolUse` is `pre_tool_use`. */
export function idOf(event: string): string {
  return event.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase();
}

/** By what the CLI knows a hook again: its canonical JSON. */
export function hashOf(id: string, { matcher, command, timeout }: Hook): string {
  const hook = { async: false, command, timeout, type: 'command' };
  const canonical = { event_name: id, hooks: [hook], ...(matcher !== undefined && { matcher }) };
  return `sha256:${createHash('sha256').update(JSON.stringify(canonical)).digest('hex')}`;
}

/** What turns the hooks off: a setting, or that the user has not trusted each of ours as it is. */
export function codexHooksOff({ texts, installed }: HookSwitches): HooksOff | undefined {
  const lines = texts.flatMap(linesOf);
  if (lines.some((line) => /^features\.hooks\s*=\s*false\b/.test(line)))
    return { cause: 'Its settings contain hooks = false in [features]' };
  const areTrusted = installed.every(({ event, place, ...hook }) => {
    const id = idOf(event);
    // The file may have another path, through a link.
    const name = `hooks.json:${id}:${place.join(':')}".trusted_hash`;
    return lines.some(
      (line) =>
        line.startsWith('hooks.state.') && line.includes(name) && line.endsWith(`"${hashOf(id, hook)}"`),
    );
  });
  return areTrusted
    ? undefined
    : { cause: 'You have not trusted the hooks of Tandem, or they have changed since', command: 'codex' };
}

/** The lines of a file in TOML, each after the name of its table. */
function linesOf(text: string): string[] {
  let table = '';
  return text.split('\n').map((raw) => {
    const line = raw.trim();
    const name = /^\[([^[].*)\]/.exec(line)?.[1];
    if (name !== undefined) table = `${name}.`;
    return table + line;
  });
}
