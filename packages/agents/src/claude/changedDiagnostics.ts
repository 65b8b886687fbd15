import {
  type AgentIdentity,
  type Clock,
  type Diagnostics,
  describeError,
  inTime,
  type Logger,
  type Path,
  type SharingPolicy,
} from '@tandem/core';
import { toFileUri } from './paths.js';
import { encodeDiagnostics } from './wire.js';

/** How long the editor may take over the diagnostics of one file. */
const limitMs = 2000;

/**
 * Tells one session whose diagnostics changed: `diagnostics_changed` (claude-code-ide.md, notification 3), for each
 * file that may be named, one after the other so that an older answer never overtakes a newer one. Claude Code 2.1
 * ignores it; the document's clients do not.
 */
export class ChangedDiagnostics {
  readonly #services: ChangedDiagnosticsServices;
  readonly #changed = new Set<Path>();
  #isTelling = false;

  constructor(services: ChangedDiagnosticsServices) {
    this.#services = services;
  }

  /** Notes files whose diagnostics changed; they are told as soon as the session hears. */
  add(paths: readonly Path[]): void {
    for (const path of paths) this.#changed.add(path);
    void this.tell();
  }

  /** Tells what was noted. Called again when the session begins to hear. */
  async tell(): Promise<void> {
    if (this.#isTelling) return;
    this.#isTelling = true;
    while (this.#services.canHear()) {
      const [path] = this.#changed;
      if (path === undefined) break;
      this.#changed.delete(path);
      await this.#tellOne(path);
    }
    this.#isTelling = false;
  }

  async #tellOne(path: Path): Promise<void> {
    const { diagnostics, policy, agent, platform, clock, logger, canHear, send } = this.#services;
    try {
      const found = await inTime(clock, limitMs, diagnostics.get(path));
      if (!(await policy.verdict(agent, path)).isShared || !canHear()) return;
      const all = found.flatMap((file) => file.diagnostics);
      send(encodeDiagnostics(toFileUri(path, platform), all));
    } catch (error) {
      logger.warn('changed diagnostics were not told', { error: describeError(error) });
    }
  }
}

export interface ChangedDiagnosticsServices {
  readonly diagnostics: Diagnostics;
  readonly policy: SharingPolicy;
  readonly agent: AgentIdentity;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly canHear: () => boolean;
  readonly send: (params: Readonly<Record<string, unknown>>) => void;
}
