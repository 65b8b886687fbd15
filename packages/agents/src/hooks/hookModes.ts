import type { HookMode } from '@tandem/reviews';
import type { AgentSession } from '../agentProtocol.js';
import { remember } from './remember.js';

/** Which edits wait, for each session whose hooks have called. */
export class HookModes {
  /** How the sessions were started, by our ids, and what the user chose since. */
  readonly #modes = new Map<string, HookMode>();
  readonly #chosen = new Map<string, HookMode>();
  /** How the processes were started, of which the session is perhaps not known yet. */
  readonly #started = new Map<number, HookMode>();

  /** A hook of the session has called. Returns its mode. */
  called(session: string, pid: number, mode: HookMode): HookMode {
    remember(this.#modes, session, mode);
    remember(this.#started, pid, mode);
    return this.#chosen.get(session) ?? mode;
  }

  /** Whether a hook of the session has called. */
  has(session: string): boolean {
    return this.#modes.has(session);
  }

  /** Undefined if no hook of the session or of its process has called. */
  of({ id, pid }: Pick<AgentSession, 'id' | 'pid'>): HookMode | undefined {
    return (
      this.#chosen.get(id) ?? this.#modes.get(id) ?? (pid === undefined ? undefined : this.#started.get(pid))
    );
  }

  /** Changes the mode of a session for as long as it runs. */
  choose(session: string, mode: HookMode): void {
    remember(this.#chosen, session, mode);
  }

  delete(session: string): void {
    for (const known of [this.#modes, this.#chosen]) known.delete(session);
  }
}
