import type { RequestOptions } from 'node:http';

/** Where a program listens on this machine: a port of 127.0.0.1, a Unix socket, or a named pipe on Windows. */
export type LocalAddress = { readonly port: number } | { readonly socket: string };

/** The options with which Node.js sends an HTTP request there. */
export function requestOptions(
  address: LocalAddress,
): RequestOptions & { readonly headers: { host: string } } {
  return 'port' in address
    ? { host: '127.0.0.1', port: address.port, headers: { host: `127.0.0.1:${address.port}` } }
    : { socketPath: address.socket, headers: { host: 'localhost' } };
}

/** The address in words, such as `port 41234`. */
export function describeAddress(address: LocalAddress): string {
  return 'port' in address ? `port ${address.port}` : `socket ${address.socket}`;
}

/** The URL of a WebSocket there. */
export function webSocketUrl(address: LocalAddress): string {
  return 'port' in address ? `ws://127.0.0.1:${address.port}/` : `ws+unix:${address.socket}:/`;
}
