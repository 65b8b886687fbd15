import type * as z from 'zod';

/**
 * What one agent protocol serves on the listener: a token that tells it apart, and a factory that is called
 * once for each client that initializes. The transport owns sockets, sessions and framing; the endpoint owns
 * tools and notifications.
 */
export interface McpEndpoint {
  /** Short lower-case name of the protocol, for logs and the recorder. */
  readonly name: string;
  /** The secret that clients of this protocol present. Compared in constant time, never logged. */
  readonly token: string;
  /** What `initialize` answers as `serverInfo`. */
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** Called once per session, after `initialize` was received and before it is answered. Must not throw. */
  onSession(session: McpSession): McpSessionHandler;
}

/** One connected client, as the transport shows it to the endpoint. The transport creates and closes it. */
export interface McpSession {
  /** Unique for the life of the companion. Over HTTP it is the `mcp-session-id`; it is not a secret by itself. */
  readonly id: string;
  /** What the client said about itself in `initialize`. */
  readonly client: { readonly name: string; readonly version: string };
  /** The protocol version that was negotiated, such as `2025-06-18`. */
  readonly protocolVersion: string;
  /**
   * Sends a notification. Resolves to `true` when the socket took it (back-pressure honoured), and to `false` when
   * there was no stream to send it on: a notification is never queued for a client that cannot hear, and
   * `onStreamOpen` says when it hears again. Never rejects.
   */
  notify(method: string, params: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** Ends the session from our side. Idempotent; `onClosed` follows. */
  close(): Promise<void>;
}

/** The endpoint's side of one session. Every member is called by the transport, none concurrently with itself. */
export interface McpSessionHandler {
  /** What `tools/list` answers and `tools/call` runs, in this order. Fixed for the session's life. */
  readonly tools: readonly McpTool[];
  /**
   * The client can hear notifications from now on: over HTTP each time its GET stream opens, over WebSocket
   * once, after `notifications/initialized`.
   */
  onStreamOpen?(): void;
  /** The client's GET stream has closed. It opens another one, or is gone, which `onClosed` says a while later. */
  onStreamClose?(): void;
  /** The answer to a request with this method was handed to the socket. */
  onAnswered?(method: string): void;
  /** A notification of the client that the MCP layer itself does not handle. `params` is unvalidated. */
  onNotification?(method: string, params: unknown): void;
  /** The session is over, whatever ended it. Called exactly once. */
  onClosed(reason: SessionEnd): void;
}

/** Why a session ended. */
export type SessionEnd =
  | 'deleted' // The client said so with DELETE, or closed its WebSocket in order.
  | 'disconnected' // Its stream or socket went away and did not come back in time.
  | 'idle' // It never opened a stream and was silent for too long.
  | 'unresponsive' // It did not answer a ping.
  | 'closed'; // Our side ended it.

/** One MCP tool. `input` is the only validation: `run` sees parsed arguments. */
export interface McpTool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /**
   * Runs the call. A thrown `ToolError` becomes a result with `isError` and its message; anything else thrown is our fault and becomes
   * a JSON-RPC error -32603 that carries no detail.
   */
  run(input: Input, context: McpToolCall): Promise<McpToolResult> | McpToolResult;
}

/** One call of a tool. */
export interface McpToolCall {
  /** Aborts when the client cancels the request or the session ends. */
  readonly signal: AbortSignal;
  /** Has `listener` called once the result was handed to the socket; never when the session ends before. */
  whenSent(listener: () => void): void;
}

/** What a tool answers: text blocks in order. */
export interface McpToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly isError?: boolean;
}

/** A failure that the agent is told about: says what failed and what to do, holds no token and no file content. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/**
 * Declares a tool with its argument type inferred from its schema.
 *
 * The cast only forgets the argument type, so that tools of different arguments fit one list; the transport
 * parses with `input` before it calls `run`.
 */
export function defineTool<Input>(tool: McpTool<Input>): McpTool {
  return tool as McpTool;
}
