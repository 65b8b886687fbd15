import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  awakeTimeout,
  type Disposable,
  defaultDenyList,
  describeError,
  type Logger,
  type Path,
  partsBelow,
} from '@tandem/core';
import type { SeenChange } from '../fileState.js';
import { defaultStoreLimits, type StoreLimits } from '../store/blobStore.js';
import { deleteStore, storeFolderOf } from '../store/storeFolders.js';
import { realPathOr } from './realPath.js';
import { whyNotWhole } from './rootLimits.js';
import { defaultScanLimits, type ScanLimits } from './scanner.js';
import type { LookPart, ScanStatus, WorkerAnswer, WorkerCall, WorkerStart } from './workerCalls.js';

/** What a look found. Times are Unix times in milliseconds. */
export interface Look {
  readonly changes: readonly SeenChange[];
  readonly startedAt: number;
  readonly endedAt: number;
  /** Whether everything that counts was looked at. False after a look at hints in a folder that is looked at only in part. */
  readonly isComplete: boolean;
}

/**
 * Finds what changes in one folder, and keeps the contents. Ignored files count once a hint has named them.
 *
 * A change is reported at least once: what a look reports is saved when the next look is asked for or the scan is closed. If the
 * process is killed in between, the next one reports it again, with the same states.
 */
export interface FolderScan extends Disposable {
  /**
   * What changed since the last look; in the first of all looks nothing, otherwise since the last one of the process before. With
   * hints, looks only at these paths. Looks wait for each other; whole looks that have not begun are one. Never rejects.
   */
  look(hints?: readonly Path[]): Promise<Look>;
  /** The bytes of a content; undefined if the store does not have them. Never rejects. */
  content(hash: string): Promise<Buffer | undefined>;
  /** Keeps these contents, and no longer those of the last call, whatever the limits say. Never rejects. */
  pin(hashes: ReadonlySet<string>): Promise<void>;
  /** Replaces the deny list, and removes the contents of files that are hidden now. Never rejects. */
  setDenyList(patterns: readonly string[]): Promise<void>;
  /** What it does and keeps, at the last answer. */
  status(): ScanStatus;
  /** Saves what it knows and lets the store go. `dispose` does the same without waiting. Never rejects. */
  close(): Promise<void>;
  /** Closes it and removes all that it has stored. Never rejects. */
  delete(): Promise<void>;
}

/** What a scan is made of. */
export interface FolderScanOptions {
  /** The folder to look at. */
  readonly folder: Path;
  /** A private folder; the scan creates a folder of its own in it. */
  readonly stateFolder: Path;
  /** The bundle of `scanWorker.ts`. */
  readonly workerFile: Path;
  readonly logger: Logger;
  /** Files whose content is not kept. Without it, `defaultDenyList`. */
  readonly denyList?: readonly string[];
  readonly limits?: Partial<ScanLimits>;
  readonly storeLimits?: StoreLimits;
  /** The home folder, which is not looked at as a whole. */
  readonly home?: Path;
}

interface Pending {
  readonly resolve: (value: WorkerAnswer['value']) => void;
  readonly reject: (error: Error) => void;
}

/** For one answer. A look walks for 5 seconds and reads for 2; a disk that does not answer is given up. */
const answerMs = 60_000;
/** The heap of a worker, in MB. The table of 100,000 files takes about a tenth of it. */
const maxHeapMb = 512;
const nothing: Pick<LookPart, 'changes' | 'isComplete'> = { changes: [], isComplete: false };

/** Makes a scan. Its worker starts with the first call. */
export function createFolderScan(options: FolderScanOptions): FolderScan {
  return new WorkerFolderScan(options);
}

class WorkerFolderScan implements FolderScan {
  readonly #options: FolderScanOptions;
  readonly #root: Path;
  readonly #ownerId = randomUUID();
  readonly #pending = new Map<number, Pending>();
  #start: WorkerStart;
  #worker: Worker | undefined;
  #calls = 0;
  #failures = 0;
  #isClosed = false;
  #status: ScanStatus;
  #queue: Promise<unknown> = Promise.resolve();
  /** A whole look that has not begun. */
  #nextWhole: Promise<Look> | undefined;

  constructor(options: FolderScanOptions) {
    this.#options = options;
    this.#root = realPathOr(options.folder);
    const folder = storeFolderOf(options.stateFolder, this.#root);
    const whyNamed = whyNotWhole(this.#root, options.home ?? homedir());
    this.#start = {
      ...{ root: this.#root, named: options.folder, storeFolder: folder, ownerId: this.#ownerId, whyNamed },
      denyList: options.denyList ?? defaultDenyList,
      limits: { ...defaultScanLimits, ...options.limits },
      storeLimits: options.storeLimits ?? defaultStoreLimits,
    };
    const mode = whyNamed === undefined ? 'whole' : 'named';
    this.#status = {
      ...{ mode, why: whyNamed, owner: undefined, folder, problem: undefined },
      ...{ files: 0, unread: 0, oddNames: 0, bytes: 0 },
    };
  }

  look(hints?: readonly Path[]): Promise<Look> {
    if (hints !== undefined) return this.#inTurn(() => this.#look(this.#below(hints)));
    this.#nextWhole ??= this.#inTurn(() => {
      this.#nextWhole = undefined;
      return this.#look(undefined);
    });
    return this.#nextWhole;
  }

  async content(hash: string): Promise<Buffer | undefined> {
    const value = await this.#call({ kind: 'content', hash });
    if (!(value instanceof Uint8Array)) return undefined;
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }

  async pin(hashes: ReadonlySet<string>): Promise<void> {
    await this.#call({ kind: 'pin', hashes: [...hashes] });
  }

  async setDenyList(patterns: readonly string[]): Promise<void> {
    if (patterns.join('\n') === this.#start.denyList.join('\n')) return;
    this.#start = { ...this.#start, denyList: patterns };
    // A worker that does not run yet starts with it.
    if (this.#worker !== undefined) await this.#call({ kind: 'denyList', patterns });
  }

  status(): ScanStatus {
    return this.#status;
  }

  close(): Promise<void> {
    return this.#end('close');
  }

  delete(): Promise<void> {
    return this.#end('delete');
  }

  dispose(): void {
    void this.close();
  }

  async #end(kind: 'close' | 'delete'): Promise<void> {
    if (this.#isClosed) return;
    if (this.#worker !== undefined || kind === 'delete') await this.#call({ kind });
    this.#isClosed = true;
    this.#giveUp(new Error('The scan is closed.'));
    // Its worker may have failed before that.
    if (kind === 'delete') deleteStore(this.#start.storeFolder, this.#ownerId);
  }

  /** Paths below the root, with `/`; others do not count. */
  #below(paths: readonly Path[]): readonly string[] {
    return paths.flatMap((path) => {
      const parts = partsBelow(this.#options.folder, path) ?? partsBelow(this.#root, path);
      return parts === undefined || parts.length === 0 ? [] : parts.join('/');
    });
  }

  async #look(hints: readonly string[] | undefined): Promise<Look> {
    const startedAt = Date.now();
    let part = await this.#call({ kind: 'look', hints });
    if (!isPart(part)) return { ...nothing, startedAt, endedAt: Date.now() };
    const first = part;
    const changes = [...first.changes];
    while (part.hasMore) {
      // Other work of this process has its turn.
      await setImmediate();
      const next: unknown = await this.#call({ kind: 'more' });
      if (!isPart(next)) break;
      part = next;
      changes.push(...part.changes);
    }
    const isComplete = first.isComplete && !part.hasMore;
    return { changes: changes.map((each) => this.#named(each)), ...timesOf(first), isComplete };
  }

  /** With the path below the folder as the user named it. */
  #named(change: SeenChange): SeenChange {
    if (this.#root === this.#options.folder) return change;
    return { ...change, path: join(this.#options.folder, ...(partsBelow(this.#root, change.path) ?? [])) };
  }

  /** Undefined if the worker fails. A worker that failed is started again, and once more for paths in hints only. */
  async #call(call: WorkerCall): Promise<WorkerAnswer['value']> {
    while (!this.#isClosed && this.#failures <= maxFailures) {
      try {
        return await this.#ask(call);
      } catch (error) {
        this.#options.logger.warn('the scan of a folder failed', { error: describeError(error) });
        // What a look has not sent yet is reported by the next one.
        if (call.kind === 'more' || call.kind === 'close') return undefined;
      }
    }
    return undefined;
  }

  #ask(call: WorkerCall): Promise<WorkerAnswer['value']> {
    const worker = this.#runningWorker();
    this.#calls += 1;
    const id = this.#calls;
    return new Promise<WorkerAnswer['value']>((resolve, reject) => {
      const limit = awakeTimeout(() => this.#fail(worker, new Error('its disk does not answer')), answerMs);
      const settle = (finish: () => void): void => {
        limit.dispose();
        this.#pending.delete(id);
        if (this.#pending.size === 0) worker.unref();
        finish();
      };
      this.#pending.set(id, {
        resolve: (value) => settle(() => resolve(value)),
        reject: (error) => settle(() => reject(error)),
      });
      worker.ref();
      worker.postMessage({ id, call });
    });
  }

  #runningWorker(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(this.#options.workerFile, {
      workerData: this.#start,
      name: 'folder scan',
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    });
    worker.on('message', ({ id, value, status }: WorkerAnswer) => {
      if (worker === this.#worker) this.#status = status;
      this.#pending.get(id)?.resolve(value);
    });
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('its worker ended')));
    this.#worker = worker;
    return worker;
  }

  #fail(worker: Worker, error: unknown): void {
    if (worker !== this.#worker) return;
    this.#failures += 1;
    if (this.#failures > 1) {
      const why = 'looking at it failed twice';
      this.#start = { ...this.#start, whyNamed: this.#start.whyNamed ?? why };
      const mode = this.#failures > maxFailures ? 'off' : 'named';
      this.#status = { ...this.#status, mode, why: this.#start.whyNamed };
    }
    this.#giveUp(error instanceof Error ? error : new Error(String(error)));
  }

  /** Ends the worker without waiting: it may hang in a call of the file system. */
  #giveUp(error: Error): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    for (const pending of [...this.#pending.values()]) pending.reject(error);
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(run);
    this.#queue = result.catch(() => {});
    return result;
  }
}

/** After so many failures of the worker it does not start again. */
const maxFailures = 2;

function isPart(value: unknown): value is LookPart {
  return typeof value === 'object' && value !== null && 'changes' in value;
}

function timesOf({ startedAt, endedAt }: LookPart): Pick<Look, 'startedAt' | 'endedAt'> {
  return { startedAt, endedAt };
}
