import { type ClientOptions, WebSocket } from 'ws';
import type { LoopbackListener } from '../../src/index.js';
import type { RpcMessage } from './httpClient.js';
import { createSignals, type Signals } from './signals.js';

export const tokenHeader = 'X-Test-Authorization';

export interface ConnectOptions extends ClientOptions {
  readonly path?: string;
  readonly protocols?: string[];
  readonly token?: string;
  /** The answer to a ping of the server; none if it returns undefined. Default: an empty result. */
  readonly pingAnswer?: () => object | undefined;
}

/** A small MCP client over a raw WebSocket. */
export class WebSocketClient {
  readonly received: RpcMessage[] = [];
  readonly signals: Signals = createSignals();
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly socket: WebSocket;
  #nextId = 1;

  constructor(listener: Pick<LoopbackListener, 'port'>, options: ConnectOptions) {
    const { path = '/', protocols = ['mcp'], token, pingAnswer = () => ({ result: {} }), ...rest } = options;
    this.socket = new WebSocket(`ws://127.0.0.1:${listener.port}${path}`, protocols, {
      ...rest,
      headers: { ...(token === undefined ? {} : { [tokenHeader]: token }), ...rest.headers },
    });
    this.socket.on('message', (data) => {
      const message = JSON.parse(data.toString()) as RpcMessage;
      if (message.method === 'ping') this.#answer(message, pingAnswer());
      this.received.push(message);
      this.signals.changed();
    });
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      this.socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
  }

  /** Opens the socket, then sends `initialize` and `notifications/initialized`, as every client does. */
  static async connect(
    listener: Pick<LoopbackListener, 'port'>,
    options: ConnectOptions,
    version = '2025-11-25',
  ): Promise<WebSocketClient> {
    const client = await WebSocketClient.open(listener, options);
    await client.initialize(version);
    client.notify('notifications/initialized');
    // A notification has no answer; the answer to a later request shows that it has arrived.
    await client.request('ping');
    return client;
  }

  static async open(
    listener: Pick<LoopbackListener, 'port'>,
    options: ConnectOptions,
  ): Promise<WebSocketClient> {
    const client = new WebSocketClient(listener, options);
    await new Promise((resolve, reject) => client.socket.once('open', resolve).once('error', reject));
    return client;
  }

  #answer({ id }: RpcMessage, answer: object | undefined): void {
    if (answer !== undefined) this.send({ jsonrpc: '2.0', id, ...answer });
  }

  send(value: unknown): void {
    this.socket.send(typeof value === 'string' ? value : JSON.stringify(value));
  }

  notify(method: string, params: unknown = {}): void {
    this.send({ jsonrpc: '2.0', method, params });
  }

  async request(method: string, params: unknown = {}): Promise<RpcMessage> {
    const id = this.#nextId++;
    this.send({ jsonrpc: '2.0', id, method, params });
    return this.next((message) => message.id === id && message.method === undefined);
  }

  initialize(version = '2025-11-25'): Promise<RpcMessage> {
    return this.request('initialize', {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: 'raw-ws-client', version: '9.9.9' },
    });
  }

  call(name: string, args: unknown = {}): Promise<RpcMessage> {
    return this.request('tools/call', { name, arguments: args });
  }

  /** The first message, received now or later, that satisfies `matches`. */
  async next(matches: (message: RpcMessage) => boolean): Promise<RpcMessage> {
    await this.signals.until(() => this.received.some(matches));
    return this.received.find(matches) ?? {};
  }
}
