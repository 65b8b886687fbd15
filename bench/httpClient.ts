import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';

/** The address and the token of a server. */
export interface HttpTarget {
  readonly port: number;
  readonly token: string;
}

interface Answer {
  readonly headers: IncomingMessage['headers'];
  readonly chunks: readonly Buffer[];
  /** The first characters of the body. */
  readonly start: string;
  readonly endedAt: number;
}

/**
 * A minimal MCP client over Streamable HTTP, so that mostly the server is measured: one socket stays open, and answers
 * are parsed only where a caller needs them.
 */
export class HttpClient {
  readonly #target: HttpTarget;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #session: string | undefined;
  #stream: ClientRequest | undefined;
  #nextId = 1;

  private constructor(target: HttpTarget) {
    this.#target = target;
  }

  /**
   * Connects as the CLIs do: initialize, initialized, then the stream. `onEvent` receives every event of the stream.
   */
  static async connect(target: HttpTarget, onEvent: (data: string) => void = () => {}): Promise<HttpClient> {
    const client = new HttpClient(target);
    const { headers, text } = await client.#post({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'bench', version: '1.0.0' },
      },
    });
    const session = headers['mcp-session-id'];
    if (typeof session !== 'string') throw new Error(`No session: ${text.slice(0, 200)}`);
    client.#session = session;
    await client.#post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await client.#openStream(onEvent);
    return client;
  }

  /** Calls a tool and returns the raw answer. Rejects if the tool failed. */
  async callTool(name: string, input: Readonly<Record<string, unknown>>): Promise<string> {
    const id = this.#nextId++;
    const params = { name, arguments: input };
    const { text } = await this.#post({ jsonrpc: '2.0', id, method: 'tools/call', params });
    if (!text.includes('"result"') || text.includes('"isError":true')) {
      throw new Error(`${name}: ${text.slice(0, 200)}`);
    }
    return text;
  }

  /** The bytes of a tool call, prepared before the measurement. */
  prepareCall(name: string, input: Readonly<Record<string, unknown>>): Buffer {
    const params = { name, arguments: input };
    return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: this.#nextId++, method: 'tools/call', params }));
  }

  /** The time of such a call to the last byte of its answer, in milliseconds. Rejects if the tool failed. */
  async timeCall(call: Buffer): Promise<number> {
    const startedAt = performance.now();
    const { start, endedAt } = await this.#send(call);
    if (!start.includes('"result"') || start.includes('"isError":true')) throw new Error(start);
    return endedAt - startedAt;
  }

  /** Lists the tools and returns the raw answer. */
  async list(): Promise<string> {
    const { text } = await this.#post({ jsonrpc: '2.0', id: this.#nextId++, method: 'tools/list' });
    return text;
  }

  /** Ends the session, as an agent does that exits. */
  async end(): Promise<void> {
    const { port } = this.#target;
    await new Promise<void>((resolve, reject) => {
      const path = { host: '127.0.0.1', port, path: '/mcp', method: 'DELETE', headers: this.#headers() };
      request(path, (response) => response.resume().once('end', resolve))
        .once('error', reject)
        .end();
    });
  }

  close(): void {
    this.#stream?.destroy();
    this.#agent.destroy();
  }

  async #post(message: unknown): Promise<{ headers: IncomingMessage['headers']; text: string }> {
    const { headers, chunks } = await this.#send(Buffer.from(JSON.stringify(message)));
    return { headers, text: Buffer.concat(chunks).toString('utf8') };
  }

  #send(body: Buffer): Promise<Answer> {
    const headers = { ...this.#headers(), 'content-type': 'application/json', 'content-length': body.length };
    return new Promise((resolve, reject) => {
      const { port } = this.#target;
      const asking = request(
        { host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers, agent: this.#agent },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () => {
            const endedAt = performance.now();
            const start = (chunks[0] ?? Buffer.alloc(0)).toString('utf8', 0, 300);
            resolve({ headers: response.headers, chunks, start, endedAt });
          });
        },
      );
      asking.once('error', reject);
      asking.end(body);
    });
  }

  #openStream(onEvent: (data: string) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const { port } = this.#target;
      const headers = this.#headers();
      this.#stream = request(
        { host: '127.0.0.1', port, path: '/mcp', method: 'GET', headers, agent: false },
        (response) => {
          if (response.statusCode !== 200)
            reject(new Error(`The stream was refused: ${response.statusCode}.`));
          response.setEncoding('utf8');
          response.on('data', onEvent);
          response.on('error', () => {});
          resolve();
        },
      );
      this.#stream.on('error', reject);
      this.#stream.end();
    });
  }

  #headers(): Record<string, string> {
    return {
      authorization: `Bearer ${this.#target.token}`,
      accept: 'application/json, text/event-stream',
      ...(this.#session !== undefined && {
        'mcp-session-id': this.#session,
        'mcp-protocol-version': '2025-06-18',
      }),
    };
  }
}
