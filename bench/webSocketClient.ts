import { WebSocket } from 'ws';

/** A client that sends text and waits for the next text frame that answers it. */
export class WebSocketClient {
  readonly #socket: WebSocket;
  readonly #hearNews: (text: string) => void;
  #nextId = 1;
  #waiting: { resolve(text: string): void; reject(error: Error): void } | undefined;

  private constructor(socket: WebSocket, hear: (text: string) => void) {
    this.#socket = socket;
    this.#hearNews = hear;
    socket.on('message', (data) => this.#hear(data.toString()));
    socket.on('close', (code) => this.#waiting?.reject(new Error(`The WebSocket was closed with ${code}.`)));
  }

  /** `hear` gets every notification. */
  static async connect(
    port: number,
    token?: string,
    hear: (text: string) => void = () => {},
    path = '/',
  ): Promise<WebSocketClient> {
    const headers = token === undefined ? {} : { 'x-claude-code-ide-authorization': token };
    const protocols = token === undefined ? [] : ['mcp'];
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, { headers });
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return new WebSocketClient(socket, hear);
  }

  /** `initialize` and `notifications/initialized`. */
  async initialize(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1.0.0' };
    await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  }

  /** A request, and the text that answers it. */
  ask(method: string, params: Readonly<Record<string, unknown>>): Promise<string> {
    return this.exchange(this.prepare(method, params));
  }

  /** A request as it goes over the wire, put together before anything is measured. */
  prepare(method: string, params: Readonly<Record<string, unknown>>): string {
    return JSON.stringify({ jsonrpc: '2.0', id: this.#nextId++, method, params });
  }

  /** Sends a text and gives the next one that comes. */
  exchange(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.send(text);
    });
  }

  close(): void {
    this.#socket.terminate();
  }

  #hear(text: string): void {
    // The companion asks too; only pings, which it wants answered.
    if (text.includes('"method":"ping"')) {
      const { id } = JSON.parse(text);
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
      return;
    }
    if (text.includes('"method":')) {
      this.#hearNews(text);
      return;
    }
    this.#waiting?.resolve(text);
    this.#waiting = undefined;
  }
}
