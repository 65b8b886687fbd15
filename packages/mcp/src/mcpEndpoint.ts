import type { IncomingHttpHeaders } from 'node:http';
import type * as z from 'zod';
import type { Connection } from './peerProgram.js';

/** What one agent protocol serves. This package owns sockets, sessions and framing; the service owns tools and notifications. */
export interface McpService {
  /** Short lower-case name of the protocol, for logs and the recorder. */
  readonly name: string;
  /** What `initialize` answers as `serverInfo`. */
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** Called once per session, between the arrival of `initialize` and its answer. Must not throw. */
  onSession(session: McpSession): McpSessionHandler;
}

/** A service with clients of its own. */
export interface McpEndpoint extends McpService {
  /** The secret that clients of this protocol present. Compared in constant time, never logged. */
  readonly token: string;
  /**
   * The id of the session of the client with these headers, for an agent that connects several times over HTTP. A new
   * connection then replaces the earlier one with the same id. Without it, each connection is a session.
   */
  sessionIdOf?(headers: IncomingHttpHeaders): string | undefined;
}

/** One connected client, for the endpoint. */
export interface McpSession {
  /** Unique in this companion. Over HTTP it is the `mcp-session-id`; it is no secret. */
  readonly id: string;
  /** As the client named itself in `initialize`. */
  readonly client: { readonly name: string; readonly version: string };
  /** The negotiated version, such as `2025-06-18`. */
  readonly protocolVersion: string;
  /**
   * Sends a notification. Resolves to `true` when the socket accepted it, and to `false` if there is no stream: notifications
   * are never queued; `onStreamOpen` reports the next stream. Never rejects.
   */
  notify(method: string, params: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** The connection that carries notifications, while there is one. */
  stream(): Connection | undefined;
  /** Ends the session. Idempotent; then `onClosed` is called. */
  close(): Promise<void>;
}

/** The endpoint's side of one session. No member is called concurrently with itself. */
export interface McpSessionHandler {
  /** For `tools/list`, in this order, and `tools/call`. Does not change during the session. */
  readonly tools: readonly McpTool[];
  /**
   * Notifications can be delivered: over HTTP each time a GET stream opens, over WebSocket once, after
   * `notifications/initialized`.
   */
  onStreamOpen?(): void;
  /** The client's GET stream closed. The client opens another one, or `onClosed` follows. */
  onStreamClose?(): void;
  /** The socket accepted the answer to a request with this method. */
  onAnswered?(method: string): void;
  /** A notification that the MCP layer does not handle. `params` is not validated. */
  onNotification?(method: string, params: unknown): void;
  /** The session has ended. Called exactly once. */
  onClosed(reason: SessionEnd): void;
}

/** Why a session ended. */
export type SessionEnd =
  | 'deleted' // The client sent DELETE, or closed its WebSocket in order.
  | 'disconnected' // Its stream or socket closed and did not return in time.
  | 'idle' // It opened no stream and sent nothing for too long.
  | 'unresponsive' // It did not answer a ping.
  | 'replaced' // Its client has connected again; see `McpEndpoint.sessionIdOf`.
  | 'closed'; // We ended it.

/** One MCP tool. `input` is the only validation: `run` sees parsed arguments. */
export interface McpTool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /**
   * Runs the call. A thrown `ToolError` becomes a result with `isError` and its message; any other error becomes a JSON-RPC
   * error -32603 without detail.
   */
  run(input: Input, context: McpToolCall): Promise<McpToolResult> | McpToolResult;
}

/** One call of a tool. */
export interface McpToolCall {
  /** Aborts when the client cancels the request, or the session ends. */
  readonly signal: AbortSignal;
  /** Calls `listener` once the socket accepted the result, unless the session ends earlier. */
  whenSent(listener: () => void): void;
}

/** What a tool answers: text blocks in order. */
export interface McpToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly isError?: boolean;
}

/** A result of plain text blocks. */
export function textResult(...texts: readonly string[]): McpToolResult {
  return { content: texts.map((text) => ({ type: 'text', text })) };
}

/** A result of one text block with JSON. */
export function jsonResult(value: unknown): McpToolResult {
  return textResult(JSON.stringify(value));
}

/** A failure that the agent receives: what failed and what to do, without tokens and file content. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/**
 * Declares a tool with its argument type inferred from its schema. The cast drops the argument type, so that different tools
 * fit one list; `input` parses the arguments before `run` is called.
 */
export function defineTool<Input>(tool: McpTool<Input>): McpTool {
  return tool as McpTool;
}
