import type { WorkingSession } from '@tandem/agents';
import {
  AgentMarks,
  type Attribution,
  createFolderScan,
  type FileState,
  type FolderScan,
  type FolderScanOptions,
  type Look,
  type SeenChange,
} from '@tandem/changes';
import {
  type Clock,
  type Disposable,
  describeError,
  type Logger,
  type Path,
  shorten,
  withTimeout,
} from '@tandem/core';
import { type FileContent, isSameContent, type WorkEvidence } from '@tandem/reviews';
import { decodeText } from '../files/encodedText.js';
import type { History, SeenEdit } from '../reviews/history.js';

/** How long a command of an agent waits for a look at the files, in milliseconds. */
const waitMs = 2_000;
/** Of a command, this many characters are kept. */
const commandLength = 500;
/** What one command changes beyond this many files is not recorded: it would displace the history. */
const mostFiles = 1_000;

interface Services {
  /** The folders of the workspace. */
  readonly folders: () => readonly Path[];
  /** How each folder is looked at. */
  readonly scan: Omit<FolderScanOptions, 'folder' | 'logger'>;
  readonly history: Pick<History, 'dropSeen'>;
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
    const giveUpAt = this.#of.clock.now() + waitMs;
    const look = await this.#lookInTime();
    await this.#whenRead(giveUpAt);
    // Without a look nothing is known to be its work.
    const at = look?.beganAt ?? this.#of.clock.now();
    this.#marks.beginCommand(author, id, shorten(command, commandLength), at);
  }

  /** Resolves when its changes are recorded. */
  async commandEnded(session: string, id: string, at: number): Promise<void> {
    this.#marks.endCommand(session, id, at);
    await this.#lookInTime();
  }

  /** The user saved a file in the editor. */
  async userSaved(path: Path, text: string | undefined): Promise<void> {
    if (this.#isDisposed || !this.#marks.hasOpenSpan(this.#of.clock.now())) return;
    await this.#lookInTime();
    if (text !== undefined) this.#of.history.dropSeen(path, text);
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const scan of this.#scans.values()) scan.dispose();
    this.#scans.clear();
  }

  /** Looks at all files, after what is running. Undefined if that takes too long. Never rejects. */
  async #lookInTime(): Promise<LookTime | undefined> {
    const { clock, logger } = this.#of;
    if (this.#isDisposed) return undefined;
    // A look that has not begun serves everybody who asks for one meanwhile.
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      const look = this.#look();
      this.#running = look.catch(() => undefined);
      return look;
    });
    try {
      return await withTimeout(clock, waitMs, this.#next, 'The look at the files');
    } catch (error) {
      logger.warn('changes of files are recorded late or not at all', { error: describeError(error) });
      return undefined;
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
    for (const scan of this.#presentScans()) await this.#record(scan, await scan.look());
    return { beganAt };
  }

  /** Those of the present folders; the others are closed. */
  #presentScans(): readonly FolderScan[] {
    if (this.#isDisposed) return [];
    const folders = this.#of.folders();
    for (const [folder, scan] of this.#scans) {
      if (folders.includes(folder)) continue;
      scan.dispose();
      this.#scans.delete(folder);
    }
    for (const folder of folders) {
      if (this.#scans.has(folder)) continue;
      const { scan, logger } = this.#of;
      this.#scans.set(folder, createFolderScan({ ...scan, folder, logger }));
    }
    return [...this.#scans.values()];
  }

  async #record(scan: FolderScan, { changes, startedAt }: Look): Promise<void> {
    const { logger } = this.#of;
    const attributed = changes.flatMap((change) => {
      const of = this.#marks.attribute({ ...change, seenAt: startedAt });
      return of === undefined ? [] : [{ change, of }];
    });
    const times = ({ change }: (typeof attributed)[number]): number => change.changedAt ?? startedAt;
    attributed.sort((one, other) => times(one) - times(other));
    if (attributed.length > mostFiles) {
      logger.warn('not all changes of a command are recorded', { files: attributed.length, mostFiles });
    }
    for (const { change, of } of attributed.slice(0, mostFiles)) await this.#add(scan, change, of);
  }

  async #add(scan: FolderScan, { path, before, after }: SeenChange, of: Attribution): Promise<void> {
    const [was, is] = [await contentOf(scan, before), await contentOf(scan, after)];
    if (this.#isDisposed || was === undefined || is === undefined || isSameContent(was, is)) return;
    await this.#of.record({
      agent: of.agent,
      session: of.session,
      path,
      before: was,
      after: is,
      title: of.commands?.[0] ?? '',
      evidence: evidenceOf(of),
    });
  }
}

/** When a look began, before it read anything. */
interface LookTime {
  readonly beganAt: number;
}

function evidenceOf({ commands }: Attribution): WorkEvidence {
  return commands === undefined ? { kind: 'turn' } : { kind: 'command', commands };
}

/** Undefined for what is not a file, and for one that is not kept. */
async function contentOf(scan: FolderScan, state: FileState): Promise<FileContent | undefined> {
  if (state.kind === 'missing') return state;
  if (state.kind !== 'file') return undefined;
  const bytes = await scan.content(state.hash);
  if (bytes === undefined) return undefined;
  const decoded = await decodeText(bytes);
  return decoded === undefined ? { kind: 'binary', size: bytes.length } : { kind: 'text', ...decoded };
}
