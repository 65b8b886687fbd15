import { createServer, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/**
 * A proxy to a daemon that the test can interrupt while the daemon keeps running. It records how each request was
 * answered. The test closes it.
 */
export class DaemonLine {
  /** Such as `POST /session 503`. */
  readonly answers: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(target: string, change?: (events: string) => string) {
    const to = new URL(target);
    this.#server = createServer((incoming, outgoing) => {
      const { method = '', url = '' } = incoming;
      const onward = request(
        // The daemon accepts only its own address as Host.
        {
          host: to.hostname,
          port: to.port,
          method,
          path: url,
          headers: { ...incoming.headers, host: to.host },
        },
        (answer) => {
          const status = answer.statusCode ?? 502;
          this.answers.push(`${method} ${url.replace(/\?.*/, '')} ${status}`);
          outgoing.writeHead(status, answer.headers);
          // Send the headers at once: an event stream must open before its first event.
          outgoing.flushHeaders();
          answer.on('error', () => outgoing.destroy());
          if (change !== undefined && answer.headers['content-type']?.includes('text/event-stream')) {
            answer.setEncoding('utf8');
            answer.on('data', (events: string) => outgoing.write(change(events)));
            answer.on('end', () => outgoing.end());
          } else answer.pipe(outgoing);
        },
      );
      onward.on('error', () => outgoing.destroy());
      outgoing.on('close', () => onward.destroy());
      incoming.pipe(onward);
    });
    this.#server.on('connection', (socket) => {
      if (this.#isCut) return socket.destroy();
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** `change` modifies events, one complete event at a time, into ones that no real daemon sends. */
  static async to(target: string, change?: (events: string) => string): Promise<DaemonLine> {
    const line = new DaemonLine(target, change);
    await new Promise<void>((resolve) => line.#server.listen(0, '127.0.0.1', resolve));
    return line;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Breaks all connections and refuses new ones, until `mend()`. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
