import { lookup } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import { DaemonError } from './daemonError.js';

/**
 * The origins to try for a daemon's URL, in order: addresses of this machine only. A path or a query breaks the SDK and is
 * dropped. `localhost` is resolved here and replaced by its addresses, so that it cannot resolve to another machine between
 * this check and a request.
 *
 * @throws DaemonError `not_loopback`
 */
export async function resolveDaemonUrl(baseUrl: string, resolve = lookupAll): Promise<readonly string[]> {
  const url = validateDaemonBaseUrl(baseUrl);
  if (url.hostname !== 'localhost') return [url.origin];
  const addresses = await resolve('localhost').catch((cause: unknown) => {
    throw refusal('localhost cannot be looked up', cause);
  });
  const elsewhere = addresses.find((address) => !isLoopbackAddress(address));
  if (elsewhere !== undefined) throw refusal(`localhost is ${elsewhere} on this machine`);
  if (addresses.length === 0) throw refusal('localhost has no address');
  return addresses.map((address) => {
    const host = isIPv4(address) ? address : `[${address}]`;
    return new URL(`${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`).origin;
  });
}

/**
 * A daemon's URL, if it is on this machine: `127.0.0.1` in any spelling, `[::1]` or `localhost`, by http or https, without
 * user and password.
 *
 * @throws DaemonError `not_loopback`, without the address's user and password
 */
export function validateDaemonBaseUrl(baseUrl: string): URL {
  if (!URL.canParse(baseUrl)) throw refusal('it is not a URL');
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refusal(`its protocol is ${url.protocol}`);
  if (url.username !== '' || url.password !== '') {
    throw refusal('it contains a user name or a password; enter the token separately');
  }
  // The parser normalises 127.1, 2130706433, 0x7f000001 and capitals.
  const host = url.hostname.replace(/\.$/, '');
  const isLoopback = host === 'localhost' || host === '[::1]' || (isIPv4(host) && isLoopbackAddress(host));
  if (!isLoopback) throw refusal(`${url.hostname || 'its host'} is not this machine`);
  url.hostname = host;
  return url;
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}

async function lookupAll(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true });
  return [...new Set(found.map(({ address }) => address))];
}

function refusal(reason: string, cause?: unknown): DaemonError {
  const message = `The daemon's address is refused: ${reason}. Use http://127.0.0.1:PORT, as "qwen serve" prints it. For a daemon on another machine, forward its port.`;
  return new DaemonError('not_loopback', message, cause === undefined ? undefined : { cause });
}
