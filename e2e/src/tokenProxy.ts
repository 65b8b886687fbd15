import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy for clients that cannot send a token. The creator closes it. */
export interface TokenProxy {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Forwards to the companion, adding the bearer token. Headers that name the proxy are rewritten to those of a native
 * client: `Host` names the companion, and there is no `Origin`, because the companion refuses any. Foreign hosts and
 * origins pass unchanged, because the companion must refuse them.
 */
export async function startTokenProxy(target: string, token: string): Promise<TokenProxy> {
  const to = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const own = incoming.socket.localPort;
    const onward = request(
      {
        host: to.hostname,
        port: to.port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...rewrite(incoming.headers, own, to.host), authorization: `Bearer ${token}` },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        // Send the headers at once: an event stream must open before its first event.
        outgoing.flushHeaders();
        answer.pipe(outgoing);
      },
    );
    onward.on('error', (error) => outgoing.destroy(error));
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${to.pathname}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function rewrite(
  headers: IncomingHttpHeaders,
  port: number | undefined,
  target: string,
): IncomingHttpHeaders {
  const isOwn = (host: string | undefined): boolean =>
    host === `127.0.0.1:${port}` || host === `localhost:${port}` || host === `[::1]:${port}`;
  const { host, origin, ...others } = headers;
  return {
    ...others,
    host: isOwn(host) ? target : host,
    ...(origin === undefined || isOwn(origin.replace('http://', '')) ? {} : { origin }),
  };
}
