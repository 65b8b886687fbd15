import { agentIds, descriptorOf } from '../agents/agents.js';
import { installCommand } from './programs.js';
import type { Finding } from './report.js';

/**
 * How the user fixes a finding in the window of an editor that runs the companion itself, where the `tandem` command
 * may not be installed.
 */
export type WindowCure =
  /** The window removes the stale files. */
  | { readonly kind: 'remove' }
  /** The companion of the window restarts, which rewrites its files. */
  | { readonly kind: 'restart' }
  /** The user starts the agent in a terminal of the window, which names its companion. */
  | { readonly kind: 'start-agent'; readonly agent: string }
  /** A new terminal of the window has the right variables. */
  | { readonly kind: 'new-terminal' }
  | { readonly kind: 'resume-sharing' }
  /** The settings say which agents are served. */
  | { readonly kind: 'settings' }
  /** The user types it in the agent or in a terminal; it uses our command only if that is installed, or installs it. */
  | { readonly kind: 'type'; readonly command: string; readonly place: Finding['fix']['place'] };

/** The cure of a finding in such a window. `command`: how the user runs `tandem`, if it is installed. Pure. */
export function windowCure(finding: Finding, command?: string): WindowCure {
  const { id, agent, fix } = finding;
  switch (id) {
    case 'stale-file':
      return { kind: 'remove' };
    case 'sharing-paused':
      return { kind: 'resume-sharing' };
    case 'not-served':
      return { kind: 'settings' };
    case 'by-hand':
    case 'stale-variable':
      return { kind: 'new-terminal' };
    case 'earlier-hook':
    case 'missing-hook': {
      // The hook runs the command.
      const install = command === undefined ? `${installCommand} && ` : '';
      return { kind: 'type', command: `${install}${fix.command}`, place: 'shell' };
    }
    case 'two-companions':
    case 'old-file':
      return agent === undefined ? { kind: 'restart' } : { kind: 'start-agent', agent };
    case 'ide-mode-off': {
      const known = agentIds.find((each) => each === agent);
      const connect = known && descriptorOf(known).connect;
      if (connect === undefined) break;
      return { kind: 'type', command: connect, place: 'agent' };
    }
    default:
  }
  // The other commands of ours start, stop or follow a companion; here that is the window's own.
  if (isOurs(fix.command)) return { kind: 'restart' };
  return { kind: 'type', command: fix.command, place: fix.place };
}

/** Whether a shell command calls `tandem`, under the name that the doctor received. */
function isOurs(command: string): boolean {
  return /(^|[\s;&|("'])tandem(\s|$)/.test(command);
}
