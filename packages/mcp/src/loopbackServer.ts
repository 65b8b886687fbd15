import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Closer, type ConnectionLimit, createCloser, limitConnections } from './serverSockets.js';

/** An HTTP server on 127.0.0.1, or on a socket of this machine, with bounded connections and a bounded end. Its creator ends it with `closing.begin`. */
export class LoopbackServer {
  readonly http: Server;
  readonly connections: ConnectionLimit;
  readonly closing: Closer;

  constructor(options: {
    readonly maxConnections: number;
    /** How long the end waits for clients that do not read, in milliseconds. */
    readonly closeLimitMs: number;
    /** How long an idle connection stays open, in milliseconds. */
    readonly idleConnectionMs?: number;
  }) {
    const { idleConnectionMs: keepAliveTimeout } = options;
    // Otherwise Node itself answers a request without a Host header, before we check anything.
    this.http = createServer({ requireHostHeader: false, ...(keepAliveTimeout && { keepAliveTimeout }) });
    this.connections = limitConnections(this.http, options.maxConnections);
    this.closing = createCloser(this.http, options.closeLimitMs);
  }

  /** Serves upgrade requests. Without this, Node serves them as ordinary requests. */
  onUpgrade(serve: (request: IncomingMessage, socket: Duplex, head: Buffer) => void): void {
    this.http.on('upgrade', (request, socket, head) => {
      this.closing.keep(request.socket);
      serve(request, socket, head);
    });
  }

  /** Listens on a port, or on any if it is 0. Resolves to the port. Rejects if it is not available. */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.http.once('error', reject);
      // Throws if the number is not one of a port.
      this.http.listen(port, '127.0.0.1', () => {
        this.http.off('error', reject);
        resolve();
      });
    });
    const address = this.http.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }
}
