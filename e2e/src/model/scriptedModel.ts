import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Changes } from '../changes.js';
import { parseJson } from '../json.js';
import { type Dialect, jsonReply, type ModelReply, say, type Turn } from './turn.js';

/** A request to the model. `raw` serves assertions that a text never left the machine. */
export interface RecordedRequest {
  readonly kind: 'conversation' | 'side' | 'other';
  readonly method: string;
  readonly path: string;
  readonly raw: string;
  readonly body: unknown;
}

/**
 * A model on loopback that answers from a script and records all requests. The creator closes it. Each conversation
 * request consumes the next turn; background requests never do.
 */
export class ScriptedModel {
  readonly requests: RecordedRequest[] = [];
  readonly #script: Turn[] = [];
  readonly #changes = new Changes();
  readonly #server: Server;

  private constructor(readonly dialect: Dialect) {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(dialect: Dialect): Promise<ScriptedModel> {
    const model = new ScriptedModel(dialect);
    await new Promise<void>((resolve) => model.#server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Drops the remaining turns: a refused tool call ends the agent's turn before the closing text. */
  clearScript(): void {
    this.#script.length = 0;
  }

  /** Appends turns to the script. */
  script(...turns: Turn[]): void {
    this.#script.push(...turns);
  }

  /** Conversation requests so far. */
  get conversation(): readonly RecordedRequest[] {
    return this.requests.filter(({ kind }) => kind === 'conversation');
  }

  /** Texts of the tool results in the latest conversation request. */
  get toolResults(): string[] {
    return this.dialect.toolResults(this.conversation.at(-1)?.body);
  }

  /** All occurrences of a text in the requests so far, with their surroundings. */
  quotesOf(text: string): string[] {
    return this.requests.flatMap(({ raw }) => {
      const pieces = raw.split(text);
      return pieces
        .slice(1)
        .map((after, index) => `${pieces[index]?.slice(-60)}${text}${after.slice(0, 60)}`);
    });
  }

  /** Resolves when all turns have been used. */
  async waitForEndOfScript(timeout = 30_000): Promise<void> {
    await this.#changes.until(() => this.#script.length === 0, {
      what: `the scripted ${this.dialect.name} model to be asked for its last turn`,
      timeout,
      evidence: () => this.#summary(),
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks).toString('utf8');
    const method = request.method ?? 'GET';
    const path = request.url ?? '/';
    const body = parseJson(raw);
    const kind = this.dialect.classify(method, path, body);
    this.requests.push({ kind, method, path, raw, body });
    const reply = this.#reply(kind, path, body);
    response.writeHead(reply.status, { 'content-type': reply.contentType, connection: 'close' });
    if (reply.held === undefined) response.end(reply.body);
    else response.write(reply.body);
    this.#changes.notify();
    await reply.held?.until;
    if (reply.held !== undefined) response.end(reply.held.rest);
  }

  #reply(kind: RecordedRequest['kind'], path: string, body: unknown): ModelReply {
    if (kind === 'other') return this.dialect.answerOther(path);
    if (kind === 'side') return this.dialect.answer(say('{}'), path, body);
    const turn = this.#script.shift() ?? say('The script has ended.');
    if ('failure' in turn)
      return jsonReply({ error: { message: turn.message, type: 'scripted' } }, turn.failure);
    return this.dialect.answer(turn, path, body);
  }

  #summary(): string {
    const lines = this.requests.map(
      ({ kind, method, path, raw }) => `  ${kind} ${method} ${path} ${raw.length} bytes`,
    );
    return [`requests so far (${this.#script.length} turns unplayed):`, ...lines].join('\n');
  }
}
