import type { Readable, Writable } from 'node:stream';
import {
  type Disposable,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  systemClock,
  withTimeout,
} from '@tandem/core';
import type { RpcAnswer, RpcCode } from '@tandem/rpc';
import * as z from 'zod';
import { FrameReader, type Framing, frame } from './frames.js';

/** The largest message that is read. */
export const maxMessageBytes = 64 * 1024 * 1024;
/** Beyond this many unread bytes or unanswered requests, nothing more is read. */
const busyBytes = 32 * 1024 * 1024;
const busyRequests = 100;
/** The end of a program that is not read is not noticed: one that stays busy for so long is given up. */
const busyLimitMs = 30_000;
/** A program that leaves so much unread does not read any more. */
const maxUnreadBytes = 512 * 1024 * 1024;
/** The other side has this long to answer a request. */
const answerLimitMs = 5_000;

const message = z.object({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z
    .object({
      code: z.number(),
      message: z.string().catch('no message'),
      data: z.object({ code: z.string() }).optional().catch(undefined),
    })
    // Some programs send both members, one of them null.
    .nullish(),
});

type Message = z.infer<typeof message>;
type Id = Message['id'];

const endedMessage = 'The editor has ended.';

/** The other side answered a request with an error. */
export class PeerError extends Error {
  override readonly name = 'PeerError';

  constructor(
    text: string,
    /** `data.code` of the error. */
    readonly code?: string,
  ) {
    super(text);
  }
}

/** The codes of JSON-RPC; every other failure has -32000 and an `RpcCode` in `data`. */
const rpcCodes: Partial<Readonly<Record<RpcCode, number>>> = {
  'unknown-method': -32601,
  'bad-params': -32602,
  internal: -32603,
  unauthorized: -32002,
};

/**
 * JSON-RPC 2.0 over two streams, in the framing of the other side. Requests and notifications that arrive are started in their
 * order. What is sent before `release` waits. The creator disposes it.
 */
export class Connection implements Disposable {
  /** The other side has closed the connection, or does not read. Fires once. */
  readonly onDidEnd: Event<void>;

  readonly #input: Readable;
  readonly #output: Writable;
  readonly #serve: (method: string, params: unknown) => Promise<RpcAnswer>;
  readonly #logger: Logger;
  readonly #didEnd: Emitter<void>;
  readonly #frames: FrameReader;
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  readonly #framing: Framing | undefined;
  readonly #maxUnreadBytes: number;
  readonly #busyLimitMs: number;
  #busy: NodeJS.Timeout | undefined;
  #held: string[] | undefined = [];
  #lastId = 0;
  #running = 0;
  #hasEnded = false;

  constructor(options: {
    readonly input: Readable;
    readonly output: Writable;
    /** Answers a request. Never rejects. */
    readonly serve: (method: string, params: unknown) => Promise<RpcAnswer>;
    readonly logger: Logger;
    /** By default that of the other side. */
    readonly framing?: Framing;
    readonly maxUnreadBytes?: number;
    readonly busyLimitMs?: number;
  }) {
    this.#input = options.input;
    this.#output = options.output;
    this.#serve = options.serve;
    this.#logger = options.logger;
    this.#framing = options.framing;
    this.#maxUnreadBytes = options.maxUnreadBytes ?? maxUnreadBytes;
    this.#busyLimitMs = options.busyLimitMs ?? busyLimitMs;
    this.#didEnd = new Emitter<void>(logListenerError(options.logger, 'the connection'));
    this.onDidEnd = this.#didEnd.event;
    this.#frames = new FrameReader({
      maxBytes: maxMessageBytes,
      onMessage: (json) => this.#receive(json),
      onProblem: ({ code, message }) => this.#fail(code, message),
    });
    const end = (): void => this.#end();
    this.#input.on('data', this.#onData).on('end', end).on('close', end).on('error', end);
    this.#output.on('drain', this.#readOn).on('error', end);
  }

  /** Sends a request. Rejects with `PeerError`, with `TimeoutError`, and when the connection ends. */
  async request(method: string, params: unknown, limitMs = answerLimitMs): Promise<unknown> {
    const id = ++this.#lastId;
    try {
      return await withTimeout(systemClock, limitMs, this.ask(method, params, id));
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** Sends a request whose answer may take any time. */
  ask(method: string, params: unknown, id = ++this.#lastId): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) return reject(new Error(endedMessage));
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  /** Sends what waited. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const json of held) this.#write(json);
  }

  dispose(): void {
    this.#input.off('data', this.#onData).pause();
    this.#output.off('drain', this.#readOn);
    this.#end();
    this.#didEnd.dispose();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#frames.push(chunk);
    if (!this.#isBusy) return;
    this.#input.pause();
    this.#busy ??= setTimeout(() => {
      this.#logger.error('the editor neither reads nor lets requests end');
      this.#end();
    }, this.#busyLimitMs);
  };

  readonly #readOn = (): void => {
    if (this.#hasEnded || this.#isBusy || !this.#input.isPaused()) return;
    clearTimeout(this.#busy);
    this.#busy = undefined;
    this.#input.resume();
  };

  get #isBusy(): boolean {
    return this.#output.writableLength > busyBytes || this.#running >= busyRequests;
  }

  #receive(json: string): void {
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch {
      this.#fail(-32700, 'A message is not valid JSON.');
      return;
    }
    const parsed = message.safeParse(value);
    if (!parsed.success) {
      this.#fail(-32600, 'A message is not a JSON-RPC 2.0 object.');
      return;
    }
    const { id, method, params, result, error } = parsed.data;
    if (method !== undefined) void this.#answer(id, method, params);
    else if (typeof id === 'number') this.#settle(id, result, error);
    // An answer without an id reports that one of our messages was not understood.
    else
      this.#logger.warn('the editor reports an error', {
        error: error?.message ?? 'a message without a method',
      });
  }

  async #answer(id: Id, method: string, params: unknown): Promise<void> {
    this.#running += 1;
    const answer = await this.#serve(method, params ?? {});
    this.#running -= 1;
    this.#readOn();
    if (id === undefined) {
      if ('error' in answer)
        this.#logger.warn('a notification failed', { method, error: answer.error.message });
    } else if ('error' in answer) {
      const { code, message, question } = answer.error;
      const data = { code, ...(question && { question }) };
      this.#write(encode({ id, error: { code: rpcCodes[code] ?? -32000, message, data } }));
    } else this.#write(encode({ id, result: answer.result }));
  }

  #settle(id: number, result: unknown, error: Message['error']): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new PeerError(error.message, error.data?.code));
    else waiting?.resolve(result);
  }

  #fail(code: number, message: string): void {
    this.#logger.warn('a message cannot be read', { error: message });
    this.#write(encode({ id: null, error: { code, message } }));
  }

  #send(message: object): void {
    const json = encode(message);
    if (this.#held === undefined) this.#write(json);
    else this.#held.push(json);
  }

  #write(json: string): void {
    if (this.#hasEnded) return;
    this.#output.write(frame(json, this.#framing ?? this.#frames.framing ?? 'lines'));
    if (this.#output.writableLength <= this.#maxUnreadBytes) return;
    this.#logger.error('the editor does not read what it is sent');
    this.#end();
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#busy);
    for (const { reject } of this.#waiting.values()) reject(new Error(endedMessage));
    this.#waiting.clear();
    this.#didEnd.fire();
  }
}

/** Without lone surrogates, which some parsers refuse. */
function encode(message: object): string {
  const json = JSON.stringify({ jsonrpc: '2.0', ...message });
  if (!json.includes('\\ud')) return json;
  return json.replace(/\\(?:\\|ud[89a-f][0-9a-f]{2})/g, (found) => (found === '\\\\' ? found : '\ufffd'));
}
