import { Listeners } from '@tandem/chat-panel/primitives';
import { type Caller, createCaller, hasCode, RpcError } from '@tandem/rpc';
import * as z from 'zod';
import {
  connectionHeader,
  hostProof,
  hostProofPath,
  liveProtocol,
  liveTokenPrefix,
  type PageContract,
  type PageEvent,
  type PageMethod,
  pageContract,
  pageEvent,
} from '../wire/index.js';
import type { ConnectionState, PageHost } from './pageStore.js';

/** The host sends `alive` every 15 s; two of those may be late. */
const silenceLimitMs = 40_000;
const firstRetryMs = 250;
const longestRetryMs = 5_000;
/** Limit for a host that accepts connections and does not answer, such as a stopped process. */
const answerLimitMs = 5_000;

const proofAnswer = z.object({ proofs: z.array(z.string()).max(8) });

/** The secrets of this page. */
export interface HttpHostOptions {
  /** The current secrets of this tab. */
  readonly secrets: () => readonly string[];
  /** Receives the token of this tab. */
  readonly keepToken: (token: string) => void;
}

/** The page's server: calls by POST, events by one WebSocket, which is reopened whenever it breaks. */
export class HttpHost implements PageHost {
  readonly #options: HttpHostOptions;
  /** The secret that the current host knows. */
  #secret = '';
  readonly #events = new Listeners<PageEvent>();
  readonly #connections = new Listeners<ConnectionState>();
  #state: ConnectionState = 'connecting';
  #socket: WebSocket | undefined;
  #connectionId: string | undefined;
  #retryMs = firstRetryMs;
  #retryTimer: number | undefined;
  #silenceTimer: number | undefined;
  #isClosed = false;
  /** Whether the host knows a secret of ours; checked for each connection. */
  #proving: Promise<HostVerdict> | undefined;

  constructor(options: HttpHostOptions) {
    this.#options = options;
  }

  readonly request: Caller<PageContract> = async (method, params) => {
    try {
      return await this.#call(method, params);
    } catch (error) {
      if (hasCode(error, 'unauthorized')) this.#become('refused');
      throw error;
    }
  };

  readonly #call = createCaller(pageContract, (method, params) => this.#post(method, params));

  get connection(): ConnectionState {
    return this.#state;
  }

  onEvent(listener: (event: PageEvent) => void): () => void {
    return this.#events.add(listener);
  }

  onConnection(listener: (state: ConnectionState) => void): () => void {
    return this.#connections.add(listener);
  }

  start(): void {
    window.addEventListener('online', () => this.retry());
    // After a laptop wakes up.
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.retry();
    });
    void this.#connect();
  }

  retry(): void {
    if (this.#isClosed || this.#socket !== undefined) return;
    this.#retryMs = firstRetryMs;
    void this.#connect();
  }

  close(): void {
    this.#isClosed = true;
    window.clearTimeout(this.#retryTimer);
    window.clearTimeout(this.#silenceTimer);
    this.#socket?.close();
  }

  async #post(method: PageMethod, params: unknown): Promise<unknown> {
    if ((await this.#proof()) !== 'ours') throw unreachable();
    let response: Response;
    try {
      response = await fetch(`/api/${method}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.#secret}`,
          'content-type': 'application/json',
          ...(this.#connectionId !== undefined && { [connectionHeader]: this.#connectionId }),
        },
        body: JSON.stringify(params),
        ...fetchOptions,
      });
    } catch (cause) {
      throw unreachable(cause);
    }
    return readJson(response);
  }

  async #connect(): Promise<void> {
    window.clearTimeout(this.#retryTimer);
    if (this.#isClosed || this.#socket !== undefined) return;
    const verdict = await this.#proof();
    if (this.#isClosed || this.#socket !== undefined) return;
    if (verdict !== 'ours') return this.#onLost(verdict === 'stranger' ? 'refused' : 'lost');
    const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/live`;
    const socket = new WebSocket(address, [liveProtocol, `${liveTokenPrefix}${this.#secret}`]);
    this.#socket = socket;
    this.#expectEvent(answerLimitMs);
    socket.addEventListener('message', (message) => this.#receive(message.data));
    socket.addEventListener('close', () => this.#onClose(socket));
  }

  #proof(): Promise<HostVerdict> {
    this.#proving ??= this.#requestProof();
    return this.#proving;
  }

  async #requestProof(): Promise<HostVerdict> {
    const found = await findKnownSecret(this.#options.secrets());
    if (typeof found === 'string') return found;
    this.#secret = found.secret;
    return 'ours';
  }

  #receive(data: unknown): void {
    this.#expectEvent();
    const event = pageEvent.safeParse(parseJson(data));
    // A newer host may send events that this page does not know.
    if (!event.success) return;
    if (event.data.event === 'hello') {
      this.#connectionId = event.data.connection;
      this.#secret = event.data.token;
      this.#options.keepToken(event.data.token);
      this.#retryMs = firstRetryMs;
      this.#events.notify(event.data);
      this.#become('open');
      return;
    }
    this.#events.notify(event.data);
  }

  /** Closes a silent connection: a broken tunnel does not close it. */
  #expectEvent(limitMs = silenceLimitMs): void {
    window.clearTimeout(this.#silenceTimer);
    this.#silenceTimer = window.setTimeout(() => {
      const socket = this.#socket;
      socket?.close();
      if (socket !== undefined) this.#onClose(socket);
    }, limitMs);
  }

  #onClose(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    window.clearTimeout(this.#silenceTimer);
    if (!this.#isClosed) this.#onLost();
  }

  /**
   * Reconnects after a delay, also if another program has the port: it may release it. The next host must prove its
   * identity again.
   */
  #onLost(state: 'lost' | 'refused' = 'lost'): void {
    this.#proving = undefined;
    this.#become(state);
    window.clearTimeout(this.#retryTimer);
    this.#retryTimer = window.setTimeout(() => void this.#connect(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs);
  }

  #become(state: ConnectionState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#connections.notify(state);
  }
}

/** `ours`: it knows one of our secrets. `stranger`: it knows none. `silent`: nothing answers. */
type HostVerdict = 'ours' | 'stranger' | 'silent';

const fetchOptions = { cache: 'no-store', credentials: 'omit', redirect: 'error' } as const;

/** The first secret that the host knows, or why there is none. */
async function findKnownSecret(
  secrets: readonly string[],
): Promise<{ readonly secret: string } | 'stranger' | 'silent'> {
  const nonce = crypto.randomUUID() + crypto.randomUUID();
  const limit = AbortSignal.timeout(answerLimitMs);
  let body: unknown;
  try {
    const response = await fetch(`${hostProofPath}?nonce=${nonce}`, { ...fetchOptions, signal: limit });
    body = await readJson(response);
    limit.throwIfAborted();
  } catch {
    return 'silent';
  }
  const answered = proofAnswer.safeParse(body);
  if (!answered.success) return 'stranger';
  const { proofs } = answered.data;
  for (const secret of secrets) if (proofs.includes(await hostProof(secret, nonce))) return { secret };
  return 'stranger';
}

function unreachable(cause?: unknown): RpcError {
  return new RpcError('unreachable', 'The companion cannot be reached.', { cause });
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function parseJson(data: unknown): unknown {
  if (typeof data !== 'string') return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
