import * as z from 'zod';
import {
  connectionHeader,
  hostProof,
  hostProofPath,
  liveProtocol,
  liveTokenPrefix,
  PageError,
  type PageEvent,
  type PageMethod,
  type PageParams,
  type PageResult,
  pageEvent,
  pageFailureCode,
  pageMethods,
} from '../wire/index.js';
import { Listeners } from './listeners.js';
import type { ConnectionState, PageHost } from './pageHost.js';

/** The host says that it lives every 15 s; two of those may be late. */
const silenceLimitMs = 40_000;
const firstRetryMs = 250;
const longestRetryMs = 5_000;
/** A host that accepts connections and says nothing, such as one that was stopped, is given up and tried again. */
const proofLimitMs = 5_000;

const proofAnswer = z.object({ proofs: z.array(z.string()).max(8) });
const answer = z.union([
  z.object({ result: z.unknown() }),
  z.object({ error: z.object({ code: pageFailureCode.catch('internal'), message: z.string() }) }),
]);

/** What opens the host. */
export interface HttpHostOptions {
  /** Those that may, as they are now. */
  readonly secrets: () => readonly string[];
  /** The host gave this page a token of its own. */
  readonly keepToken: (token: string) => void;
}

/** The page's server: requests by POST, events by one WebSocket that is opened again whenever it breaks. */
export class HttpHost implements PageHost {
  readonly #options: HttpHostOptions;
  /** The one that the host that answers here knows. */
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
  /** Whether the host that answers here knows a secret of ours; asked anew for each connection. */
  #proving: Promise<HostVerdict> | undefined;

  constructor(options: HttpHostOptions) {
    this.#options = options;
  }

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
    // A laptop that wakes up need not wait for the next attempt.
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

  async request<M extends PageMethod>(method: M, params: PageParams<M>): Promise<PageResult<M>> {
    const response = await this.#post(method, params);
    const parsed = answer.safeParse(await readJson(response));
    if (!parsed.success) {
      throw new PageError('internal', `The companion answered "${method}" in an unexpected format.`);
    }
    if ('error' in parsed.data) {
      const { code, message } = parsed.data.error;
      if (code === 'unauthorized') this.#become('refused');
      throw new PageError(code, message);
    }
    // The schema that parses is the one that belongs to this method.
    return pageMethods[method].result.parse(parsed.data.result) as PageResult<M>;
  }

  async #post(method: PageMethod, params: unknown): Promise<Response> {
    if ((await this.#proof()) !== 'ours') throw unreachable();
    try {
      return await fetch(`/api/${method}`, {
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
    this.#expectWord();
    socket.addEventListener('message', (message) => this.#receive(message.data));
    socket.addEventListener('close', () => this.#onClose(socket));
  }

  /** Asks once for each connection who is there. */
  #proof(): Promise<HostVerdict> {
    this.#proving ??= this.#askForProof();
    return this.#proving;
  }

  async #askForProof(): Promise<HostVerdict> {
    const found = await findKnownSecret(this.#options.secrets());
    if (typeof found === 'string') return found;
    this.#secret = found.secret;
    return 'ours';
  }

  #receive(data: unknown): void {
    this.#expectWord();
    const event = pageEvent.safeParse(parseJson(data));
    // A newer host may tell of things that this page does not know.
    if (!event.success) return;
    if (event.data.event === 'hello') {
      this.#connectionId = event.data.connection;
      this.#secret = event.data.token;
      this.#options.keepToken(event.data.token);
      this.#retryMs = firstRetryMs;
      this.#events.tell(event.data);
      this.#become('open');
      return;
    }
    this.#events.tell(event.data);
  }

  /** A connection that says nothing for long is none: a tunnel that broke does not close it. */
  #expectWord(): void {
    window.clearTimeout(this.#silenceTimer);
    this.#silenceTimer = window.setTimeout(() => {
      const socket = this.#socket;
      socket?.close();
      if (socket !== undefined) this.#onClose(socket);
    }, silenceLimitMs);
  }

  #onClose(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    window.clearTimeout(this.#silenceTimer);
    if (!this.#isClosed) this.#onLost();
  }

  /**
   * Tries again after a while, also where a stranger has the port: they may let it go. Whoever answers here next must
   * prove again who they are.
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
    this.#connections.tell(state);
  }
}

/** `ours`: it knows one of our secrets. `stranger`: it knows none. `silent`: nobody answers. */
type HostVerdict = 'ours' | 'stranger' | 'silent';

const fetchOptions = { cache: 'no-store', credentials: 'omit', redirect: 'error' } as const;

/** The first of the secrets that the host knows, or why there is none. */
async function findKnownSecret(
  secrets: readonly string[],
): Promise<{ readonly secret: string } | 'stranger' | 'silent'> {
  const nonce = crypto.randomUUID() + crypto.randomUUID();
  const limit = AbortSignal.timeout(proofLimitMs);
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

function unreachable(cause?: unknown): PageError {
  return new PageError('unreachable', 'The companion cannot be reached.', { cause });
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
