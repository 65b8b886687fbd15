import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { defaultDenyList } from '@tandem/core';
import type { FileState, SeenChange } from '../../src/fileState.js';
import { defaultScanLimits } from '../../src/scan/scanner.js';
import type { LookPart, WorkerStart } from '../../src/scan/workerCalls.js';
import { WorkerScan } from '../../src/scan/workerScan.js';
import { defaultStoreLimits } from '../../src/store/blobStore.js';

/** A folder with a scan that runs in this thread. */
export class Scanned {
  readonly root: string;
  readonly store: string;
  scan: WorkerScan;
  readonly #start: WorkerStart;

  constructor(options: Partial<WorkerStart> = {}) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'scanned-')));
    this.root = options.root ?? join(folder, 'root');
    this.store = join(folder, 'store');
    mkdirSync(this.root, { recursive: true });
    this.#start = {
      ...{ root: this.root, named: this.root, storeFolder: this.store, ownerId: 'one' },
      ...{ denyList: defaultDenyList, limits: defaultScanLimits, storeLimits: defaultStoreLimits },
      whyNamed: undefined,
      ...options,
    };
    this.scan = new WorkerScan(this.#start);
  }

  /** All changes of one look, by path below the root, in order. */
  look(hints?: readonly string[]): readonly SeenChange[] {
    return this.lookAt(hints).changes;
  }

  /** One look, with all of its parts. */
  lookAt(hints?: readonly string[]): LookPart {
    let part = this.scan.answer({ kind: 'look', hints }) as LookPart;
    const changes = [...part.changes];
    while (part.hasMore) {
      part = this.scan.answer({ kind: 'more' }) as LookPart;
      changes.push(...part.changes);
    }
    const named = changes.map((change) => ({ ...change, path: relative(this.root, change.path) }));
    named.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { ...part, changes: named };
  }

  /** Reads all contents that are to be read. */
  readAll(): void {
    while (this.scan.readSome(1_000));
  }

  /** The bytes of a state. */
  content(state: FileState | undefined): Buffer | undefined {
    if (state?.kind !== 'file') return undefined;
    const bytes = this.scan.answer({ kind: 'content', hash: state.hash }) as Uint8Array | undefined;
    return bytes && Buffer.from(bytes);
  }

  /** Ends it as a kill does, and starts another one. */
  killAndRestart(options: Partial<WorkerStart> = {}): void {
    this.scan = new WorkerScan({ ...this.#start, ...options });
  }

  /** Ends it normally, and starts another one. */
  restart(options: Partial<WorkerStart> = {}): void {
    this.scan.answer({ kind: 'close' });
    this.killAndRestart(options);
  }
}
