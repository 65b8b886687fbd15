import type { IncomingHttpHeaders } from 'node:http';

/**
 * The names under which a program on this machine, or in a container on it, may call us. Anything else in
 * `Host` is a web page that rebound its own name to 127.0.0.1.
 */
const allowedHosts = ['127.0.0.1', 'localhost', '[::1]', 'host.docker.internal'];

/**
 * Why a request must be refused with 403 before anything else about it is looked at, or undefined when it may
 * go on. No agent CLI sends `Origin`; a browser always does, so any value of it is refused.
 */
export function findForeignOrigin(headers: IncomingHttpHeaders, port: number): string | undefined {
  if (headers.origin !== undefined) {
    return 'Requests from web pages are refused: this endpoint is for programs, which send no Origin header.';
  }
  const host = headers.host?.trim().toLowerCase();
  if (host !== undefined && allowedHosts.some((name) => host === `${name}:${port}`)) return undefined;
  return `The Host header must be one of ${allowedHosts.map((name) => `${name}:${port}`).join(', ')}.`;
}

/** The path of a request target in origin form, without its query. */
export function pathOf(target: string | undefined): string {
  return (target ?? '').split('?', 1)[0] ?? '';
}
