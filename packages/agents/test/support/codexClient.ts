import { createConnection, type Socket } from 'node:net';
import { createSignals } from './signals.js';

/** A message on the socket of Codex CLI, as tests read it. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what came without a schema for each message.
export type CodexMessage = Readonly<Record<string, any>>;

let count = 0;

/** The socket of Codex CLI as its client, or as another program that connects to the router. The test closes it. */
export class CodexClient {
  readonly socket: Socket;
  /** Everything that was received, as text. */
  received = '';
  isClosed = false;
  readonly #messages: CodexMessage[] = [];
  readonly #signals = createSignals();
  #rest = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      this.isClosed = true;
      this.#signals.changed();
    });
  }

  static of(socket: Socket): CodexClient {
    return new CodexClient(socket);
  }

  static connect(path: string): Promise<CodexClient> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(path, () => resolve(new CodexClient(socket)));
      socket.once('error', reject);
    });
  }

  /** Asks as Codex CLI 0.169 does: over a connection of its own. */
  static async ask(path: string, workspaceRoot: string): Promise<CodexMessage> {
    const client = await CodexClient.connect(path);
    const answer = await client.ask(workspaceRoot);
    client.close();
    return answer;
  }

  ask(workspaceRoot: string, more: object = {}): Promise<CodexMessage> {
    return this.request({ method: 'ide-context', params: { workspaceRoot }, ...more });
  }

  request(message: object): Promise<CodexMessage> {
    const requestId = `request-${++count}`;
    this.send({ type: 'request', requestId, sourceClientId: 'codex-tui', version: 0, ...message });
    return this.next((each) => each.type === 'response' && each.requestId === requestId);
  }

  /** Registers with the router, and resolves to the id that it assigns. */
  async initialize(): Promise<string> {
    const { result } = await this.request({ method: 'initialize', params: { clientType: 'desktop' } });
    return result.clientId;
  }

  /** Resolves to the first message that matches, and removes it. */
  async next(matches: (message: CodexMessage) => boolean): Promise<CodexMessage> {
    await this.#signals.until(() => this.isClosed || this.#messages.some(matches));
    const at = this.#messages.findIndex(matches);
    const [found] = at < 0 ? [] : this.#messages.splice(at, 1);
    if (found === undefined) throw new Error('The connection was closed.');
    return found;
  }

  whenClosed(): Promise<void> {
    return this.#signals.until(() => this.isClosed);
  }

  send(message: object): void {
    this.socket.write(CodexClient.frame(JSON.stringify(message)));
  }

  close(): void {
    this.socket.destroy();
  }

  static frame(body: string | Buffer, length = Buffer.byteLength(body)): Buffer {
    const header = Buffer.alloc(4);
    header.writeUInt32LE(length);
    return Buffer.concat([header, Buffer.from(body)]);
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 4 && this.#rest.length >= 4 + this.#rest.readUInt32LE(0)) {
      const end = 4 + this.#rest.readUInt32LE(0);
      const text = this.#rest.subarray(4, end).toString('utf8');
      this.#rest = this.#rest.subarray(end);
      this.received += text;
      this.#messages.push(JSON.parse(text));
    }
    this.#signals.changed();
  }
}
