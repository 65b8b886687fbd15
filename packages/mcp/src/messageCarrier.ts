import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';

/**
 * How messages of one session travel: an HTTP session or a WebSocket. The MCP layer above knows no more about
 * the wire than this. Whoever creates a carrier closes it.
 */
export interface MessageCarrier {
  /** From now on incoming messages go to `receive`, and the end of the wire to `closed`. Called once. */
  open(receiver: CarrierReceiver): Promise<void>;
  /**
   * Sends one message; resolves when the socket took it, or when there is nobody to take it.
   *
   * @param answers the method of the request that this message answers, undefined for what answers none
   */
  send(message: JSONRPCMessage, answers: string | undefined): Promise<void>;
  /** The client gave up on this request: no answer to it will come. */
  cancelled?(request: RequestId): void;
  /** Ends the wire. `closed` follows, once. */
  close(): Promise<void>;
}

/** What a carrier reports to the MCP layer. */
export interface CarrierReceiver {
  receive(message: JSONRPCMessage): void;
  closed(): void;
  failed(error: Error): void;
}
