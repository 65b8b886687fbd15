import { once } from 'node:events';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Logger } from '@tandem/core';
import type { RawData, WebSocket } from 'ws';
import { awakeLimit } from './awakeLimit.js';
import { formatBytes, type Sizes, type Timing } from './limits.js';
import type { CarrierReceiver, MessageCarrier } from './messageCarrier.js';
import { rpcCode, rpcErrorBody } from './rpcError.js';
import { readWireMessage } from './wireMessage.js';

/** Close codes of RFC 6455 that we send. */
export const closeCode = {
  normal: 1000,
  goingAway: 1001,
  unsupportedData: 1003,
  policyViolation: 1008,
  tryAgainLater: 1013,
} as const;

const binaryFrame = 'MCP messages are text frames, not binary ones';

export interface WebSocketCarrierOptions {
  readonly socket: WebSocket;
  readonly timing: Pick<Timing, 'closeLimitMs'>;
  readonly sizes: Pick<Sizes, 'frameOutBytes' | 'unreadBytes'>;
  readonly logger: Logger;
  /** The client violated the protocol: close the connection with this code and reason. */
  onBreach(code: number, reason: string): void;
}

/** The MCP messages of one session over a WebSocket, each in one text frame. */
export class WebSocketCarrier implements MessageCarrier {
  readonly #options: WebSocketCarrierOptions;

  constructor(options: WebSocketCarrierOptions) {
    this.#options = options;
  }

  async open(receiver: CarrierReceiver): Promise<void> {
    const { socket } = this.#options;
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.#options.onBreach(closeCode.unsupportedData, binaryFrame);
      else this.#read(data, receiver);
    });
    socket.once('close', () => receiver.closed());
  }

  send(message: JSONRPCMessage, answers: string | undefined): Promise<void> {
    const { sizes, logger } = this.#options;
    const { text, bytes, fits } = fitFrame(message, answers, sizes.frameOutBytes);
    if (!fits) {
      const what = 'method' in message ? `notification ${message.method}` : `answer to ${answers}`;
      logger.warn(`A message is too large for one frame and was not sent: ${what}.`, {
        bytes,
        limit: sizes.frameOutBytes,
      });
    }
    return text === undefined ? Promise.resolve() : this.#write(text);
  }

  async close(): Promise<void> {
    this.closeWith(closeCode.normal, '');
  }

  /** Waits for the peer until the close limit. Idempotent. */
  closeWith(code: number, reason: string): void {
    closeSocket(this.#options.socket, code, reason, this.#options.timing.closeLimitMs);
  }

  /** Whether the peer answers a ping frame in time. A closed connection, which is reported elsewhere, counts as an answer. */
  async answersPing(timeoutMs: number): Promise<boolean> {
    const { socket } = this.#options;
    if (socket.readyState !== socket.OPEN) return true;
    const limit = awakeLimit(timeoutMs);
    try {
      socket.ping();
      await once(socket, 'pong', { signal: limit.signal });
      return true;
    } catch {
      return !limit.signal.aborted;
    } finally {
      limit.dispose();
    }
  }

  terminate(): void {
    this.#options.socket.terminate();
  }

  /** Resolves when the socket accepted the bytes, or is closed. */
  #write(text: string): Promise<void> {
    const { socket } = this.#options;
    if (socket.readyState !== socket.OPEN) return Promise.resolve();
    const { logger, sizes } = this.#options;
    // Unread bytes stay in our memory. Checked before sending, so that a single large answer is allowed.
    if (socket.bufferedAmount > sizes.unreadBytes) {
      logger.warn('A client does not read what it is sent; its connection is dropped.', {
        unread: socket.bufferedAmount,
      });
      socket.terminate();
      return Promise.resolve();
    }
    return new Promise((resolve) => socket.send(text, () => resolve()));
  }

  #read(data: RawData, receiver: CarrierReceiver): void {
    let value: unknown;
    try {
      value = JSON.parse(data.toString());
    } catch {
      void this.#write(rpcErrorBody(rpcCode.parseError, 'Parse error: the frame is not valid JSON.'));
      return;
    }
    if (Array.isArray(value)) {
      void this.#write(rpcErrorBody(rpcCode.invalidRequest, 'Invalid request: send one message per frame.'));
      return;
    }
    const read = readWireMessage(value);
    if (read.kind === 'message') receiver.receive(read.message);
    else if (read.wantsAnswer) {
      const text = 'Invalid request: the frame is not a JSON-RPC 2.0 message.';
      void this.#write(rpcErrorBody(rpcCode.invalidRequest, text, read.id));
    }
  }
}

/** Starts the closing handshake; terminates the connection if the peer does not answer in time. */
export function closeSocket(socket: WebSocket, code: number, reason: string, limitMs: number): void {
  if (socket.readyState === socket.CLOSED || socket.readyState === socket.CLOSING) return;
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), limitMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

interface FittedFrame {
  /** Undefined for a dropped notification. */
  readonly text: string | undefined;
  /** Bytes of the original message. */
  readonly bytes: number;
  readonly fits: boolean;
}

/**
 * Serialises a message for one frame of at most `limit` bytes. A larger answer becomes an error, because Claude Code closes
 * the connection above 16 MiB; a larger notification is dropped.
 *
 * @param answers the method of the request that this message answers
 */
export function fitFrame(message: JSONRPCMessage, answers: string | undefined, limit: number): FittedFrame {
  const text = JSON.stringify(message);
  const bytes = Buffer.byteLength(text);
  if (bytes <= limit) return { text, bytes, fits: true };
  if ('method' in message || message.id === undefined) return { text: undefined, bytes, fits: false };
  const explanation = `The answer has ${formatBytes(bytes)}; a message may have at most ${formatBytes(limit)}.`;
  const substitute =
    answers === 'tools/call'
      ? { result: { content: [{ type: 'text', text: explanation }], isError: true } }
      : { error: { code: rpcCode.internalError, message: explanation } };
  return { text: JSON.stringify({ jsonrpc: '2.0', id: message.id, ...substitute }), bytes, fits: false };
}
