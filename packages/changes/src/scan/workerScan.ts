import { join } from 'node:path';
import { removeStoreFolder } from '../store/blobStore.js';
import { type OpenScan, openScan } from './openScan.js';
import type { ScannedLook } from './scanner.js';
import type { LookPart, ScanStatus, WorkerAnswer, WorkerCall, WorkerStart } from './workerCalls.js';

/** How many changes cross to the main thread at once: it takes them within a few milliseconds. */
const partLength = 500;

/** Answers the calls of a scan within its worker. */
export class WorkerScan {
  readonly #start: WorkerStart;
  #open: OpenScan | undefined;
  #owner: number | undefined;
  /** The end of a look that is not sent yet. */
  #rest: ScannedLook | undefined;

  constructor(start: WorkerStart) {
    this.#start = start;
  }

  /** Does what a call asks for. */
  answer(call: WorkerCall): WorkerAnswer['value'] {
    switch (call.kind) {
      case 'look':
        return this.#look(call.hints);
      case 'more':
        return this.#nextPart();
      case 'content':
        return this.#content(call.hash);
      case 'pin':
        this.#tryToOpen()?.store?.pin(new Set(call.hashes));
        return undefined;
      case 'denyList':
        this.#tryToOpen()?.scanner.setDenyList(call.patterns);
        return undefined;
      case 'close':
        this.#close();
        return undefined;
      case 'delete':
        this.#delete();
        return undefined;
    }
  }

  /** Reads contents for some time. Returns whether there is more to read. */
  readSome(forMs: number): boolean {
    return this.#open?.scanner.readSome(forMs) ?? false;
  }

  /** What it does and keeps. */
  status(): ScanStatus {
    const { storeFolder: folder } = this.#start;
    const scanner = this.#open?.scanner;
    const mode = scanner === undefined ? 'off' : scanner.whyNamed === undefined ? 'whole' : 'named';
    const taken =
      this.#owner === undefined ? undefined : `another process (${this.#owner}) records its changes`;
    return {
      ...{ mode, folder, owner: this.#owner, why: taken ?? scanner?.whyNamed },
      files: this.#open?.table.files ?? 0,
      unread: scanner?.unread ?? 0,
      oddNames: scanner?.oddNames ?? 0,
      bytes: this.#open?.store?.bytes ?? 0,
      problem: this.#open?.problem ?? this.#open?.store?.problem ?? scanner?.problem,
    };
  }

  #look(hints: readonly string[] | undefined): LookPart {
    const open = this.#tryToOpen();
    const now = Date.now();
    this.#rest = open?.scanner.look(hints) ?? {
      ...{ changes: [], startedAt: now, endedAt: now, isComplete: false },
    };
    return this.#nextPart();
  }

  #nextPart(): LookPart {
    const rest = this.#rest;
    if (rest === undefined) throw new Error('There is no look to continue.');
    const { root } = this.#start;
    const changes = rest.changes
      .slice(0, partLength)
      .map((change) => ({ ...change, path: join(root, change.path) }));
    const left = rest.changes.slice(partLength);
    this.#rest = left.length === 0 ? undefined : { ...rest, changes: left };
    const { startedAt, endedAt, isComplete } = rest;
    return { changes, startedAt, endedAt, isComplete, hasMore: left.length > 0 };
  }

  #content(hash: string): Uint8Array | undefined {
    const bytes = this.#tryToOpen()?.store?.get(hash);
    // Small buffers share their memory with others.
    return bytes && new Uint8Array(bytes);
  }

  /** Opens the store, also if its owner has ended since, and lets it go if it was taken over. */
  #tryToOpen(): OpenScan | undefined {
    if (this.#open?.lock?.isOurs() === false) this.#letGo();
    if (this.#open !== undefined) return this.#open;
    const opened = openScan(this.#start);
    if ('owner' in opened) this.#owner = opened.owner;
    else {
      this.#owner = undefined;
      this.#open = opened;
    }
    return this.#open;
  }

  #letGo(): void {
    this.#open?.store?.close();
    this.#open = undefined;
  }

  #close(): void {
    this.#open?.scanner.close();
    this.#open?.lock?.release();
    this.#letGo();
  }

  #delete(): void {
    const open = this.#tryToOpen();
    // Another process uses it.
    if (open === undefined) return;
    open.scanner.close();
    open.store?.delete();
    this.#letGo();
    removeStoreFolder(this.#start.storeFolder);
  }
}
