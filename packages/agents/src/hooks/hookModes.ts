import { createHash } from 'node:crypto';
import { isAlive } from '@tandem/mcp';
import type { HookMode } from '@tandem/reviews';
import type { AgentSession } from '../agentProtocol.js';
import { remember } from './remember.js';
import type { ChosenMode } from './servedHooks.js';

type Session = Pick<AgentSession, 'id' | 'pid'>;

/** Which edits wait, for each session whose hooks have called. */
export class HookModes {
  /** How the sessions were started, by our ids. */
  readonly #modes = new Map<string, HookMode>();
  /** How the processes were started, of which the session is perhaps not known yet. */
  readonly #started = new Map<number, HookMode>();
  /** What the user has chosen since, by our ids of the sessions. */
  readonly #chosen = new Map<string, ChosenMode>();
  /** What the user chose in a companion that has ended, by processes that had a connection: they connect with another id. */
  readonly #chosenBefore = new Map<number, HookMode>();

  /** A hook of the session has called. `pid`: its process; `mode`: how it was started. Returns its mode. */
  called(id: string, pid: number, mode: HookMode): HookMode {
    remember(this.#modes, id, mode);
    remember(this.#started, pid, mode);
    const before = this.#chosenBefore.get(pid);
    if (before !== undefined && !this.#chosen.has(id)) this.choose({ id, pid }, before);
    return this.#chosen.get(id)?.mode ?? mode;
  }

  /** Whether a hook of the session has called. */
  has(id: string): boolean {
    return this.#modes.has(id);
  }

  /** Undefined if no hook of the session or of its process has called. */
  of({ id, pid = 0 }: Session): HookMode | undefined {
    return (
      this.#chosen.get(id)?.mode ??
      this.#chosenBefore.get(pid) ??
      this.#modes.get(id) ??
      this.#started.get(pid)
    );
  }

  /** Changes the mode of a session for as long as it runs. */
  choose({ id, pid }: Session, mode: HookMode): void {
    remember(this.#chosen, id, { session: id, mode, ...(pid !== undefined && { pid }) });
  }

  /** What the user has chosen. */
  get chosen(): readonly ChosenMode[] {
    return [...this.#chosen.values()];
  }

  /** Takes over what the user chose in a companion that has ended. */
  restore(chosen: readonly ChosenMode[]): void {
    for (const { session, pid, mode } of chosen) {
      if (pid === undefined || !isAlive(pid)) continue;
      this.choose({ id: session, pid }, mode);
      if (!isHookedId(session)) this.#chosenBefore.set(pid, mode);
    }
  }

  /** The session has ended. */
  delete(id: string): void {
    this.#modes.delete(id);
    this.#chosen.delete(id);
  }
}

/** The end of our ids of sessions that are known only by their hooks. */
const hookedEnd = '-hooks';

/**
 * Our id of a session that is known only by its hooks. Unique also among agents: theirs are random. Users name a session by the
 * beginning of its id, and some agents begin theirs with the time.
 */
export function hookedId(native: string): string {
  return createHash('sha256').update(native).digest('hex').slice(0, 32) + hookedEnd;
}

function isHookedId(id: string): boolean {
  return id.endsWith(hookedEnd);
}
