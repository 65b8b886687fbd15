import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Companion } from '@tandem/companion';
import { type Disposable, DisposableStore, type Logger, systemClock } from '@tandem/core';
import type { Editor, Review } from '@tandem/reviews';
import * as vscode from 'vscode';
import { registerChangeCommands } from './changes/changeCommands.js';
import { ChangeList } from './changes/changeList.js';
import { provideChangeTexts } from './changes/changeTexts.js';
import { ChangeTree } from './changes/changeTree.js';
import { RestoreConflicts } from './changes/restoreConflicts.js';
import { ChatRegistration } from './chat/chatRegistration.js';
import { registerDiagnoseCommand } from './commands/diagnose.js';
import { registerMentionCommands } from './commands/mention.js';
import { registerWindowCommands } from './commands/windowCommands.js';
import { CompanionHost } from './companionHost.js';
import type { OpenDesk } from './desk.js';
import { showLostAgents } from './lostAgentNotice.js';
import { channelLogger, ProtocolChannel } from './outputChannels.js';
import { showActiveReview } from './reviews/activeReviewItems.js';
import { ChangeAtCursor } from './reviews/changeAtCursor.js';
import { FilesUnderReview } from './reviews/filesUnderReview.js';
import { followAccepted } from './reviews/followAccepted.js';
import { FollowedSessions } from './reviews/followedSessions.js';
import { InterruptedTexts, offerEdits } from './reviews/interruptedTexts.js';
import { showNoteLine } from './reviews/noteLine.js';
import { registerReviewCommands } from './reviews/reviewCommands.js';
import { registerReviewLenses } from './reviews/reviewLenses.js';
import { ReviewThreads } from './reviews/reviewThreads.js';
import { ReviewTree } from './reviews/reviewTree.js';
import type { ReviewView } from './reviews/reviewView.js';
import { ReviewViews } from './reviews/reviewViews.js';
import { showUserEdits } from './reviews/userEdits.js';
import { WarningThreads } from './reviews/warningThreads.js';
import { readSettings, settingsSection, warnOfIgnoredSettings } from './settings.js';
import { showStatusItem } from './statusItem.js';
import { TerminalEnvironment } from './terminalEnvironment.js';
import { followTerminalFolders, registerConnectCommand, registerStartCommands } from './terminals.js';
import { UserFocus } from './userFocus.js';
import { VscodeEditor } from './vscodeEditor.js';
import { WorkspacePaths } from './workspacePaths.js';

/** Processor time when the first line of the bundle ran; scripts/buildExtension.mjs writes it. */
declare const tandemLoadingSince: NodeJS.CpuUsage;

/** Processor time for loading the code; the window waits meanwhile. */
const loading = workSince(tandemLoadingSince);

/** Run by `deactivate`. */
let end: (() => Promise<void>) | undefined;

/** Registers everything with VS Code. The companion starts afterwards, so that it does not delay the window. */
export function activate(context: vscode.ExtensionContext): ExtensionUnderTest | undefined {
  const activatingSince = process.cpuUsage();
  const startedAt = performance.now();
  const channel = vscode.window.createOutputChannel('Tandem', { log: true });
  const logger = channelLogger(channel);
  const owned = new DisposableStore();

  const paths = new WorkspacePaths();
  const followed = owned.add(new FollowedSessions({ state: context.workspaceState, logger }));
  const sessions = () => host.companion?.sessions;
  // Loaded with the first decision, so that it does not delay the window.
  const openDesk: OpenDesk = async () => {
    const { companion } = host;
    if (companion === undefined) return undefined;
    const { Desk } = await import('./desk.js');
    return new Desk(companion, { views, settings: readSettings });
  };
  const focus = owned.add(new UserFocus(systemClock));
  const views = owned.add(
    new ReviewViews({
      focus,
      toUri: (path) => paths.toUri(path),
      takesFocus: () => readSettings().takesFocus,
      isFollowed: (session) => followed.has(session),
      notKept: (review) => host.companion?.journal.problemWith(review),
      openDesk,
      isLeft: (id) => host.isLeft(id),
      keepTyped: (review, content) => host.companion?.interrupted.keepTyped(review, content),
      clock: systemClock,
      logger,
    }),
  );
  const show = (review: Review): Promise<Disposable> => views.show(review);
  const editor = owned.add(new VscodeEditor({ paths, focus, show, logger }));
  const host = new CompanionHost({
    editor,
    version: context.extension.packageJSON.version,
    settings: readSettings,
    // Of the workspace, on the machine where this extension host runs.
    journalFolder: context.storageUri && join(context.storageUri.fsPath, 'companions'),
    // Not VS Code's own: that empties the file before it writes, also on a full disk.
    writeFile: async (...write) => (await import('@tandem/companion/userFile')).writeUserFile(...write),
    workerFile: context.asAbsolutePath(join('dist', 'scanWorker.cjs')),
    flush: () => views.flush(),
    window: vscode.env.sessionId,
    onTrace: (line) => protocol.write(line),
    logger,
  });
  const chat = new ChatRegistration({ context, editor, paths, companion: () => host.companion, logger });
  // Not in the subscriptions: VS Code disposes those before it awaits `deactivate`, which still needs them.
  end = async () => {
    views.flush();
    // A daemon that we started stops with its agent within three of VS Code's five seconds. The companion sees the agent
    // disconnect in the next turn of the loop, so that the next companion does not report it as lost.
    await chat.close();
    await nextTurn();
    await host.stop();
    owned.dispose();
    channel.dispose();
  };
  const protocol = owned.add(new ProtocolChannel(host));
  const terminals = owned.add(
    new TerminalEnvironment(host, {
      collection: context.environmentVariableCollection,
      hookProgram: context.asAbsolutePath(join('dist', 'hook.mjs')),
      settings: readSettings,
      logger,
    }),
  );
  owned.add(editor.workspace.onDidChange(() => terminals.foldersChanged()));
  owned.add(host.onDidChangeKept(() => views.noteKept()));
  owned.add(host.onDidLoseEdits((edits) => edits.forEach((each) => void offerEdits(each, true))));
  owned.add(showLostAgents(host));
  owned.add(followAccepted({ views, diagnostics: editor.diagnostics, focus, settings: readSettings }));
  owned.add(showStatusItem(host, views));
  const interrupted = owned.add(new InterruptedTexts({ host, toUri: (path) => paths.toUri(path), openDesk }));
  owned.add(new ReviewTree({ views, interrupted, followed, sessions }));
  owned.add(registerReviewLenses(views));
  const list = owned.add(new ChangeList({ host, clock: systemClock, logger }));
  owned.add(provideChangeTexts(list));
  owned.add(new ChangeTree(list));
  const conflicts = owned.add(new RestoreConflicts({ list, toUri: (path) => paths.toUri(path), logger }));
  owned.add(registerChangeCommands({ list, conflicts, openDesk }));
  owned.add(
    list.whenWaiting(async () => {
      const { WrittenLines } = await import('./changes/writtenLines.js');
      return new WrittenLines({ list, openDesk, paths });
    }),
  );
  owned.add(showNoteLine(views));
  owned.add(showUserEdits(views));
  owned.add(new FilesUnderReview(views));
  owned.add(new ReviewThreads(views));
  owned.add(new WarningThreads(views));
  owned.add(showActiveReview(views));
  owned.add(new ChangeAtCursor({ views, clock: systemClock }));
  owned.add(registerReviewCommands({ views, focus, followed, interrupted, sessions, openDesk }));
  owned.add(registerMentionCommands({ host, paths, chat }));
  owned.add(registerStartCommands(readSettings, terminals));
  owned.add(followTerminalFolders(host));
  owned.add(registerConnectCommand(host));
  owned.add(registerDiagnoseCommand(host));
  owned.add(registerWindowCommands({ host, views, channel, protocol, extension: context.extension.id }));
  owned.add(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (!change.affectsConfiguration(settingsSection)) return;
      warnOfIgnoredSettings(logger);
      host.settingsChanged(readSettings());
      terminals.settingsChanged();
    }),
  );
  warnOfIgnoredSettings(logger);
  logger.info('activated', { millisecondsOfWork: Math.round(loading + workSince(activatingSince)) });
  setImmediate(() => void start(context, { host, views, logger, startedAt }));
  return exposeForTests({ host, editor, views });
}

/** Stops the companion. VS Code waits a few seconds for that. */
export async function deactivate(): Promise<void> {
  await end?.();
}

async function start(
  context: vscode.ExtensionContext,
  of: {
    readonly host: CompanionHost;
    readonly views: ReviewViews;
    readonly logger: Logger;
    readonly startedAt: number;
  },
): Promise<void> {
  const { host, views, logger, startedAt } = of;
  await host.restart();
  logger.info('started', { milliseconds: Math.round(performance.now() - startedAt) });
  await views.closeLeftOver();
  const { hintAtOfficialCompanions } = await import('./officialCompanions.js');
  await hintAtOfficialCompanions(context.globalState);
}

/** Processor time of this process since then, in milliseconds. */
function workSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Exports for tests in another extension of the same extension host. */
export interface ExtensionUnderTest {
  readonly editor: Editor;
  readonly companion: () => Companion | undefined;
  readonly reviews: () => readonly ReviewView[];
}

/** Exports internals for tests only; otherwise another extension could accept proposals. */
export function exposeForTests(inside: {
  readonly host: CompanionHost;
  readonly editor: Editor;
  readonly views: ReviewViews;
}): ExtensionUnderTest | undefined {
  if (process.env.TANDEM_VSCODE_TEST === undefined) return undefined;
  const { host, editor, views } = inside;
  return { editor, companion: () => host.companion, reviews: () => views.all };
}
