import { randomUUID } from 'node:crypto';
import { awakeTimeout } from '../awakeTimeout.js';
import { askIdentity } from '../identity.js';
import { askHttp } from './askHttp.js';
import { probeClient } from './probeClient.js';

/** What somebody who listens where a discovery file says makes of its token. */
export type ProbeResult =
  /** One of ours: it answered `initialize`, in a session that ended with that. */
  | { readonly kind: 'tandem'; readonly pid: number; readonly version: string }
  /** Another's. It takes the token; no session was begun, because a new one would disturb those that it has. */
  | { readonly kind: 'accepted' }
  /** Another's. It listens; whether it takes the token cannot be asked without taking the place of its client. */
  | { readonly kind: 'listening' }
  /** It does not know the token. */
  | { readonly kind: 'refused' }
  /** One of ours that does not get through the handshake. */
  | { readonly kind: 'broken'; readonly step: string }
  | { readonly kind: 'unresponsive' }
  /** Nobody listens. */
  | { readonly kind: 'silent' };

export interface ProbeOptions {
  readonly port: number;
  /** Absent where the file names none. */
  readonly token?: string;
  /** How the agent's clients speak. */
  readonly carrier: { readonly kind: 'http' } | { readonly kind: 'websocket'; readonly tokenHeader: string };
  readonly timeoutMs: number;
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: probeClient },
});

/**
 * Asks who listens on a port of this machine, and whether they take a token. Never rejects. The official companions
 * share one server between their clients, and a second client makes the calls of the first time out or takes its
 * place; so nobody but a companion of ours is asked for more than whether the token is right.
 */
export async function probeCompanion(options: ProbeOptions): Promise<ProbeResult> {
  const { port, token, carrier, timeoutMs } = options;
  if (token !== undefined) {
    const identity = await askIdentity({ port, token, timeoutMs });
    if (identity?.name === 'tandem') return shakeHands({ ...options, token }, identity);
  }
  const answer = await askHttp({
    port,
    method: 'GET',
    path: carrier.kind === 'http' ? '/mcp' : '/',
    headers: {
      accept: 'text/event-stream',
      // Without a session nothing is begun, and what is refused says whether the token was.
      'mcp-session-id': randomUUID(),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    timeoutMs,
  });
  if (answer.kind !== 'answer') return answer;
  if (answer.status === 401 || answer.status === 403) return { kind: 'refused' };
  return { kind: carrier.kind === 'http' ? 'accepted' : 'listening' };
}

type Known = ProbeOptions & { readonly token: string };

async function shakeHands(options: Known, identity: Readonly<Record<string, unknown>>): Promise<ProbeResult> {
  const step = options.carrier.kind === 'http' ? await overHttp(options) : await overWebSocket(options);
  if (step !== undefined) return { kind: 'broken', step };
  const { pid, version } = identity;
  return {
    kind: 'tandem',
    pid: typeof pid === 'number' ? pid : 0,
    version: typeof version === 'string' ? version : '',
  };
}

/** Initializes and ends the session, which only earlier companions of ours keep longer than that. Resolves to the step that failed, if one did. */
async function overHttp({ port, token, timeoutMs }: Known): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await askHttp({
    port,
    method: 'POST',
    path: '/mcp',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: initialize,
    timeoutMs,
  });
  if (answer.kind !== 'answer' || answer.status !== 200 || answer.sessionId === undefined)
    return 'initialize';
  await askHttp({
    port,
    method: 'DELETE',
    path: '/mcp',
    headers: { ...headers, 'mcp-session-id': answer.sessionId },
    timeoutMs,
  });
  return undefined;
}

async function overWebSocket({ port, token, carrier, timeoutMs }: Known): Promise<string | undefined> {
  // A companion that starts knows this module, and needs no WebSocket yet.
  const { WebSocket } = await import('ws');
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`, 'mcp', {
      headers: carrier.kind === 'websocket' ? { [carrier.tokenHeader]: token } : {},
      handshakeTimeout: timeoutMs,
    });
    let step = 'upgrade to WebSocket';
    const limit = awakeTimeout(() => socket.terminate(), timeoutMs);
    socket.on('open', () => {
      step = 'initialize';
      socket.send(initialize);
    });
    socket.on('message', () => {
      step = '';
      socket.close(1000);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      limit.dispose();
      resolve(step === '' ? undefined : step);
    });
  });
}
