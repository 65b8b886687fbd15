import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { awakeTimeout, type Disposable } from '@tandem/core';
import { encodeFrame, FrameReader, type WireAnswer, type WireMessage, wireMessage } from './wire.js';

/** How long a peer may take to send a frame and, until it has initialized, to end. In milliseconds. */
export const frameLimitMs = 10_000;
/** How much may be unread by a peer, in bytes, before it is disconnected. */
const maxUnreadBytes = 4 * 1024 * 1024;

/** One connection to the socket: of a client of our router, or of ours to a router. */
export class Peer {
  #clientId: string | undefined;
  readonly #socket: Socket;
  readonly #reader = new FrameReader();
  readonly #pending = new Map<string, (answer: WireAnswer | undefined) => void>();
  readonly #maxUnanswered: number;
  #limit: Disposable | undefined;
  #unanswered = 0;

  /**
   * @param handle answers a request, and handles any other message that is no answer
   * @param maxUnanswered how many of its requests may be unanswered before it is disconnected
   */
  constructor(
    socket: Socket,
    handle: (message: WireMessage) => Promise<void> | undefined,
    maxUnanswered: number,
  ) {
    this.#socket = socket;
    this.#maxUnanswered = maxUnanswered;
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#limit?.dispose();
      for (const settle of this.#pending.values()) settle(undefined);
    });
    socket.on('data', (chunk) => {
      try {
        for (const value of this.#reader.read(chunk)) this.#receive(wireMessage.parse(value), handle);
      } catch {
        this.close();
      }
      this.#watch();
    });
    this.#watch();
  }

  /** The id under which it is registered. */
  get clientId(): string | undefined {
    return this.#clientId;
  }

  /** From now on the connection lasts. */
  register(clientId: string): void {
    this.#clientId = clientId;
    this.#watch();
  }

  send(message: object): void {
    if (this.#socket.destroyed) return;
    this.#socket.write(encodeFrame(message));
    if (this.#socket.writableLength > maxUnreadBytes) this.close();
  }

  /** Sends a message and resolves to its answer; to nothing if none comes in time. `limitMs` in milliseconds. */
  ask(message: object, limitMs: number): Promise<WireAnswer | undefined> {
    const requestId = randomUUID();
    return new Promise((resolve) => {
      const settle = (answer?: WireAnswer): void => {
        limit.dispose();
        this.#pending.delete(requestId);
        resolve(answer);
      };
      const limit = awakeTimeout(settle, limitMs);
      this.#pending.set(requestId, settle);
      if (this.#socket.destroyed) settle();
      else this.send({ ...message, requestId });
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(message: WireMessage, handle: (message: WireMessage) => Promise<void> | undefined): void {
    if (message.type === 'response' || message.type === 'client-discovery-response') {
      this.#pending.get(message.requestId)?.(message);
      return;
    }
    const handling = handle(message);
    if (handling === undefined) return;
    this.#unanswered += 1;
    if (this.#unanswered > this.#maxUnanswered) this.close();
    void handling
      // What it sent nests too deep to be passed on.
      .catch(() => this.close())
      .finally(() => {
        this.#unanswered -= 1;
      });
  }

  /** A registered peer may be silent, but not within a frame. */
  #watch(): void {
    if (this.#clientId !== undefined && !this.#reader.isWithinFrame) {
      this.#limit?.dispose();
      this.#limit = undefined;
    } else if (!this.#socket.destroyed) {
      this.#limit ??= awakeTimeout(() => this.close(), frameLimitMs);
    }
  }
}
