import type { IncomingHttpHeaders } from 'node:http';

/**
 * The host names by which programs on this machine, or in its containers, reach us. Another `Host` is a web page that
 * rebound its name to 127.0.0.1.
 */
const allowedHosts = ['127.0.0.1', 'localhost', '[::1]', 'host.docker.internal'];

/**
 * Why a request must be refused with 403 before any other check; undefined if it may continue. Agents never send `Origin`,
 * browsers always do: any value is refused. Without a port, the server listens on a socket.
 */
export function findForeignOrigin(headers: IncomingHttpHeaders, port?: number): string | undefined {
  if (headers.origin !== undefined) {
    return 'Requests from web pages are refused: this endpoint is for programs, which send no Origin header.';
  }
  const host = headers.host?.trim().toLowerCase();
  const allowed = port === undefined ? ['localhost'] : allowedHosts.map((name) => `${name}:${port}`);
  if (host !== undefined && allowed.includes(host)) return undefined;
  return `The Host header must be one of ${allowed.join(', ')}.`;
}

/** The path of a request target in origin form, without its query. */
export function pathOf(target: string | undefined): string {
  return (target ?? '').split('?', 1)[0] ?? '';
}
