import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Companion } from '@tandem/companion';
import type { Logger } from '@tandem/core';
import { serveEditor } from '@tandem/remote';
import type { Review } from '@tandem/reviews';
import { FakeClock } from '@tandem/testing';
import { pipes, ScriptedPeer } from '../../../remote/test/support/scriptedPeer.js';
import { editorServices } from '../../src/commands/editor.js';

/** An editor over a connection and its companion, in this process. The creator ends it. */
export class EditorFixture {
  readonly root: string;
  readonly problems: string[] = [];
  /** Limits the time in which the editor shows a review. */
  readonly clock = new FakeClock();
  readonly peer: ScriptedPeer;
  /** Ends the connection, as the end of the editor does. */
  readonly endEditor: () => Promise<unknown>;
  readonly #served: Promise<boolean>;
  #end = (): void => {};
  #companion: Companion | undefined;

  private constructor(root: string) {
    this.root = root;
    const note = (message: string): void => void this.problems.push(message);
    const logger: Logger = { debug: () => {}, info: () => {}, warn: note, error: note };
    const { ours, theirs } = pipes();
    const ended = new Promise<void>((resolve) => {
      this.#end = resolve;
    });
    const services = {
      ...editorServices('1.2.3', logger),
      clock: this.clock,
      onCompanion: (companion: Companion): void => {
        this.#companion = companion;
      },
    };
    this.#served = serveEditor(ours, services, ended);
    this.peer = new ScriptedPeer(theirs, 'lines');
    this.endEditor = () => {
      theirs.output.end();
      return this.#served;
    };
  }

  /** In a folder of its own, unless another fixture's is given. */
  static async start(
    initialize: object = {},
    root = realpathSync(mkdtempSync(join(tmpdir(), 'editor-'))),
  ): Promise<EditorFixture> {
    const fixture = new EditorFixture(root);
    await fixture.peer.initialize([fixture.root], { settings: { agents: ['claude'] }, ...initialize });
    return fixture;
  }

  get companion(): Companion {
    if (this.#companion === undefined) throw new Error('There is no companion.');
    return this.#companion;
  }

  path(name: string): string {
    return join(this.root, name);
  }

  write(name: string, text: string): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** Writes a file and proposes a change to it. Resolves when the editor shows it. */
  async propose(name: string, original: string, content: string): Promise<Review> {
    const path = this.write(name, original);
    const review = await this.companion.reviews.propose({ agent: 'claude', session: 's1', path, content });
    await this.peer.until(() => this.peer.views.has(review.id) || review.outcome !== undefined);
    return review;
  }

  /** Sends a call of the editor. */
  call(method: string, params: object = {}): Promise<unknown> {
    return this.peer.connection.request(method, params);
  }

  async dispose(): Promise<void> {
    this.#end();
    await this.#served;
    this.peer.connection.dispose();
    rmSync(this.root, { recursive: true, force: true });
  }
}
