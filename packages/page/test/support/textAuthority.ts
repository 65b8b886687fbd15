import { ChangeSet, Text } from '@codemirror/state';
import { RpcError } from '@tandem/rpc';
import type { ConnectionState, PageHost } from '../../src/client/pageStore.js';
import type { PageEvent, PageMethod, PageParams, PageResult, TextUpdate } from '../../src/wire/index.js';

/** One text as a host keeps it. What it has to say waits until the test lets it go out, in whatever order it likes. */
export class TextAuthority {
  readonly #updates: TextUpdate[] = [];
  readonly #connections = new Set<TestConnection>();
  #doc: Text;

  constructor(content: string) {
    this.#doc = Text.of(content.split('\n'));
  }

  get content(): string {
    return this.#doc.toString();
  }

  get version(): number {
    return this.#updates.length;
  }

  connect(): TestConnection {
    const connection = new TestConnection(this);
    this.#connections.add(connection);
    return connection;
  }

  since(version: number): TextUpdate[] {
    return this.#updates.slice(version);
  }

  push(version: number, updates: readonly TextUpdate[]): boolean {
    if (version !== this.version) return false;
    for (const { changes } of updates) this.#doc = ChangeSet.fromJSON(changes).apply(this.#doc);
    this.#updates.push(...updates);
    for (const connection of this.#connections) {
      connection.enqueue({ event: 'text', text: 'document:/a', version, updates: [...updates] });
    }
    return true;
  }

  /** A change that the host makes by itself. */
  insert(at: number, insert: string): void {
    const changes = ChangeSet.of({ from: Math.min(at, this.#doc.length), insert }, this.#doc.length);
    this.push(this.version, [{ clientId: 'host', changes: changes.toJSON() }]);
  }
}

/** The connection of one page to the authority. It breaks on request, and then loses messages in both directions. */
export class TestConnection implements PageHost {
  readonly #authority: TextAuthority;
  readonly #eventListeners = new Set<(event: PageEvent) => void>();
  readonly #stateListeners = new Set<(state: ConnectionState) => void>();
  /** What will happen next, one by one: events to the page, and requests with their answers. */
  #queue: { readonly run: () => void; readonly lose?: () => void }[] = [];
  connection: ConnectionState = 'open';

  constructor(authority: TextAuthority) {
    this.#authority = authority;
  }

  get isIdle(): boolean {
    return this.#queue.length === 0;
  }

  /** Lets one thing happen. `answersGetLost`: a request arrives, and its answer does not. */
  async step(how: { readonly answersGetLost?: boolean } = {}): Promise<void> {
    const next = this.#queue.shift();
    if (next !== undefined) {
      next.run();
      if (how.answersGetLost) next.lose?.();
    }
    // What follows from it follows in microtasks; a macrotask is after them all.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Loses the next request or event, while the connection stays. */
  loseOne(): void {
    this.#queue.shift()?.lose?.();
  }

  async break(): Promise<void> {
    this.connection = 'lost';
    for (const { lose } of this.#queue.splice(0)) lose?.();
    for (const listener of this.#stateListeners) listener('lost');
    await new Promise((resolve) => setImmediate(resolve));
  }

  reconnect(): void {
    if (this.connection === 'open') return;
    this.connection = 'open';
    for (const listener of this.#stateListeners) listener('open');
  }

  enqueue(event: PageEvent): void {
    if (this.connection !== 'open') return;
    this.#queue.push({
      run: () => {
        for (const listener of [...this.#eventListeners]) listener(event);
      },
    });
  }

  request<M extends PageMethod>(method: M, params: PageParams<M>): Promise<PageResult<M>> {
    return new Promise((resolve, reject) => {
      const lose = (): void => reject(new RpcError('unreachable', 'lost'));
      if (this.connection !== 'open') return lose();
      this.#queue.push({ run: () => resolve(this.#answer(method, params) as PageResult<M>), lose });
    });
  }

  onEvent(listener: (event: PageEvent) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  onConnection(listener: (state: ConnectionState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  start(): void {}
  retry(): void {}
  close(): void {}

  #answer(method: PageMethod, params: unknown): unknown {
    const { version, updates } = params as { version: number; updates: TextUpdate[] };
    switch (method) {
      case 'text.open':
        return { version: this.#authority.version, content: this.#authority.content };
      case 'text.pull':
        return { updates: this.#authority.since(version) };
      case 'text.push':
        return { isApplied: this.#authority.push(version, updates) };
      default:
        throw new Error(`${method} is not played here`);
    }
  }
}
