import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { type Companion, createCompanion, Journal } from '@tandem/companion';
import { writeUserFile } from '@tandem/companion/userFile';
import type { Logger } from '@tandem/core';
import {
  afterListEvent,
  connectionHeader,
  liveProtocol,
  liveTokenPrefix,
  type PageEvent,
  type PageMethod,
  type PageParams,
  type PageResult,
} from '@tandem/page/wire';
import type { Review } from '@tandem/reviews';
import { WebSocket } from 'ws';
import { createSignals } from '../../../../packages/agents/test/support/signals.js';
import { PageEditor } from '../../src/editor/pageEditor.js';
import { PageServer } from '../../src/page/pageServer.js';

/** The answer of a server. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const builtIndex =
  '<meta name="tandem-style-nonce" content="__STYLE_NONCE__" /><meta name="tandem-build" content="__BUILD__" /><meta name="tandem-command" content="__COMMAND__" />';

/** A workspace, an editor, a companion and the server of its page, all in this process. The creator disposes it. */
export class PageFixture {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'page-')));
  readonly workspace = this.folder('workspace');
  readonly page = this.folder('page');
  /** The folder of the companion's journal. Default: no journal. */
  journal: string | undefined;
  /** The logged warnings and errors. */
  readonly problems: string[] = [];
  readonly #clients = new Set<PageClient>();
  #running: { editor: PageEditor; companion: Companion; server: PageServer } | undefined;

  static async start(prepare: (fixture: PageFixture) => void = () => {}): Promise<PageFixture> {
    const fixture = new PageFixture();
    writeFileSync(join(fixture.page, 'index.html'), builtIndex);
    fixture.write('../page/assets/main-abc.js', 'export {};\n');
    fixture.write('../page/icon.svg', '<svg/>');
    prepare(fixture);
    await fixture.run();
    return fixture;
  }

  get editor(): PageEditor {
    return this.#require().editor;
  }

  get companion(): Companion {
    return this.#require().companion;
  }

  get server(): PageServer {
    return this.#require().server;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  /** The key in the printed address. */
  get key(): string {
    return new URL(this.server.url).hash.slice('#key='.length);
  }

  /** Starts again what `stop` has stopped, with only the files kept. */
  async run(): Promise<void> {
    const note = (message: string): void => void this.problems.push(message);
    const logger: Logger = { debug: () => {}, info: () => {}, warn: note, error: note };
    const editor = new PageEditor({ folders: [this.workspace], isTrusted: true, version: '1.2.3', logger });
    const { journal: folder } = this;
    const journal = folder && { journal: Journal.open({ folder, window: 'serve', logger }) };
    const companion = await createCompanion({
      editor,
      version: '1.2.3',
      logger,
      writeFile: writeUserFile,
      ...journal,
    });
    const server = await PageServer.start({ companion, editor, folder: this.page, version: '1.2.3', logger });
    this.#running = { editor, companion, server };
  }

  async stop(): Promise<void> {
    const { editor, companion, server } = this.#require();
    this.#running = undefined;
    await server.close();
    await companion.stop();
    editor.dispose();
  }

  async dispose(): Promise<void> {
    for (const client of this.#clients) client.socket.terminate();
    if (this.#running !== undefined) await this.stop();
    rmSync(this.root, { recursive: true, force: true });
  }

  folder(name: string): string {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** Writes a file of the workspace and returns its path. */
  write(name: string, text: string | Buffer = ''): string {
    const path = join(this.workspace, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  propose(
    path: string,
    content: string,
    more: { session?: string; cannotAnswerEmpty?: boolean } = {},
  ): Promise<Review> {
    return this.companion.reviews.propose({ path, content, agent: 'gemini', session: 'one', ...more });
  }

  /** One call of the page; rejects with `FailedCall`. */
  async call<M extends PageMethod>(
    method: M,
    params: PageParams<M>,
    client?: PageClient,
  ): Promise<PageResult<M>> {
    const { status, text } = await this.post(`/api/${method}`, JSON.stringify(params), {
      ...(client && { [connectionHeader]: client.id }),
    });
    const answer = JSON.parse(text);
    if (status !== 200) throw new FailedCall(status, answer.error.code, answer.error.message);
    return answer.result;
  }

  post(path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('POST', path, { authorization: `Bearer ${this.key}`, ...headers }, body);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, headers);
  }

  /** One request as given: the path is not normalised, and any header can be set. */
  send(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string | Buffer | Readable,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { port } = this.server;
      const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      });
      sent.once('error', reject);
      if (body instanceof Readable) body.pipe(sent);
      else sent.end(body);
    });
  }

  /** Opens a page: the WebSocket that a browser would open. Resolves when it has received the initial state. */
  async open(secret = this.key): Promise<PageClient> {
    const client = new PageClient(this.origin, secret);
    this.#clients.add(client);
    await client.next('sharing');
    return client;
  }

  #require() {
    if (this.#running === undefined) throw new Error('It is not running.');
    return this.#running;
  }
}

/** A call that was refused. */
class FailedCall extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

type EventOf<E extends PageEvent['event']> = Extract<PageEvent, { event: E }>;

/** An open page, reduced to its WebSocket. */
export class PageClient {
  readonly socket: WebSocket;
  /** Lists have all their items, of which the host sends the changed ones. */
  readonly events: PageEvent[] = [];
  /** As they arrived. */
  readonly messages: string[] = [];
  /** The close code. */
  readonly closed: Promise<number>;
  readonly #signals = createSignals();

  constructor(origin: string, secret: string) {
    const protocols = [liveProtocol, `${liveTokenPrefix}${secret}`];
    this.socket = new WebSocket(`${origin.replace('http', 'ws')}/live`, protocols, { origin });
    this.socket.on('error', () => {});
    this.socket.on('message', (data) => {
      this.messages.push(String(data));
      this.events.push(this.#whole(JSON.parse(String(data))));
      this.#signals.changed();
    });
    this.closed = new Promise((resolve) => {
      this.socket.once('close', (code) => {
        resolve(code);
        this.#signals.changed();
      });
    });
  }

  /** The token of its tab. */
  get token(): string {
    return this.last('hello')?.token ?? '';
  }

  get id(): string {
    return this.last('hello')?.connection ?? '';
  }

  last<E extends PageEvent['event']>(name: E): EventOf<E> | undefined {
    return this.events.findLast((event): event is EventOf<E> => event.event === name);
  }

  #whole(event: PageEvent): PageEvent {
    if (event.event === 'reviews')
      return { ...event, reviews: afterListEvent(this.last('reviews')?.reviews ?? [], event) };
    if (event.event === 'decided')
      return { ...event, reviews: afterListEvent(this.last('decided')?.reviews ?? [], event) };
    return event;
  }

  /** Resolves to the last event of this name, when there is one for which `matches` holds. */
  async next<E extends PageEvent['event']>(
    name: E,
    matches: (event: EventOf<E>) => boolean = () => true,
  ): Promise<EventOf<E>> {
    const find = () =>
      this.events.findLast(
        (event): event is EventOf<E> => event.event === name && matches(event as EventOf<E>),
      );
    await this.#signals.until(() => find() !== undefined || this.socket.readyState === WebSocket.CLOSED);
    const found = find();
    if (found === undefined) throw new Error(`It was closed before ${name}.`);
    return found;
  }
}
