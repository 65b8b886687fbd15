import { randomUUID } from 'node:crypto';
import { awakeTimeout } from '@tandem/core';
import { askHttp } from './askHttp.js';
import { askIdentity } from './identity.js';
import { type LocalAddress, webSocketUrl } from './localAddress.js';

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

/** What the program at the address in a discovery file does with the file's token. */
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
  /** Nothing listens there. */
  | { readonly kind: 'silent' };

/** A transport of MCP. Over HTTP, `scheme` is the one of the `Authorization` header; default: `Bearer`. */
export type Carrier =
  | { readonly kind: 'http'; readonly scheme?: string }
  | { readonly kind: 'websocket'; readonly tokenHeader: string };

export interface ProbeOptions {
  readonly address: LocalAddress;
  /** Absent if the file names none. */
  readonly token?: string;
  /** How the agent's clients connect. */
  readonly carrier: Carrier;
  readonly timeoutMs: number;
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: probeClient },
});

/**
 * Checks what listens at an address of this machine, and whether it accepts a token. Never rejects. Only Tandem companions get a
 * handshake: the official companions share one server between clients, and a second client disturbs or replaces the first.
 */
export async function probeCompanion(options: ProbeOptions): Promise<ProbeResult> {
  const { address, token, carrier, timeoutMs } = options;
  const { scheme = 'Bearer' } = carrier.kind === 'http' ? carrier : {};
  if (token !== undefined) {
    const identity = await askIdentity({ address, token, scheme, timeoutMs });
    if (identity?.name === 'tandem') return shakeHands({ ...options, token }, identity);
  }
  const answer = await askHttp({
    address,
    method: 'GET',
    path: carrier.kind === 'http' ? '/mcp' : '/',
    headers: {
      accept: 'text/event-stream',
      // An unknown session starts nothing, and the status of the refusal shows whether the token is right.
      'mcp-session-id': randomUUID(),
      ...(token !== undefined && { authorization: `${scheme} ${token}` }),
    },
    timeoutMs,
  });
  if (answer.kind !== 'answer') return answer;
  if (answer.status === 401 || answer.status === 403) return { kind: 'refused' };
  return { kind: carrier.kind === 'http' ? 'accepted' : 'listening' };
}

type Known = ProbeOptions & { readonly token: string };

async function shakeHands(options: Known, identity: Readonly<Record<string, unknown>>): Promise<ProbeResult> {
  const step =
    options.carrier.kind === 'http'
      ? await overHttp(options, options.carrier.scheme)
      : await overWebSocket(options, options.carrier.tokenHeader);
  if (step !== undefined) return { kind: 'broken', step };
  const { pid, version } = identity;
  return {
    kind: 'tandem',
    pid: typeof pid === 'number' ? pid : 0,
    version: typeof version === 'string' ? version : '',
  };
}

/** Initializes, and deletes the session for earlier versions of Tandem. Resolves to the step that failed. */
async function overHttp(
  { address, token, timeoutMs }: Known,
  scheme = 'Bearer',
): Promise<string | undefined> {
  const headers = { authorization: `${scheme} ${token}` };
  const answer = await askHttp({
    address,
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
    address,
    method: 'DELETE',
    path: '/mcp',
    headers: { ...headers, 'mcp-session-id': answer.sessionId },
    timeoutMs,
  });
  return undefined;
}

async function overWebSocket(
  { address, token, timeoutMs }: Known,
  tokenHeader: string,
): Promise<string | undefined> {
  // Loaded late: a starting companion loads this module, but not `ws`.
  const { WebSocket } = await import('ws');
  return new Promise((resolve) => {
    const socket = new WebSocket(webSocketUrl(address), 'mcp', {
      headers: { [tokenHeader]: token },
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
