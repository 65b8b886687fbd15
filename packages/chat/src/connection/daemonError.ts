import type { DaemonProblemKind } from '../model/chatModel.js';

/**
 * What went wrong with a daemon, in words for a person: what failed, with what, and what to do. Never holds a token. The
 * error behind it is the `cause`.
 */
export class DaemonError extends Error {
  override readonly name = 'DaemonError';

  constructor(
    readonly kind: DaemonProblemKind,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }

  /** Trying again changes nothing: somebody has to change a setting, a token or a folder first. */
  get isSetup(): boolean {
    return setupKinds.has(this.kind);
  }
}

const setupKinds: ReadonlySet<DaemonProblemKind> = new Set([
  'not_loopback',
  'unauthorized',
  'workspace_mismatch',
  'no_auth_configured',
  'incompatible',
]);
