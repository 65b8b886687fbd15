import { agentIds, descriptorOf } from '../agents.js';
import type { Finding } from './report.js';

/**
 * What a person does about a finding in the window of an editor that runs the companion itself, and where the `tandem`
 * command may not be installed.
 */
export type WindowCure =
  /** The window removes the files that nobody is behind. */
  | { readonly kind: 'remove' }
  /** The companion of the window is started anew, and writes its files anew with that. */
  | { readonly kind: 'restart' }
  /** The agent is started in a terminal of the window, which names its companion. */
  | { readonly kind: 'start-agent'; readonly agent: string }
  /** A new terminal of the window has the right variables. */
  | { readonly kind: 'new-terminal' }
  | { readonly kind: 'resume-sharing' }
  /** The settings say which agents are served. */
  | { readonly kind: 'settings' }
  /** Typed in the agent or in a terminal; nothing of ours is in it. */
  | { readonly kind: 'type'; readonly command: string; readonly place: Finding['fix']['place'] };

/** The cure of a finding in such a window. Pure. */
export function windowCure(finding: Finding): WindowCure {
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
    case 'two-companions':
    case 'old-file':
      return agent === undefined ? { kind: 'restart' } : { kind: 'start-agent', agent };
    case 'ide-mode-off': {
      const known = agentIds.find((each) => each === agent);
      if (known === undefined) break;
      return { kind: 'type', command: descriptorOf(known).connect, place: 'agent' };
    }
    default:
  }
  // What is left of ours starts, stops or follows a companion of the command; here that is the window's own.
  if (isOurs(fix.command)) return { kind: 'restart' };
  return { kind: 'type', command: fix.command, place: fix.place };
}

/** Whether a shell command calls `tandem`, as the doctor was told that it is called. */
function isOurs(command: string): boolean {
  return /(^|[\s;&|("'])tandem\s/.test(command);
}
