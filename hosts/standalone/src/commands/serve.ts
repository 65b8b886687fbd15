import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type AgentId, type Companion, createCompanion } from '@tandem/companion';
import { type CompanionEvent, type FoundCompanion, findCompanions } from '@tandem/companion/control';
import { writeUserFile } from '@tandem/companion/userFile';
import {
  type Disposable,
  defaultDenyList,
  describeError,
  isWithin,
  type Path,
  systemClock,
  visibleName,
} from '@tandem/core';
import type { WhenClosed } from '@tandem/reviews';
import { connectDaemon, daemonChoice } from '../chat/daemonChoice.js';
import { PageEditor } from '../editor/pageEditor.js';
import { CommandError, exitCode } from '../exitCode.js';
import { introduction } from '../introduction.js';
import { findScanWorker } from '../ourFiles.js';
import { commandName, onOutputEnd, print, printError, printTogether, stderrLogger } from '../output.js';
import { openForUser, pageNotice } from '../page/openBrowser.js';
import { ServedPage } from '../page/servedPage.js';
import { endDespiteDisk, onEndingSignal, releaseAtAnyEnd } from '../processEnd.js';
import { RecordFile } from '../recordFile.js';
import { rescueUnsaved } from '../rescueUnsaved.js';
import { findProgram } from '../runProgram.js';
import { type ServeView, showLiveStatus, startJsonView } from '../serveView.js';
import { openJournal } from '../workspaceState.js';

export interface ServeOptions {
  readonly version: string;
  readonly agents?: readonly AgentId[];
  readonly untrusted?: boolean;
  readonly json?: boolean;
  readonly deny?: readonly string[];
  readonly gitignore?: boolean;
  readonly record?: string;
  readonly recordContents?: boolean;
  /** Seconds. */
  readonly untilIdle?: number;
  readonly pagePort?: number;
  /** What happens when the tab of a pending review is closed in the page. */
  readonly whenClosed?: WhenClosed;
  /** Claude Code's folder, instead of the one in CLAUDE_CONFIG_DIR. */
  readonly claudeConfigDir?: string;
  /** How long decided reviews are kept, and how many. */
  readonly historyDays?: number;
  readonly historyReviews?: number;
  /** Whether to look at the files around the commands of agents. */
  readonly changes?: boolean;
  /** Whether the page may be opened in a browser. */
  readonly open?: boolean;
  /** Address of the daemon that the page chats with. */
  readonly daemon?: string;
  readonly daemonTokenFile?: string;
  /** Start even if a companion already serves one of the folders. */
  readonly another?: boolean;
}

/** `tandem serve`: runs a companion until it is asked to stop. */
export async function serve(folderArguments: readonly string[], options: ServeOptions): Promise<void> {
  const folders = foldersOf(folderArguments);
  if (!options.another) await requireUnserved(folders);
  const { version, agents, deny, gitignore, record, recordContents, untilIdle } = options;
  const logger = stderrLogger();
  const daemon = await daemonChoice(options);
  const recordFile = record === undefined ? undefined : RecordFile.open(record);
  // From here on, requests to stop are handled, also during the start.
  let end = (_code: number): void => {};
  const ended = new Promise<number>((resolveEnded) => {
    end = resolveEnded;
  });
  const signals = onEndingSignal((code) => end(code));
  onOutputEnd((code) => end(code));

  const editor = new PageEditor({ folders, isTrusted: !options.untrusted, version, logger });
  const journal = openJournal(() => folders, logger);
  const page = new ServedPage();
  const early: CompanionEvent[] = [];
  let report = (event: CompanionEvent): void => void early.push(event);
  const companion = await createCompanion({
    editor,
    version,
    command: commandName,
    logger,
    onEvent: (event) => report(event),
    onStopRequested: () => end(exitCode.ok),
    page,
    writeFile: writeUserFile,
    history: {
      ...(options.historyDays !== undefined && { days: options.historyDays }),
      ...(options.historyReviews !== undefined && { entries: options.historyReviews }),
    },
    changes: options.changes === false ? undefined : findScanWorker(),
    ...(journal && { journal }),
    ...(agents && { agents }),
    ...(options.claudeConfigDir && { claudeConfigDir: options.claudeConfigDir }),
    ...(deny && { denyList: [...defaultDenyList, ...deny] }),
    ...(gitignore && { respectsGitignore: true }),
    ...(recordFile && { onTrace: (line: string) => recordFile.append(line) }),
    ...(recordContents && { tracesContents: true }),
  });
  const guard = releaseAtAnyEnd(companion);
  try {
    await page.start({
      companion,
      editor,
      version,
      logger,
      ...(options.pagePort !== undefined && { port: options.pagePort }),
      ...(options.whenClosed && { whenClosed: options.whenClosed }),
    });
  } catch (error) {
    await companion.stop();
    editor.dispose();
    guard.dispose();
    signals.dispose();
    throw error;
  }
  const view = options.json ? await startJsonView(companion, page) : await startLiveStatus(companion, page);
  if (daemon !== undefined) connectDaemon(page, daemon);
  // The introduction counts the reviews that were restored.
  for (const event of early) if (options.json || event.event !== 'review.opened') view.report(event);
  report = (event) => {
    printTogether();
    view.report(event);
  };
  reportReady();
  void companion.warmUp();
  if (!options.json && options.open !== false) await openForUser(page);
  const idle = untilIdle === undefined ? undefined : watchIdle(companion, untilIdle, () => end(exitCode.ok));

  const code = await ended;
  clearInterval(idle);
  const rescued = rescueTexts(editor, await companion.journal.write());
  await page.close();
  await companion.stop();
  view.dispose();
  for (const line of rescued) printError(line);
  editor.dispose();
  recordFile?.close();
  signals.dispose();
  guard.dispose();
  process.exitCode = code;
  await endDespiteDisk();
}

/** Throws `CommandError` if a companion serves one of the folders: of two, some agents connect to neither. */
async function requireUnserved(folders: readonly Path[]): Promise<void> {
  const isServed = (folder: Path): boolean => folders.includes(folder);
  const running = (await findCompanions()).find((each) => each.workspaceFolders.some(isServed));
  if (running === undefined) return;
  const { pid, editor, workspaceFolders } = running;
  const served = workspaceFolders.filter(isServed).map(visibleName).join(', ');
  const ways = [
    ['Open its page:', 'page --open'],
    ['Connect an agent:', 'run claude'],
    ['Show its status:', 'status'],
    ['Stop it:', `stop --companion ${pid}`],
    ['Start a second one:', 'serve --another'],
  ];
  throw new CommandError(
    [
      `A companion already serves ${served} (process ${pid}, ${editor}).`,
      ...ways.map(([what = '', how]) => `  ${what.padEnd(20)} ${commandName} ${how}`),
    ].join('\n'),
    exitCode.usage,
  );
}

/** Keeps unsaved text in files. Returns a message for each. */
function rescueTexts(editor: PageEditor, isJournaled: boolean): string[] {
  const edited = isJournaled ? editor.shownReviews.filter(({ review }) => review.isEdited) : [];
  const journaled = edited.map(
    ({ review }) =>
      `tandem: your edits to the review of ${visibleName(review.proposal.path)} are saved; ${commandName} restores them`,
  );
  return [...journaled, ...rescueDocuments(editor, isJournaled)];
}

function rescueDocuments(editor: PageEditor, isJournaled: boolean): string[] {
  try {
    return rescueUnsaved(editor, isJournaled).map(
      ({ path, file }) => `tandem: your unsaved text of ${visibleName(path)} is saved in ${file}`,
    );
  } catch (error) {
    return [`tandem: your unsaved text could not be saved: ${describeError(error)}`];
  }
}

async function startLiveStatus(companion: Companion, page: ServedPage): Promise<ServeView> {
  const folders = companion.editor.workspace.folders();
  const overlaps = (other: FoundCompanion): boolean =>
    other.workspaceFolders.some((their) =>
      folders.some((our) => isWithin(their, our) || isWithin(our, their)),
    );
  const [status, running] = await Promise.all([companion.status(), findCompanions()]);
  print(
    introduction(
      status,
      running.filter((other) => other.pid !== process.pid && overlaps(other)),
      pageNotice(page),
      findProgram,
    ),
  );
  return showLiveStatus(companion);
}

/** Reports to a `tandem run` that started us in the background. It may have ended meanwhile. */
function reportReady(): void {
  if (process.connected) process.send?.('ready', undefined, undefined, () => {});
}

/** The real paths of the folders, without duplicates: Claude Code compares real paths as text. */
function foldersOf(named: readonly string[]): Path[] {
  const folders = (named.length > 0 ? named : ['.']).map((name) => {
    const path = resolve(name);
    try {
      if (statSync(path).isDirectory()) {
        accessSync(path, constants.R_OK | constants.X_OK);
        return realpathSync(path);
      }
    } catch (cause) {
      throw new CommandError(`${visibleName(path)} does not exist or cannot be read.`, exitCode.usage, {
        cause,
      });
    }
    throw new CommandError(`${visibleName(path)} is not a folder. Name its folder.`, exitCode.usage);
  });
  return [...new Set(folders)];
}

/** Stops a companion after this many seconds without a connected agent or an open page. */
function watchIdle(companion: Companion, seconds: number, end: () => void): NodeJS.Timeout {
  let limit: Disposable | undefined;
  const endUnlessNeeded = (): void => {
    limit = undefined;
    // The last check may be out of date.
    if (!companion.isNeeded) end();
  };
  return setInterval(() => {
    if (companion.isNeeded) {
      limit?.dispose();
      limit = undefined;
    } else limit ??= systemClock.setTimeout(endUnlessNeeded, seconds * 1000);
  }, 250);
}
