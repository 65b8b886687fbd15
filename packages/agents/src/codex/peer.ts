import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { awakeTimeout, type Disposable } from '@tandem/core';
import { encodeFrame, FrameReader, type WireAnswer, type WireMessage, wireMessage } from './wire.js';

/** How long a peer may take to send a frame and, until it has initialized, to end. In milliseconds. */
export const frameLimitMs = 10_000;
/** How much may be unread by a peer, in bytes, and how many of its requests unanswered. Then it is disconnected. */
const maxUnreadBytes = 4 * 1024 * 1024;
const maxUnanswered = 32;

/** One connection to the socket: of a CLI or another companion that connected to us, or of ours to the router. */
export class Peer {
  #clientId: string | undefined;
  readonly #socket: Socket;
  readonly #reader: FrameReader;
  readonly #pending = new Map<string, (answer: WireAnswer | undefined) => void>();
  #limit: Disposable | undefined;
  #unanswered = 0;

  constructor(
    socket: Socket,
    on: {
      /** Whether it is the router, which may send large frames that concern others. */
      readonly isRouter: boolean;
      /** Answers a request, and handles any other message. */
      readonly message: (message: WireMessage, from: Peer) => Promise<void> | undefined;
      readonly closed: (peer: Peer) => void;
    },
  ) {
    this.#socket = socket;
    this.#reader = new FrameReader(on.isRouter);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#limit?.dispose();
      for (const settle of this.#pending.values()) settle(undefined);
      on.closed(this);
    });
    socket.on('data', (chunk) => {
      try {
        for (const value of this.#reader.read(chunk)) this.#receive(wireMessage.parse(value), on.message);
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

  #receive(
    message: WireMessage,
    handle: (message: WireMessage, from: Peer) => Promise<void> | undefined,
  ): void {
    if (message.type === 'response' || message.type === 'client-discovery-response') {
      this.#pending.get(message.requestId)?.(message);
      return;
    }
    const handling = handle(message, this);
    if (handling === undefined) return;
    this.#unanswered += 1;
    if (this.#unanswered > maxUnanswered) this.close();
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
