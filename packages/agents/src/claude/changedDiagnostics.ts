import { type Diagnostics, describeError, type Logger, type Path, withTimeout } from '@tandem/core';
import { toFileUri } from './paths.js';
import type { ToolContext } from './toolContext.js';
import { encodeDiagnostics } from './wire.js';

/** How long the editor may take to report the diagnostics of one file. */
const limitMs = 2000;

/**
 * Notifies one session of changed diagnostics: `diagnostics_changed` (claude-code-ide.md, notification 3), for each
 * shared file, one after the other, so that an older answer never overtakes a newer one. Claude Code 2.1 ignores it;
 * other clients of the document use it.
 */
export class ChangedDiagnostics {
  readonly #services: ChangedDiagnosticsServices;
  readonly #changed = new Set<Path>();
  #isSending = false;

  constructor(services: ChangedDiagnosticsServices) {
    this.#services = services;
  }

  /** Records files whose diagnostics changed. They are sent when the session can be notified. */
  add(paths: readonly Path[]): void {
    for (const path of paths) this.#changed.add(path);
    void this.send();
  }

  /** Sends the recorded changes. The session calls it again when it can be notified. */
  async send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#services.isReady()) {
      const [path] = this.#changed;
      if (path === undefined) break;
      this.#changed.delete(path);
      await this.#sendOne(path);
    }
    this.#isSending = false;
  }

  async #sendOne(path: Path): Promise<void> {
    const { diagnostics, policy, agent, platform, clock, logger, isReady, send } = this.#services;
    try {
      const found = await withTimeout(clock, limitMs, diagnostics.get(path));
      if (!(await policy.verdict(agent, path)).isShared || !isReady()) return;
      const all = found.flatMap((file) => file.diagnostics);
      send(encodeDiagnostics(toFileUri(path, platform), all));
    } catch (error) {
      logger.warn('changed diagnostics were not sent', { error: describeError(error) });
    }
  }
}

interface ChangedDiagnosticsServices extends Pick<ToolContext, 'policy' | 'agent' | 'platform' | 'clock'> {
  readonly diagnostics: Diagnostics;
  readonly logger: Logger;
  /** Whether the session can be notified. */
  readonly isReady: () => boolean;
  readonly send: (params: Readonly<Record<string, unknown>>) => void;
}
