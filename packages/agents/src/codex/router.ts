import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Peer } from './peer.js';
import { discoveryOf, failure, nearnessIn, success, type WireMessage, type WireRequest } from './wire.js';

/** Limits in milliseconds. Codex CLI 0.169 waits 5 s for the whole answer. */
const discoveryLimitMs = 500;
const answerLimitMs = 4_000;
export const maxPeers = 256;
const maxUnanswered = 32;

/** The owner's side of the socket: passes messages on between its clients, of which some are other programs. */
export class Router {
  readonly #peers = new Set<Peer>();

  accept(socket: Socket): void {
    if (this.#peers.size >= maxPeers) return void socket.destroy();
    const peer: Peer = new Peer(socket, (message) => this.#route(message, peer), maxUnanswered);
    this.#peers.add(peer);
    socket.once('close', () => this.#peers.delete(peer));
  }

  close(): void {
    for (const peer of this.#peers) peer.close();
  }

  #route(message: WireMessage, from: Peer): Promise<void> | undefined {
    if (message.type === 'broadcast') {
      for (const peer of this.#others(from, message.targetClientIds)) peer.send(message);
    } else if (message.type === 'request' && message.method === 'initialize') {
      const clientId = from.clientId ?? randomUUID();
      from.register(clientId);
      from.send(success(message, clientId, { clientId }));
    } else if (message.type === 'request') {
      return this.#answer(message, from).then((answer) => from.send(answer));
    }
    return undefined;
  }

  /** The answer of the companion with the innermost folder, of several the one used last, or of another program that can answer. */
  async #answer(request: WireRequest, from: Peer): Promise<object> {
    const { requestId, targetClientId } = request;
    const asked = this.#others(from, targetClientId && [targetClientId]).map(async (peer) => {
      const nearness = nearnessIn(await peer.ask(discoveryOf(request), discoveryLimitMs));
      return nearness === undefined ? [] : [{ peer, ...nearness }];
    });
    const [best] = (await Promise.all(asked))
      .flat()
      .toSorted((one, other) => other.folderDepth - one.folderDepth || other.usedAt - one.usedAt);
    if (best === undefined) return failure(request, 'no-client-found');
    const answer = await best.peer.ask(request, answerLimitMs);
    return answer === undefined ? failure(request, 'request-timeout') : { ...answer, requestId };
  }

  #others(from: Peer, ids: readonly string[] | '' | null | undefined): Peer[] {
    return [...this.#peers].filter(
      (peer) => peer !== from && peer.clientId !== undefined && (!ids || ids.includes(peer.clientId)),
    );
  }
}
