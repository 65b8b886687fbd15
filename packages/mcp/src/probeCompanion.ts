import { randomUUID } from 'node:crypto';
import { awakeTimeout } from '@tandem/core';
import { askHttp } from './askHttp.js';
import { askIdentity } from './identity.js';

/**
 * The client name of `tandem doctor`, which only checks the handshake. It needs the token; its `initialize` is answered and
 * recorded like any other, and then its session ends without reaching the endpoint. So the name gains a client nothing.
 */
const probeClient = { name: 'tandem-doctor', version: '1.0.0' };

export function isProbe(client: { readonly name: string }): boolean {
  return client.name === probeClient.name;
}

/** Whether a message is the `initialize` of such a client. */
export function isProbing(message: unknown): boolean {
  if (member(message, 'method') !== 'initialize') return false;
  return member(member(member(message, 'params'), 'clientInfo'), 'name') === probeClient.name;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** What the program on the port of a discovery file does with the file's token. */
export type ProbeResult =
  /** A Tandem companion that completed the handshake. */
  | { readonly kind: 'tandem'; readonly pid: number; readonly version: string }
  /** Another companion accepts the token. No session was started: a second one would disturb the first. */
  | { readonly kind: 'accepted' }
  /** Another companion listens. Its token cannot be checked without replacing its client. */
  | { readonly kind: 'listening' }
  /** It refuses the token. */
  | { readonly kind: 'refused' }
  /** A Tandem companion that does not complete the handshake. */
  | { readonly kind: 'broken'; readonly step: string }
  | { readonly kind: 'unresponsive' }
  /** Nothing listens on the port. */
  | { readonly kind: 'silent' };

export interface ProbeOptions {
  readonly port: number;
  /** Absent if the file names none. */
  readonly token?: string;
  /** How the agent's clients connect. */
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
 * Checks what listens on a port of this machine, and whether it accepts a token. Never rejects. Only Tandem companions get a
 * handshake: the official companions share one server between clients, and a second client disturbs or replaces the first.
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
      // An unknown session starts nothing, and the status of the refusal shows whether the token is right.
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

/** Initializes, and deletes the session for earlier versions of Tandem. Resolves to the step that failed. */
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
  // Loaded late: a starting companion loads this module, but not `ws`.
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
