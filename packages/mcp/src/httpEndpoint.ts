import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { HttpSession } from './httpSession.js';
import type { EndpointContext } from './limits.js';
import type { McpEndpoint } from './mcpEndpoint.js';
import { type Refusal, refuse, shuttingDown, tooManySessions } from './refusal.js';
import { readRequestBody } from './requestBody.js';
import { alreadyInitialized, invalidInitialize, protocolVersions, rpcCode } from './rpcError.js';
import { isRequest, readWireMessage } from './wireMessage.js';

/** From this version on MCP has no JSON-RPC batches. Versions are dates, so text order is their order. */
const firstWithoutBatches = '2025-06-18';

/** The largest accepted batch. */
const maxBatch = 100;

/** A session, as a restarted companion resumes it. */
export interface ResumedSession {
  readonly id: string;
  readonly client: { readonly name: string; readonly version: string };
  readonly protocolVersion: string;
}

/** `/mcp` for one agent: its sessions, by `mcp-session-id`. The listener has checked the token. */
export class HttpEndpoint {
  readonly #endpoint: McpEndpoint;
  readonly #context: EndpointContext;
  readonly #sessions = new Map<string, HttpSession>();
  /** Sessions with an unanswered `initialize`. */
  #beginning = 0;
  #isDisposed = false;

  constructor(endpoint: McpEndpoint, context: EndpointContext) {
    this.#endpoint = endpoint;
    this.#context = context;
  }

  get token(): string {
    return this.#endpoint.token;
  }

  /** The number of sessions, including those about to begin. */
  get sessionCount(): number {
    return this.#sessions.size + this.#beginning;
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const session of [...this.#sessions.values()]) session.end('closed');
  }

  /** Resumes sessions of an earlier companion. */
  async resume(sessions: readonly ResumedSession[]): Promise<void> {
    await Promise.all(
      sessions.map(async (each) => {
        if (this.#sessions.has(each.id)) return;
        const session = await this.#begin(each.id);
        await session.resume(each);
      }),
    );
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = await this.#route(request, response);
    if (refusal === undefined) return;
    const { timing, sizes } = this.#context;
    refuse(request, response, refusal, { drainMs: timing.drainMs, drainBytes: sizes.drainBytes });
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<Refusal | undefined> {
    const { method } = request;
    if (method !== 'POST' && method !== 'GET' && method !== 'DELETE') return methodNotAllowed;
    const id = request.headers['mcp-session-id'];
    const session = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (id !== undefined && session === undefined) return sessionNotFound;
    if (method === 'POST') return this.#post(request, response, session);
    if (session === undefined) return sessionRequired;
    const fault = findHeaderFault(request) ?? findVersionFault(request);
    if (fault !== undefined) return fault;
    if (method === 'GET') session.get(response);
    else session.delete(response);
    return undefined;
  }

  async #post(
    request: IncomingMessage,
    response: ServerResponse,
    session: HttpSession | undefined,
  ): Promise<Refusal | undefined> {
    const body = await readRequestBody(request, response, this.#context.sizes.bodyBytes);
    if (body.kind === 'gone') return undefined;
    if (body.kind === 'refused') return body.refusal;
    const { value } = body;
    if (Array.isArray(value) && !acceptsBatches(session)) return batchRefused;
    const messages = readMessages(value);
    if (messages === undefined) return notJsonRpc;
    const initialize = messages.find((message) => isRequest(message) && message.method === 'initialize');
    if (session === undefined) {
      if (initialize === undefined) return sessionRequired;
      // Loaded with the first client: the SDK takes longer to load than everything else.
      const { isInitialize } = await import('./mcpServer.js');
      if (!isInitialize(initialize)) return badInitialize;
    } else if (initialize !== undefined) return initializedBefore;
    const fault = findHeaderFault(request) ?? (session && findVersionFault(request));
    if (fault !== undefined) return fault;
    // The session or the endpoint may have ended while the body arrived.
    if (this.#isDisposed) return shuttingDown;
    if (session !== undefined && !this.#sessions.has(session.id)) return sessionNotFound;
    if (session === undefined && !this.#hasRoom()) return tooManySessions;
    const id = this.#endpoint.sessionIdOf?.(request.headers);
    await (session ?? (await this.#begin(id))).post(response, messages);
    return undefined;
  }

  /**
   * Whether another session may begin. If there are too many, one without a connected client is ended: a program that
   * initializes repeatedly must not keep others out.
   */
  #hasRoom(): boolean {
    if (!this.#context.isFull(this)) return true;
    const abandoned = [...this.#sessions.values()].find((session) => !session.isConnected);
    abandoned?.end('idle');
    return !this.#context.isFull(this);
  }

  async #begin(id?: string): Promise<HttpSession> {
    this.#beginning += 1;
    let isBeginning = true;
    const began = (): void => {
      if (isBeginning) this.#beginning -= 1;
      isBeginning = false;
    };
    try {
      return await HttpSession.create({
        ...(id !== undefined && { id }),
        endpoint: this.#endpoint,
        context: this.#context,
        onBegan: (session) => {
          began();
          if (this.#isDisposed) session.end('closed');
          else {
            const earlier = this.#sessions.get(session.id);
            this.#sessions.set(session.id, session);
            earlier?.end('replaced');
          }
        },
        onEnded: (session) => {
          began();
          if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
        },
      });
    } catch (error) {
      began();
      throw error;
    }
  }
}

function acceptsBatches(session: HttpSession | undefined): boolean {
  const version = session?.protocolVersion;
  return version !== undefined && version < firstWithoutBatches;
}

/** The messages of a body, without unknown members; undefined if one is invalid. */
function readMessages(value: unknown): readonly JSONRPCMessage[] | undefined {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length === 0 || values.length > maxBatch) return undefined;
  const messages: JSONRPCMessage[] = [];
  for (const each of values) {
    const read = readWireMessage(each);
    if (read.kind === 'invalid') return undefined;
    messages.push(read.message);
  }
  return messages;
}

function findHeaderFault({ method, headers }: IncomingMessage): Refusal | undefined {
  const takesEvents = accepts(headers.accept, 'text/event-stream');
  if (method === 'GET' && !takesEvents) return notAcceptable('text/event-stream');
  if (method === 'POST') {
    if (!takesEvents || !accepts(headers.accept, 'application/json'))
      return notAcceptable('both application/json and text/event-stream');
    const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
    if (type.trim().toLowerCase() !== 'application/json') return notJson;
  }
  return undefined;
}

/** Whether an `Accept` header, which may contain wildcards, names a type. Without a header, a client accepts everything. */
function accepts(header = '*/*', type: string): boolean {
  const [group = ''] = type.split('/', 1);
  return header.split(',').some((each) => {
    const [range = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return !isRefused && [type, `${group}/*`, '*/*'].includes(range);
  });
}

function findVersionFault({ headers }: IncomingMessage): Refusal | undefined {
  const version = headers['mcp-protocol-version'];
  return typeof version === 'string' && !protocolVersions.includes(version) ? unknownVersion : undefined;
}

function notAcceptable(types: string): Refusal {
  return { status: 406, message: `Not acceptable: the client must accept ${types}.` };
}

const methodNotAllowed: Refusal = {
  status: 405,
  message: 'Method not allowed. Use POST, GET or DELETE.',
  headers: { allow: 'POST, GET, DELETE' },
};
const sessionNotFound: Refusal = {
  status: 404,
  code: rpcCode.sessionNotFound,
  message: 'Session not found. Send initialize without a session id to start a new one.',
};
const sessionRequired: Refusal = {
  status: 400,
  message: 'The Mcp-Session-Id header is required, except for initialize.',
};
const badInitialize: Refusal = { status: 400, code: rpcCode.invalidParams, message: invalidInitialize };
const initializedBefore: Refusal = { status: 400, code: rpcCode.invalidRequest, message: alreadyInitialized };
const notJson: Refusal = {
  status: 415,
  message: 'Unsupported media type: send Content-Type: application/json.',
};
const unknownVersion: Refusal = {
  status: 400,
  message: `Unsupported protocol version in Mcp-Protocol-Version. Supported: ${protocolVersions.join(', ')}.`,
};
const batchRefused: Refusal = {
  status: 400,
  code: rpcCode.invalidRequest,
  message: `Invalid request: batching was removed from MCP in ${firstWithoutBatches}. Send one message per request.`,
};
const notJsonRpc: Refusal = {
  status: 400,
  code: rpcCode.invalidRequest,
  message: 'Invalid request: the body is not a JSON-RPC 2.0 message.',
};
