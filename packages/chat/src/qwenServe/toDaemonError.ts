import { DaemonHttpError } from '@qwen-code/sdk/daemon';
import { messageOf } from '@tandem/core';
import { DaemonError } from './daemonError.js';

/** Any error as a `DaemonError`. `what` completes "The daemon could not": "open a session". */
export function toDaemonError(error: unknown, what: string, origin: string): DaemonError {
  if (error instanceof DaemonError) return error;
  const cause = { cause: error };
  if (!(error instanceof DaemonHttpError)) {
    if (isRedirect(error)) {
      const message = `The program at ${origin} redirects, which a daemon never does. Correct the address.`;
      return new DaemonError('incompatible', message, cause);
    }
    if (isNetworkError(error)) {
      const message = `No daemon answers at ${origin}: ${networkCode(error)}. Start one with "qwen serve", or correct the address.`;
      return new DaemonError('unreachable', message, cause);
    }
    const message = `The daemon at ${origin} could not ${what}: ${messageOf(error)}`;
    return new DaemonError('request_failed', message, cause);
  }
  return fromHttp(error, what, origin);
}

function fromHttp(error: DaemonHttpError, what: string, origin: string): DaemonError {
  const cause = { cause: error };
  const body = isRecord(error.body) ? error.body : {};
  const data = isRecord(body.data) ? body.data : {};
  const code = textOf(body.code);
  if (error.status === 401) {
    const message = `The daemon at ${origin} does not accept the token. Use the token that it was started with.`;
    return new DaemonError('unauthorized', message, cause);
  }
  if (error.status === 403 && /host header/i.test(textOf(body.error))) {
    const message = `The daemon at ${origin} refuses calls to this address: a forwarded port must have the same number as the daemon's.`;
    return new DaemonError('incompatible', message, cause);
  }
  if (code === 'workspace_mismatch') {
    const bound = textOf(body.boundWorkspace);
    const wanted = textOf(body.requestedWorkspace);
    const message = `The daemon at ${origin} works in ${bound}, not in ${wanted}. Open that folder, or start a daemon for this one.`;
    return new DaemonError('workspace_mismatch', message, cause);
  }
  if (Array.isArray(data.authMethods) || Array.isArray(body.authMethods)) {
    const message = `The daemon at ${origin} has no model provider. Run "qwen" in a terminal, sign in with /auth, and connect again.`;
    return new DaemonError('no_auth_configured', message, cause);
  }
  if (error.status === 404 && (code === 'session_not_found' || /session/i.test(textOf(body.error)))) {
    const message = `The daemon at ${origin} no longer has this chat.`;
    return new DaemonError('session_not_found', message, cause);
  }
  if (error.status === 404) {
    const message = `The program at ${origin} is not a daemon, or it is too old. Use Qwen Code 0.24 or later.`;
    return new DaemonError('incompatible', message, cause);
  }
  const reason = textOf(data.details) || textOf(body.error) || `status ${error.status}`;
  return new DaemonError('request_failed', `The daemon at ${origin} could not ${what}: ${reason}`, cause);
}

/** Whether the daemon could not be reached, so that a retry may succeed. */
export function isNetworkError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TimeoutError') return true;
  if (isRedirect(error)) return false;
  return error instanceof TypeError && /fetch failed|terminated|network/i.test(error.message);
}

function isRedirect(error: unknown): boolean {
  return error instanceof TypeError && error.cause instanceof Error && /redirect/i.test(error.cause.message);
}

function networkCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (isRecord(cause) && typeof cause.code === 'string') return cause.code;
  if (cause instanceof Error && cause.message !== '') return cause.message;
  return error instanceof Error ? error.message : 'no answer';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 500) : '';
}
