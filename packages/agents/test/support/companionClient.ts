import type { AgentEndpoint, RpcMessage } from './rpc.js';
import { createSignals } from './signals.js';

/** How one of the CLIs identifies itself, as measured. */
export interface CliManner {
  readonly protocolVersion: string;
  readonly clientInfo: { readonly name: string; readonly version: string };
}

/** Gemini CLI 0.61.0. */
export const geminiManner: CliManner = {
  protocolVersion: '2025-06-18',
  clientInfo: { name: 'streamable-http-client', version: '0.61.0' },
};

/** Qwen Code 0.24.4 and 0.15.10. */
export const qwenManner: CliManner = {
  protocolVersion: '2025-11-25',
  clientInfo: { name: 'streamable-http-client', version: '1.0.0' },
};

/** An MCP client that sends what Gemini CLI and Qwen Code send, without an SDK. */
export class CompanionClient {
  readonly url: string;
  readonly #token: string;
  readonly #manner: CliManner;
  readonly #signals = createSignals();
  /** Notifications of all streams in order of arrival. */
  readonly notifications: RpcMessage[] = [];
  /** All received data as text: answers, streams, comments. */
  received = '';
  sessionId: string | undefined;
  #nextId = 0;
  #stream: AbortController | undefined;

  constructor(endpoint: AgentEndpoint, manner: CliManner) {
    this.url = endpoint.url;
    this.#token = endpoint.token ?? '';
    this.#manner = manner;
  }

  /** Connects in the CLI's order: initialize, initialized, then the GET stream beside tools/list. */
  static async connect(endpoint: AgentEndpoint, manner: CliManner): Promise<CompanionClient> {
    const client = new CompanionClient(endpoint, manner);
    await client.initialize();
    await client.initialized();
    await Promise.all([client.openStream(), client.request('tools/list')]);
    return client;
  }

  async initialize(): Promise<RpcMessage> {
    const { protocolVersion, clientInfo } = this.#manner;
    return this.request('initialize', { protocolVersion, capabilities: {}, clientInfo });
  }

  initialized(): Promise<number> {
    return this.notify('notifications/initialized');
  }

  /** Resolves to the HTTP status. */
  async notify(method: string, params?: unknown): Promise<number> {
    const response = await this.#post({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) });
    await this.#read(response);
    return response.status;
  }

  async request(method: string, params: unknown = {}, signal?: AbortSignal): Promise<RpcMessage> {
    const id = this.#nextId++;
    const response = await this.#post({ jsonrpc: '2.0', id, method, params }, signal);
    this.sessionId ??= response.headers.get('mcp-session-id') ?? undefined;
    const text = await this.#read(response);
    const messages = text.startsWith('{') ? [JSON.parse(text)] : parseEvents(text);
    const answer = messages.find((message) => message.id === id);
    if (answer === undefined) throw new Error(`${method}: no answer, status ${response.status}`);
    return answer;
  }

  call(name: string, args: unknown, signal?: AbortSignal): Promise<RpcMessage> {
    return this.request('tools/call', { name, arguments: args }, signal);
  }

  openDiff(filePath: string, newContent: string): Promise<RpcMessage> {
    return this.call('openDiff', { filePath, newContent });
  }

  /** As the CLI does after a decision in the terminal. */
  closeDiff(filePath: string): Promise<RpcMessage> {
    return this.call('closeDiff', { filePath, suppressNotification: true });
  }

  /** Opens the GET stream. Resolves when its headers arrive. */
  async openStream(): Promise<Response> {
    const stream = new AbortController();
    this.#stream = stream;
    const response = await fetch(this.url, {
      headers: this.#headers({ accept: 'text/event-stream' }),
      signal: stream.signal,
    });
    if (response.ok) void this.#follow(response);
    return response;
  }

  /** Breaks the stream without a DELETE, as a CLI does when it ends. */
  hangUp(): void {
    this.#stream?.abort();
  }

  /** Ends the session immediately; after a broken stream, a client may return. */
  async end(): Promise<void> {
    this.hangUp();
    await fetch(this.url, { method: 'DELETE', headers: this.#headers({}) }).catch(() => undefined);
  }

  /** Resolves when the predicate is true; checked whenever data arrives on the stream. */
  until(check: () => boolean): Promise<void> {
    return this.#signals.until(check);
  }

  /** Removes the oldest notification with this method from `notifications`, or waits for one. */
  async next(method: string): Promise<RpcMessage> {
    const find = (): number => this.notifications.findIndex((message) => message.method === method);
    await this.#signals.until(() => find() >= 0);
    const [message] = this.notifications.splice(find(), 1);
    return message ?? {};
  }

  async #follow(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    let pending = '';
    try {
      for await (const chunk of response.body ?? []) {
        const text = decoder.decode(chunk, { stream: true });
        this.received += text;
        this.#signals.changed();
        pending += text;
        // Searching a large event again at each chunk would take seconds.
        if (!text.includes('\n\n') && !text.startsWith('\n')) continue;
        const events = pending.split('\n\n');
        pending = events.pop() ?? '';
        this.notifications.push(...events.flatMap(parseEvents));
        this.#signals.changed();
      }
    } catch {
      // The test distinguishes whether we or the server broke it.
    }
  }

  async #read(response: Response): Promise<string> {
    const text = await response.text();
    this.received += text;
    return text;
  }

  #post(message: unknown, signal?: AbortSignal): Promise<Response> {
    return fetch(this.url, {
      method: 'POST',
      headers: this.#headers({
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      }),
      body: JSON.stringify(message),
      ...(signal && { signal }),
    });
  }

  #headers(more: Record<string, string>): Record<string, string> {
    return {
      authorization: `Bearer ${this.#token}`,
      ...(this.sessionId !== undefined && {
        'mcp-session-id': this.sessionId,
        'mcp-protocol-version': this.#manner.protocolVersion,
      }),
      ...more,
    };
  }
}

function parseEvents(text: string): RpcMessage[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)));
}
