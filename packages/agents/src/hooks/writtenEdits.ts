import type { Path } from '@tandem/core';
import { type FileContent, isSameContent } from '@tandem/reviews';
import type { ProtocolHost } from '../agentProtocol.js';
import type { EditEvent, WrittenEvent } from './agentHooks.js';
import { remember } from './remember.js';

/** Records what calls write that do not wait for the user. */
export class WrittenEdits {
  readonly #agent: string;
  readonly #host: ProtocolHost;
  /** The files before these calls, by the calls. */
  readonly #before = new Map<string, Map<Path, FileContent | undefined>>();

  constructor(agent: string, host: ProtocolHost) {
    this.#agent = agent;
    this.#host = host;
  }

  /** Reads what a call that does not wait is about to change. */
  async begin(event: EditEvent): Promise<void> {
    const files = event.edits.map(async ({ path }) => [path, await this.#read(path)] as const);
    remember(this.#before, keyOf(event), new Map(await Promise.all(files)));
  }

  /** Forgets a call: the user decides on it. */
  forget(event: EditEvent): void {
    this.#before.delete(keyOf(event));
  }

  /** Records what a call has written, if it did not wait. `session`: our id. */
  async record(event: WrittenEvent, session: string): Promise<void> {
    const files = this.#before.get(keyOf(event));
    this.#before.delete(keyOf(event));
    for (const [path, before] of files ?? []) {
      const after = await this.#read(path);
      if (before === undefined || after === undefined || isSameContent(before, after)) continue;
      this.#moveOn(path, before, after);
      const [agent, title] = [this.#agent, event.tool];
      await this.#host.recordWritten?.({ agent, session, path, before, after, title });
    }
  }

  /** Another call, which has begun before this one wrote, changes what this one has left. */
  #moveOn(path: Path, from: FileContent, to: FileContent): void {
    for (const files of this.#before.values()) {
      const before = files.get(path);
      if (before !== undefined && isSameContent(before, from)) files.set(path, to);
    }
  }

  /** Undefined for what is no file that can be read. */
  async #read(path: Path): Promise<FileContent | undefined> {
    return this.#host.files.read(path).catch(() => undefined);
  }
}

/** Names a call in both of its events. */
function keyOf({ session, call, tool, edits }: EditEvent | WrittenEvent): string {
  return JSON.stringify([session, call ?? [tool, ...edits.map(({ path }) => path)]]);
}
