import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';

/**
 * Transports the messages of one session: over HTTP or a WebSocket. Its creator closes it.
 */
export interface MessageCarrier {
  /** Starts delivery to `receiver`. Called once. */
  open(receiver: CarrierReceiver): Promise<void>;
  /**
   * Sends one message. Resolves when the socket accepted it, or there is none.
   *
   * @param answers the method of the request that this message answers
   */
  send(message: JSONRPCMessage, answers: string | undefined): Promise<void>;
  /** The client cancelled this request: it will not be answered. */
  cancelled?(request: RequestId): void;
  /** Closes the connection; then `closed` is called, once. */
  close(): Promise<void>;
}

export interface CarrierReceiver {
  receive(message: JSONRPCMessage): void;
  closed(): void;
  failed(error: Error): void;
}
