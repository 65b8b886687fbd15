import type { DaemonProblemKind } from '../model/chatModel.js';

/** A failure of a daemon. The message is for the user and contains no token: what failed, with what, what to do. */
export class DaemonError extends Error {
  override readonly name = 'DaemonError';

  constructor(
    readonly kind: DaemonProblemKind,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }

  /** A retry is useless until the user changes a setting, a token or a folder. */
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
