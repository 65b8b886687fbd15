import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { AgentEndpoint, RpcMessage } from './rpc.js';
import { createSignals } from './signals.js';

/** An MCP client over a Unix socket that sends what Copilot CLI 1.0.102 sends. One process may connect several times. */
export class CopilotClient {
  readonly #endpoint: AgentEndpoint;
  readonly #process: { readonly session: string; readonly pid: number };
  readonly #signals = createSignals();
  readonly #requests = new Set<ClientRequest>();
  /** Notifications in order of arrival. */
  readonly notifications: RpcMessage[] = [];
  /** All received data as text. */
  received = '';
  sessionId: string | undefined;
  #stream: IncomingMessage | undefined;
  #nextId = 0;

  constructor(endpoint: AgentEndpoint, process: Partial<{ session: string; pid: number }> = {}) {
    this.#endpoint = endpoint;
    this.#process = { session: 'a3c1', pid: 54_321, ...process };
  }

  /** Connects in the CLI's order. */
  static async connect(
    endpoint: AgentEndpoint,
    process?: Partial<{ session: string; pid: number }>,
  ): Promise<CopilotClient> {
    const client = new CopilotClient(endpoint, process);
    await client.connect();
    return client;
  }

  async connect(): Promise<void> {
    await this.initialize();
    await this.openStream();
    await this.request('tools/list');
  }

  /** Begins a session without a stream. */
  async initialize(): Promise<void> {
    this.sessionId = undefined;
    await this.post({ jsonrpc: '2.0', id: this.#nextId++, method: 'server/discover', params: {} });
    const { headers } = await this.post({
      jsonrpc: '2.0',
      id: this.#nextId++,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'copilot-cli', version: '1.0.102' },
      },
    });
    this.sessionId = String(headers['mcp-session-id']);
    await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async openStream(): Promise<number> {
    const response = await this.send('GET', { accept: 'text/event-stream' });
    this.#stream = response;
    response.setEncoding('utf8');
    let rest = '';
    response.on('data', (text: string) => {
      this.received += text;
      const events = (rest + text).split('\n\n');
      rest = events.pop() ?? '';
      this.notifications.push(...events.flatMap(messagesIn));
      this.#signals.changed();
    });
    response.on('error', () => {});
    return response.statusCode ?? 0;
  }

  /** Breaks the stream, as a killed process does. */
  breakStream(): void {
    this.#stream?.destroy();
  }

  async disconnect(): Promise<void> {
    (await this.send('DELETE')).resume();
  }

  async request(method: string, params: unknown = {}, signal?: AbortSignal): Promise<RpcMessage> {
    const id = this.#nextId++;
    const { text } = await this.post({ jsonrpc: '2.0', id, method, params }, signal);
    return messagesIn(text).find((message) => message.id === id) ?? {};
  }

  call(name: string, args: unknown = {}, signal?: AbortSignal): Promise<RpcMessage> {
    return this.request('tools/call', { name, arguments: args, _meta: { progressToken: 1 } }, signal);
  }

  openDiff(path: string, content: string, tabName: string, signal?: AbortSignal): Promise<RpcMessage> {
    const args = { original_file_path: path, new_file_contents: content, tab_name: tabName };
    return this.call('open_diff', args, signal);
  }

  /** Removes the oldest notification with this method from `notifications`, or waits for one. */
  async next(method: string): Promise<RpcMessage> {
    const find = (): number => this.notifications.findIndex((message) => message.method === method);
    await this.#signals.until(() => find() >= 0);
    const [message] = this.notifications.splice(find(), 1);
    return message ?? {};
  }

  async post(message: unknown, signal?: AbortSignal) {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const response = await this.send('POST', headers, JSON.stringify(message), signal);
    response.setEncoding('utf8');
    let text = '';
    for await (const chunk of response) text += chunk;
    this.received += text;
    return { status: response.statusCode ?? 0, headers: response.headers, text };
  }

  send(
    method: string,
    headers: Readonly<Record<string, string>> = {},
    body?: string,
    signal?: AbortSignal,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const asking = this.#begin(method, headers, signal);
      asking.once('response', resolve).once('error', reject);
      asking.end(body);
    });
  }

  /** Sends a message without its end. */
  beginPost(text: string): void {
    this.#begin('POST', { 'content-type': 'application/json' })
      .once('error', () => {})
      .write(text);
  }

  /** Breaks all connections, silently. */
  hangUp(): void {
    for (const each of this.#requests) each.destroy();
  }

  #begin(method: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): ClientRequest {
    const asking = request({
      socketPath: this.#endpoint.url,
      method,
      path: '/mcp',
      headers: {
        host: 'localhost',
        authorization: `Nonce ${this.#endpoint.token}`,
        'x-copilot-session-id': this.#process.session,
        'x-copilot-pid': String(this.#process.pid),
        ...(this.sessionId !== undefined && { 'mcp-session-id': this.sessionId }),
        ...headers,
      },
      agent: false,
      ...(signal && { signal }),
    });
    this.#requests.add(asking);
    return asking.once('close', () => this.#requests.delete(asking));
  }
}

function messagesIn(text: string): RpcMessage[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)));
}
