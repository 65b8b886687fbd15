import { WebSocket } from 'ws';
import type { AgentEndpoint, RpcMessage } from './rpc.js';
import { createSignals } from './signals.js';

/** An MCP client that sends what Claude Code 2.1.332 sends. */
export class ClaudeClient {
  readonly socket: WebSocket;
  readonly #signals = createSignals();
  /** Notifications in order of arrival. */
  readonly notifications: RpcMessage[] = [];
  readonly #answers = new Map<number | string, RpcMessage>();
  /** All received data as text. */
  received = '';
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  #nextId = 0;
  #pings = 0;

  private constructor(url: string, token: string | undefined, protocols: string[]) {
    this.socket = new WebSocket(url, protocols, {
      headers: {
        'User-Agent': 'claude-code/2.1.332 (cli)',
        ...(token !== undefined && { 'X-Claude-Code-Ide-Authorization': token }),
      },
    });
    this.socket.on('message', (data) => this.#hear(String(data)));
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) =>
      this.socket.once('close', (code, reason) => {
        resolve({ code, reason: String(reason) });
        this.#signals.changed();
      }),
    );
  }

  /** Opens the socket and sends nothing. Rejects if the upgrade is refused. */
  static async open(
    url: string,
    token: string | undefined,
    protocols: string[] = ['mcp'],
  ): Promise<ClaudeClient> {
    const client = new ClaudeClient(url, token, protocols);
    await new Promise((resolve, reject) => client.socket.once('open', resolve).once('error', reject));
    return client;
  }

  /** Connects in the CLI's order: initialize with id 0, initialized, ide_connected, tools/list. */
  static async connect(endpoint: AgentEndpoint): Promise<ClaudeClient> {
    const client = await ClaudeClient.open(endpoint.url, endpoint.token ?? '');
    await client.initialize();
    client.notify('notifications/initialized');
    client.notify('ide_connected', { pid: 54321 });
    await client.request('tools/list');
    return client;
  }

  initialize(protocolVersion = '2025-11-25'): Promise<RpcMessage> {
    return this.request('initialize', {
      protocolVersion,
      capabilities: { roots: { listChanged: true }, elicitation: {}, extensions: {} },
      clientInfo: { name: 'claude-code', version: '2.1.332' },
    });
  }

  notify(method: string, params: unknown = {}): void {
    this.#send({ jsonrpc: '2.0', method, params });
  }

  /** Sends a request without waiting; `answer(id)` waits. */
  begin(method: string, params?: unknown): number {
    const id = this.#nextId++;
    this.#send({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) });
    return id;
  }

  request(method: string, params?: unknown): Promise<RpcMessage> {
    return this.answer(this.begin(method, params));
  }

  call(name: string, args?: unknown): Promise<RpcMessage> {
    return this.answer(this.beginCall(name, args));
  }

  beginCall(name: string, args?: unknown): number {
    const progressToken = this.#nextId;
    return this.begin('tools/call', { name, arguments: args, _meta: { progressToken } });
  }

  /** As at a permission prompt: the CLI sends the same path twice. */
  beginOpenDiff(path: string, contents: string, tabName = `✻ [Claude Code] ${path} (a1b2c3) ⧉`): number {
    return this.beginCall('openDiff', {
      old_file_path: path,
      new_file_path: path,
      new_file_contents: contents,
      tab_name: tabName,
    });
  }

  async answer(id: number): Promise<RpcMessage> {
    await this.#signals.until(() => this.#answers.has(id));
    return this.#answers.get(id) ?? {};
  }

  hasAnswer(id: number): boolean {
    return this.#answers.has(id);
  }

  /** Removes the oldest notification with this method from `notifications`, or waits for one. */
  async next(method: string): Promise<RpcMessage> {
    const find = (): number => this.notifications.findIndex((message) => message.method === method);
    await this.#signals.until(() => find() >= 0);
    const [message] = this.notifications.splice(find(), 1);
    return message ?? {};
  }

  /** Resolves when this number of pings was answered. */
  pinged(times: number): Promise<void> {
    return this.#signals.until(() => this.#pings >= times);
  }

  async close(): Promise<void> {
    this.socket.close(1000);
    await this.closed;
  }

  #hear(text: string): void {
    this.received += `${text}\n`;
    const message: RpcMessage = JSON.parse(text);
    if (message.method === 'ping') {
      this.#pings += 1;
      this.#send({ jsonrpc: '2.0', id: message.id, result: {} });
    } else if (message.method !== undefined) this.notifications.push(message);
    else if (message.id !== undefined && message.id !== null) this.#answers.set(message.id, message);
    this.#signals.changed();
  }

  #send(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }
}
