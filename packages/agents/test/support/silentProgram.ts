import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A program that accepts connections and never answers. It ends with the test. */
export class SilentProgram {
  readonly #sockets: Socket[] = [];
  readonly #server: Server;
  #received = '';

  private constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.push(socket);
      socket.on('error', () => {});
      socket.on('data', (data) => {
        this.#received += data.toString();
      });
    });
  }

  static async ofTest(): Promise<SilentProgram> {
    const program = new SilentProgram();
    await new Promise<void>((resolve) => program.#server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => program.#close());
    return program;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many connections it has accepted. */
  get connections(): number {
    return this.#sockets.length;
  }

  /** All that it was sent. */
  get received(): string {
    return this.#received;
  }

  #close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
