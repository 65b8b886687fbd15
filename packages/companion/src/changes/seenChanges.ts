import { randomUUID } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import type { WorkingSession } from '@tandem/agents';
import {
  AgentMarks,
  type Attribution,
  bytesOfStore,
  createFolderScan,
  deleteUnusedStores,
  type FolderScan,
  type FolderScanOptions,
  type Look,
  type SeenChange,
} from '@tandem/changes';
import {
  type Clock,
  type Disposable,
  describeError,
  isWithin,
  type Logger,
  type Path,
  shorten,
  withTimeout,
} from '@tandem/core';
import type { HistoryEntry } from '@tandem/reviews';
import type { FolderRecording } from '@tandem/rpc';
import { hashIn } from '../files/exactContent.js';
import { foundBy, resultOf } from '../reviews/entryChanges.js';
import type { History, SeenEdit } from '../reviews/history.js';
import { isWaiting } from './changeGroups.js';
import { describeRecording, describeUnrecorded } from './recording.js';
import { contentsOf, noContents, readWhole, seenBy } from './seenContents.js';

/** How long a command of an agent waits for a look at the files, in milliseconds. */
const waitMs = 2_000;
/** Of a command, this many characters are kept. */
const commandLength = 500;
/** What one look finds beyond this many files is only counted: it would displace the history. */
const mostFiles = 500;

interface Services {
  /** The folders of the workspace. */
  readonly folders: () => readonly Path[];
  /** How each folder is looked at. */
  readonly scan: Omit<FolderScanOptions, 'folder' | 'logger' | 'denyList'>;
  readonly denyList: () => readonly string[];
  readonly history: Pick<History, 'dropSeen' | 'entries'>;
  readonly record: (edit: SeenEdit) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Sees what agents write, by whatever means. It looks at the files before and after each command and each turn of an agent whose hooks
 * report them, attributes what has changed, and records it in the history. The creator disposes it.
 */
export class SeenChanges implements Disposable {
  readonly #of: Services;
  readonly #marks = new AgentMarks();
  readonly #scans = new Map<Path, FolderScan>();
  /** The look that is running, and those that it has yet to begin. */
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<LookTime> | undefined;
  readonly #pinned = new WeakMap<FolderScan, string>();
  /** When what was recorded last of a file was written, by the file system's clock. */
  readonly #writtenAt = new Map<Path, number>();
  #isDisposed = false;

  constructor(services: Services) {
    this.#of = services;
  }

  /** `at`: when the hook called, in Unix milliseconds. */
  turnBegan(author: WorkingSession, at: number): void {
    this.#marks.beginTurn(author, at);
    void this.#lookInTime();
  }

  turnEnded(session: string, at: number): void {
    this.#marks.endTurn(session, at);
    void this.#lookInTime();
  }

  /** Resolves when the files before it are known. */
  async commandBegan(author: WorkingSession, id: string, command: string): Promise<void> {
    let beganAt: number | undefined;
    const giveUpAt = this.#of.clock.now() + waitMs;
    const ready = async (): Promise<void> => {
      beganAt = (await this.#nextLook()).beganAt;
      await this.#whenRead(giveUpAt);
    };
    await this.#inTime(ready());
    // Without a look nothing is known to be its work.
    const at = beganAt ?? this.#of.clock.now();
    this.#marks.beginCommand(author, id, shorten(command, commandLength), at);
  }

  /** Resolves when its changes are recorded. */
  async commandEnded(session: string, id: string, at: number): Promise<void> {
    this.#marks.endCommand(session, id, at);
    await this.#lookInTime();
  }

  /**
   * The user begins to edit a file in the editor, which shows what an agent has written until then. It is recorded now: once the user
   * saves, the file has the lines of both. Never rejects.
   */
  userEdits(path: Path): Promise<void> {
    if (this.#isDisposed || !this.#marks.hasOpenSpan(this.#of.clock.now())) return Promise.resolve();
    const look = this.#running.then(async () => {
      for (const [folder, scan] of this.#presentScans())
        if (isWithin(folder, path)) await this.#record(folder, scan, await scan.look([path]));
    });
    this.#running = look.catch(() => undefined);
    return this.#inTime(look);
  }

  /** The user saved a file in the editor. */
  async userSaved(path: Path, text: string | undefined): Promise<void> {
    const savedAt = this.#of.clock.now();
    if (this.#isDisposed || !this.#marks.hasOpenSpan(savedAt)) return;
    // Now, because the next save may follow at once.
    const [written] = await Promise.all([lastWrite(path), this.#lookInTime()]);
    if (text === undefined) return;
    // An earlier write of the same text: the change is not the user's, who has only saved it again.
    const writtenAt = this.#writtenAt.get(path);
    if (writtenAt !== undefined && written !== undefined && writtenAt < written) return;
    this.#of.history.dropSeen(path, text, savedAt);
  }

  /** The bytes with a SHA-256 that a change of a file needs. Undefined without a copy. Never rejects. */
  async copyOf(hash: string): Promise<Buffer | undefined> {
    for (const [, scan] of this.#presentScans()) {
      const bytes = await scan.content(hash);
      if (bytes !== undefined) return bytes;
    }
    return undefined;
  }

  /** What is recorded in each folder. `isOn`: unless the user has switched that off. */
  async recording(isOn: boolean): Promise<readonly FolderRecording[]> {
    if (!isOn) return this.#of.folders().map(describeUnrecorded);
    this.#presentScans();
    return Promise.all(
      [...this.#scans].map(async ([folder, scan]) => {
        const status = scan.status();
        return describeRecording(folder, status, await bytesOfStore(status.folder));
      }),
    );
  }

  /** The deny list has changed: copies of files that are hidden now are removed. Never rejects. */
  async denyListChanged(): Promise<void> {
    const patterns = this.#of.denyList();
    await Promise.all(
      this.#presentScans().map(async ([, scan]) => {
        await scan.setDenyList(patterns);
        // A scan that has not begun applies it when it begins: at once, if an earlier one has left copies.
        if ((await bytesOfStore(scan.status().folder)) > 0) await scan.look([]);
      }),
    );
  }

  /** Removes all copies that no other process uses, also those of folders that are not open. Never rejects. */
  forget(): Promise<void> {
    // A look that runs meanwhile would begin new copies.
    const forgotten = this.#running.then(() => this.#forget());
    this.#running = forgotten;
    return forgotten;
  }

  async #forget(): Promise<void> {
    const scans = [...this.#scans.values()];
    this.#scans.clear();
    await Promise.all(scans.map((scan) => scan.delete()));
    deleteUnusedStores(this.#of.scan.stateFolder, randomUUID());
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const scan of this.#scans.values()) scan.dispose();
    this.#scans.clear();
  }

  /** Looks at all files, and waits for that as long as a command may. Never rejects. */
  #lookInTime(): Promise<void> {
    return this.#inTime(this.#nextLook());
  }

  /** Looks at all files, after what is running. Goes on however long it takes. */
  #nextLook(): Promise<LookTime> {
    // A look that has not begun serves everybody who asks for one meanwhile.
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      const look = this.#look();
      this.#running = look.catch(() => undefined);
      return look;
    });
    return this.#next;
  }

  /** Waits for work as long as a command may. Never rejects. */
  async #inTime(work: Promise<unknown>): Promise<void> {
    const { clock, logger } = this.#of;
    try {
      await withTimeout(clock, waitMs, work, 'The look at the files');
    } catch (error) {
      if (this.#isDisposed) return;
      logger.warn('changes of files are recorded late or not at all', { error: describeError(error) });
    }
  }

  /** Waits until the files are read for the first time: what a command changes before that has no text to compare with. */
  async #whenRead(giveUpAt: number): Promise<void> {
    for (const scan of this.#scans.values()) {
      while (!this.#isDisposed && scan.status().unread > 0 && this.#of.clock.now() < giveUpAt) {
        // Asks for nothing but the answer of the worker, which reads in between.
        await scan.look([]);
      }
    }
  }

  async #look(): Promise<LookTime> {
    const beganAt = this.#of.clock.now();
    for (const [folder, scan] of this.#presentScans()) await this.#record(folder, scan, await scan.look());
    await this.#pin();
    return { beganAt };
  }

  /** Keeps the copies that changes need which the user has not decided. */
  async #pin(): Promise<void> {
    const needed = this.#of.history.entries.filter(
      (entry) => isWaiting(entry) || entry.decided.how === 'restored',
    );
    for (const [folder, scan] of this.#scans) {
      const below = needed.filter(({ path }) => isWithin(folder, path));
      const hashes = below.flatMap((entry) => hashesIn(entry)).sort();
      if (this.#pinned.get(scan) === hashes.join()) continue;
      this.#pinned.set(scan, hashes.join());
      await scan.pin(new Set(hashes));
    }
  }

  /** Those of the present folders; the others are closed. */
  #presentScans(): readonly (readonly [Path, FolderScan])[] {
    if (this.#isDisposed) return [];
    const folders = this.#of.folders();
    for (const [folder, scan] of this.#scans) {
      if (folders.includes(folder)) continue;
      scan.dispose();
      this.#scans.delete(folder);
    }
    for (const folder of folders) {
      if (this.#scans.has(folder)) continue;
      const { scan, denyList, logger } = this.#of;
      this.#scans.set(folder, createFolderScan({ ...scan, folder, denyList: denyList(), logger }));
    }
    return [...this.#scans];
  }

  async #record(folder: Path, scan: FolderScan, look: Look): Promise<void> {
    const { startedAt } = look;
    const attributed = (await readWhole(scan, look)).flatMap((change) => {
      const of = this.#marks.attribute({ ...change, seenAt: startedAt });
      return of === undefined ? [] : [{ change, of }];
    });
    const times = ({ change }: (typeof attributed)[number]): number => change.changedAt ?? startedAt;
    attributed.sort((one, other) => times(one) - times(other));
    for (const { change, of } of attributed.slice(0, mostFiles)) await this.#add(scan, change, of);
    const rest = new Map<string, { readonly of: Attribution; files: number }>();
    for (const { of } of attributed.slice(mostFiles)) {
      const counted = rest.get(JSON.stringify(of)) ?? { of, files: 0 };
      counted.files += 1;
      rest.set(JSON.stringify(of), counted);
    }
    for (const { of, files } of rest.values()) await this.#addMore(folder, of, files);
  }

  async #add(scan: FolderScan, change: SeenChange, of: Attribution): Promise<void> {
    const contents = await contentsOf(scan, change);
    if (this.#isDisposed || contents === undefined) return;
    if (change.changedAt !== undefined) this.#writtenAt.set(change.path, change.changedAt);
    await this.#of.record({ ...seenBy(of), ...contents, path: change.path, since: change.notBefore });
  }

  /** Says how many other files changed below the folder. */
  async #addMore(folder: Path, of: Attribution, files: number): Promise<void> {
    if (this.#isDisposed) return;
    await this.#of.record({ ...seenBy(of), path: folder, ...noContents, unkept: { why: 'more', files } });
  }
}

/** The copies that the undo of a change needs, or the undo of that. */
function hashesIn(entry: HistoryEntry): readonly string[] {
  if (entry.exact === undefined) return [];
  return [foundBy(entry), resultOf(entry, { kind: 'missing' })].flatMap((content) => hashIn(content) ?? []);
}

/** When a file was last written, by the file system's clock; undefined if it cannot be found. */
async function lastWrite(path: Path): Promise<number | undefined> {
  try {
    return (await lstat(path)).ctimeMs;
  } catch {
    return undefined;
  }
}

/** When a look began, before it read anything. */
interface LookTime {
  readonly beganAt: number;
}
