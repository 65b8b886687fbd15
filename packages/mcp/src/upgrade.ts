import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { describeFailure, type Logger } from '@tandem/core';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Sizes, Timing } from './limits.js';
import { McpServer } from './mcpServer.js';
import { isPeerProgram } from './peerProgram.js';
import { type Refusal, refuseUpgrade } from './refusal.js';
import { findForeignOrigin, pathOf } from './requestGate.js';
import { tokensEqual } from './token.js';
import { closeCode, closeSocket } from './webSocketCarrier.js';
import type { WebSocketEndpoint, WebSocketMcpGuest, WebSocketSessions } from './webSocketEndpoint.js';

/** The text that claude-code-ide.md, "Connection Sequence", prescribes. */
const badTokenReason = 'Invalid or missing authentication token';

/** Claude Code asks for `/`, its reverse-engineered document says `/mcp`. */
const webSocketPaths: readonly string[] = ['/', '/mcp'];

export interface UpgradeContext {
  readonly port: number;
  readonly timing: Timing;
  readonly sizes: Sizes;
  readonly logger: Logger;
  endpoints(): Iterable<WebSocketEndpoint>;
  guests(): Iterable<readonly [WebSocketMcpGuest, WebSocketSessions]>;
  /** The client of this request has presented a token. */
  vouchFor(request: IncomingMessage): void;
}

export interface Upgrader {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Turns upgrade requests into sessions, or refuses them. Load it with the first request: it loads the SDK. */
export function createUpgrader(context: UpgradeContext): Upgrader {
  const { port, timing, sizes, logger } = context;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: sizes.frameInBytes,
    handleProtocols: () => 'mcp',
    // One message per turn of the event loop: a client that sends thousands must not delay others.
    allowSynchronousEvents: false,
    // On one machine compression costs more than it saves, and delays pings behind large messages. Claude Code offers it
    // and does without.
    perMessageDeflate: false,
  });

  const begin = (socket: WebSocket, request: IncomingMessage, sessions: WebSocketSessions): void => {
    context.vouchFor(request);
    sessions.accept({ socket, connection: request.socket }, McpServer.start).catch((error: unknown) => {
      logger.error('Serving a WebSocket failed.', { error: describeFailure(error) });
      socket.terminate();
    });
  };
  const welcome = (socket: WebSocket, request: IncomingMessage): void => {
    const endpoint = findEndpoint(context.endpoints(), request);
    if (endpoint !== undefined) {
      begin(socket, request, endpoint.sessions);
      return;
    }
    socket.on('error', () => {});
    closeSocket(socket, closeCode.policyViolation, badTokenReason, timing.closeLimitMs);
  };
  const upgradeGuest = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const sessions = await findGuest(context, request);
    if (sessions === undefined) refuseUpgrade(socket, noSubprotocol);
    else server.handleUpgrade(request, socket, head, (opened) => begin(opened, request, sessions));
  };

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      const offered = request.headers['sec-websocket-protocol'];
      const refusal = findRefusal(request, port);
      if (refusal !== undefined) refuseUpgrade(socket, refusal);
      else if (offered === undefined) void upgradeGuest(request, socket, head);
      else if (!offered.split(',').some((name) => name.trim() === 'mcp'))
        refuseUpgrade(socket, noSubprotocol);
      else server.handleUpgrade(request, socket, head, welcome);
    },
  };
}

const noSubprotocol: Refusal = {
  status: 400,
  message: 'The WebSocket subprotocol "mcp" is required: send the header Sec-WebSocket-Protocol: mcp.',
};

function findRefusal(request: IncomingMessage, port: number): Refusal | undefined {
  const foreign = findForeignOrigin(request.headers, port);
  if (foreign !== undefined) return { status: 403, message: foreign };
  if (webSocketPaths.includes(pathOf(request.url))) return undefined;
  return { status: 404, message: 'WebSockets are served at / and /mcp only.' };
}

/** The guest that serves a client without a subprotocol; undefined without a token, or if there is none. */
async function findGuest(
  context: UpgradeContext,
  request: IncomingMessage,
): Promise<WebSocketSessions | undefined> {
  const endpoint = findEndpoint(context.endpoints(), request);
  const guests = [...context.guests()].filter(([{ of }]) => of === endpoint?.name);
  for (const [{ program }, sessions] of guests) {
    if (program !== undefined && (await isPeerProgram(program, request.socket))) return sessions;
  }
  return guests.find(([{ program }]) => program === undefined)?.[1];
}

/** Compares with every endpoint, also after a match, for a constant time. */
function findEndpoint(
  endpoints: Iterable<WebSocketEndpoint>,
  request: IncomingMessage,
): WebSocketEndpoint | undefined {
  let found: WebSocketEndpoint | undefined;
  for (const endpoint of endpoints) {
    const presented = endpoint.presentedToken(request);
    if (presented !== undefined && tokensEqual(presented, endpoint.token)) found = endpoint;
  }
  return found;
}
