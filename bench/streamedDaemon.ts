import { createServer, type Server, type ServerResponse } from 'node:http';

/**
 * The part of a daemon that a chat needs, over real HTTP: one session with generated events. With a real daemon, a
 * conversation of thousands of messages would take many minutes. The creator closes it.
 */
export class StreamedDaemon {
  readonly #server: Server;
  readonly #streams = new Set<ServerResponse>();
  readonly #folder: string;
  #lastId = 0;
  #turns = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer((request, response) => {
      request.resume();
      this.#answer(request.method ?? '', (request.url ?? '').split('?', 1)[0] ?? '', response);
    });
  }

  static async start(folder: string): Promise<StreamedDaemon> {
    const daemon = new StreamedDaemon(folder);
    await new Promise<void>((resolve) => daemon.#server.listen(0, '127.0.0.1', resolve));
    return daemon;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  /** Adds complete turns, each with a question of the user and an answer of the model. */
  turns(count: number, answer: (turn: number) => string): void {
    for (let turn = 0; turn < count; turn += 1) {
      this.beginTurn(`Question ${this.#turns + 1}`);
      this.chunk(answer(this.#turns));
      this.endTurn();
    }
  }

  beginTurn(question: string): void {
    this.#turns += 1;
    this.#update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: question } });
  }

  /** Adds a part to the answer. */
  chunk(text: string): void {
    this.#update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  }

  endTurn(): void {
    this.#send('turn_complete', { stopReason: 'end_turn', promptId: this.#promptId });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  get #promptId(): string {
    return `prompt-${this.#turns}`;
  }

  #update(update: object): void {
    this.#send('session_update', { sessionId, update });
  }

  #send(type: string, data: object): void {
    this.#lastId += 1;
    const event = { id: this.#lastId, v: 1, type, data, promptId: this.#promptId };
    for (const stream of this.#streams) stream.write(`id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  #answer(method: string, path: string, response: ServerResponse): void {
    if (path.endsWith('/events')) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-qwen-event-epoch': 'epoch-1' });
      response.flushHeaders();
      this.#streams.add(response);
      response.once('close', () => this.#streams.delete(response));
      return;
    }
    const session = { sessionId, workspaceCwd: this.#folder, clientId: 'client-1' };
    const answers: Readonly<Record<string, object>> = {
      'GET /capabilities': { v: 1, mode: 'http-bridge', features: [], modelServices: [] },
      'POST /session': { ...session, attached: false },
      [`GET /session/${sessionId}/status`]: { ...session, pendingInteractions: [] },
    };
    const answer = answers[`${method} ${path}`] ?? {};
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }
}

const sessionId = 'session-1';
