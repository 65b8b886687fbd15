import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Changes } from '../../e2e/src/changes.js';
import { parseJson, pickText } from '../../e2e/src/json.js';

/** Receives the result of each contract test from the extension host. The creator closes it. */
export class ContractReport {
  readonly #changes = new Changes();
  /** The error by name of the test; empty if it passed. */
  readonly #errors = new Map<string, string>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ContractReport> {
    const server = createServer();
    const report = new ContractReport(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.once('end', () => {
        report.#hear(parseJson(Buffer.concat(chunks).toString('utf8')));
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return report;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resolves if a test passed; rejects with its error if it failed. */
  async passed(name: string): Promise<void> {
    const error = await this.#changes.until(() => this.#errors.get(name), {
      what: `the extension host to run "${name}"`,
      timeout: 60_000,
      evidence: () => `so far it ran: ${[...this.#errors.keys()].join(', ')}`,
    });
    if (error !== '') throw new Error(`in the extension host: ${error}`);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  #hear(result: unknown): void {
    const [name, error] = [pickText(result, 'name'), pickText(result, 'error')];
    if (name === 'start') this.#changes.fail(new Error(`the contract could not be started: ${error}`));
    this.#errors.set(name, error);
    this.#changes.notify();
  }
}
