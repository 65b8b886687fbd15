import { WebSocket } from 'ws';

/** A client that sends text and waits for the next text frame that answers it. */
export class WebSocketClient {
  readonly #socket: WebSocket;
  readonly #onNotification: (text: string) => void;
  #nextId = 1;
  #waiting: { resolve(text: string): void; reject(error: Error): void } | undefined;

  private constructor(socket: WebSocket, onNotification: (text: string) => void) {
    this.#socket = socket;
    this.#onNotification = onNotification;
    socket.on('message', (data) => this.#onText(data.toString()));
    socket.on('close', (code) => this.#waiting?.reject(new Error(`The WebSocket was closed with ${code}.`)));
  }

  /** `onNotification` receives every notification. */
  static async connect(
    port: number,
    token?: string,
    onNotification: (text: string) => void = () => {},
    path = '/',
  ): Promise<WebSocketClient> {
    const headers = token === undefined ? {} : { 'x-claude-code-ide-authorization': token };
    const protocols = token === undefined ? [] : ['mcp'];
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, { headers });
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return new WebSocketClient(socket, onNotification);
  }

  /** `initialize` and `notifications/initialized`. */
  async initialize(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1.0.0' };
    await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  }

  /** Sends a request and returns the text of its answer. */
  ask(method: string, params: Readonly<Record<string, unknown>>): Promise<string> {
    return this.exchange(this.prepare(method, params));
  }

  /** The text of a request, prepared before the measurement. */
  prepare(method: string, params: Readonly<Record<string, unknown>>): string {
    return JSON.stringify({ jsonrpc: '2.0', id: this.#nextId++, method, params });
  }

  /** Sends a text and returns the next one that arrives. */
  exchange(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.send(text);
    });
  }

  close(): void {
    this.#socket.terminate();
  }

  #onText(text: string): void {
    // The companion sends requests, too: only pings, which need an answer.
    if (text.includes('"method":"ping"')) {
      const { id } = JSON.parse(text);
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
      return;
    }
    if (text.includes('"method":')) {
      this.#onNotification(text);
      return;
    }
    this.#waiting?.resolve(text);
    this.#waiting = undefined;
  }
}
