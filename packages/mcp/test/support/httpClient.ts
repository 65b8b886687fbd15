import type { LoopbackListener } from '../../src/index.js';
import { createSignals, type Signals } from './signals.js';

export interface RpcAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON-RPC messages of the body, whether it was JSON or SSE. */
  readonly messages: readonly RpcMessage[];
  /** The first of them, or an empty object. */
  readonly message: RpcMessage;
}

export interface RpcMessage {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A GET stream as a client sees it. */
export interface SseStream {
  readonly status: number;
  readonly events: RpcMessage[];
  readonly comments: string[];
  readonly signals: Signals;
  /** `end` is a graceful end, `error` a broken connection. */
  readonly ended: Promise<'end' | 'error'>;
  /** Breaks the connection from the client's side. */
  abort(): void;
}

/** A small MCP client over raw `fetch`, without the SDK. */
export class HttpClient {
  readonly url: string;
  readonly #token: string;
  sessionId: string | undefined;
  protocolVersion = '2025-06-18';
  #nextId = 1;

  constructor(listener: Pick<LoopbackListener, 'port'>, token: string) {
    this.url = `http://127.0.0.1:${listener.port}/mcp`;
    this.#token = token;
  }

  headers(extra: Record<string, string> = {}): Record<string, string> {
    return {
      authorization: `Bearer ${this.#token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(this.sessionId === undefined ? {} : { 'mcp-session-id': this.sessionId }),
      ...extra,
    };
  }

  async post(
    body: unknown,
    options: { headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<RpcAnswer> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: this.headers(options.headers),
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    return readAnswer(response);
  }

  async send(method: string, headers: Record<string, string> = {}): Promise<RpcAnswer> {
    return readAnswer(await fetch(this.url, { method, headers: this.headers(headers) }));
  }

  async initialize(version = '2025-06-18'): Promise<RpcAnswer> {
    const answer = await this.request('initialize', {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: 'raw-client', version: '9.9.9' },
    });
    this.sessionId = answer.headers.get('mcp-session-id') ?? undefined;
    return answer;
  }

  /** Sends `initialize` and `notifications/initialized`, as every client does. */
  async connect(version?: string): Promise<this> {
    await this.initialize(version);
    await this.notify('notifications/initialized');
    return this;
  }

  request(method: string, params: unknown = {}, signal?: AbortSignal): Promise<RpcAnswer> {
    const body = { jsonrpc: '2.0', id: this.#nextId++, method, params };
    return this.post(body, signal ? { signal } : {});
  }

  notify(method: string, params: unknown = {}): Promise<RpcAnswer> {
    return this.post({ jsonrpc: '2.0', method, params });
  }

  call(name: string, args: unknown = {}, signal?: AbortSignal): Promise<RpcAnswer> {
    return this.request('tools/call', { name, arguments: args }, signal);
  }

  async stream(): Promise<SseStream> {
    const aborting = new AbortController();
    const response = await fetch(this.url, {
      headers: this.headers({ accept: 'text/event-stream' }),
      signal: aborting.signal,
    });
    const stream = {
      status: response.status,
      events: [] as RpcMessage[],
      comments: [] as string[],
      signals: createSignals(),
      abort: () => aborting.abort(),
    };
    return { ...stream, ended: readStream(response, stream) };
  }
}

async function readStream(
  response: Response,
  into: Pick<SseStream, 'events' | 'comments' | 'signals'>,
): Promise<'end' | 'error'> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        if (block.startsWith(':')) into.comments.push(block);
        else into.events.push(...parseEvents(block));
      }
      into.signals.changed();
    }
    return 'end';
  } catch {
    return 'error';
  }
}

async function readAnswer(response: Response): Promise<RpcAnswer> {
  const text = await response.text();
  const isSse = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const messages = isSse ? parseEvents(text) : parseBody(text);
  return { status: response.status, headers: response.headers, text, messages, message: messages[0] ?? {} };
}

function parseEvents(text: string): RpcMessage[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)) as RpcMessage);
}

function parseBody(text: string): RpcMessage[] {
  if (text === '') return [];
  const value = JSON.parse(text) as RpcMessage | RpcMessage[];
  return Array.isArray(value) ? value : [value];
}
