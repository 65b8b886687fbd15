import { basename } from 'node:path';
import { descriptorOf, isAgentId, nameOfAgent, receivesOnly } from '@tandem/companion/agents';
import { elapsed, visibleName } from '@tandem/core';
import { type HookState, hookModes, hookWords } from '@tandem/reviews';
import * as vscode from 'vscode';
import type { CompanionHost } from './companionHost.js';
import { manageTrust, plainLabel } from './messages.js';
import type { ReviewViews } from './reviews/reviewViews.js';

/** The client name of Gemini CLI and of Qwen Code, which also sends a version that is not its own. */
const anonymousClient = 'streamable-http-client';

/** One line of the quick pick. */
interface StatusChoice extends vscode.QuickPickItem {
  readonly run?: () => unknown;
}

/** The quick pick of the status bar item: agents, reviews, and what the user can do. */
export async function showStatusPick(host: CompanionHost, views: ReviewViews): Promise<void> {
  const items = [
    ...reviewChoices(views),
    ...agentChoices(host),
    ...(await recordingChoices(host)),
    ...actionChoices(host),
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Tandem',
    placeHolder: await sharingLine(host),
  });
  await chosen?.run?.();
}

/** What agents currently see. */
async function sharingLine(host: CompanionHost): Promise<string> {
  const { t } = vscode.l10n;
  const { state } = host;
  if (state.kind === 'failed') return t('Tandem could not start: {0}', state.message);
  if (state.kind !== 'running') return t('Tandem is starting');
  const { companion } = state;
  if (companion.editor.workspace.folders().length === 0) {
    return t('Open a folder, so that agents can find this window');
  }
  const { isPaused, activeFile, heldBack } = await companion.sharing.status();
  if (isPaused) return t('Sharing is paused');
  if (heldBack?.isFromAll)
    return t('Hidden from agents: {0} ({1})', relative(heldBack.path), heldBack.reason);
  if (activeFile === undefined) return t('Agents see no files');
  const { path, selectedCharacters } = activeFile;
  if (selectedCharacters === 0) return t('Agents see {0}', relative(path));
  return t('Agents see {0}, {1} characters selected', relative(path), selectedCharacters);
}

function reviewChoices(views: ReviewViews): StatusChoice[] {
  const { t } = vscode.l10n;
  return withHeading(
    t('Reviews'),
    views.all.map((view) => ({
      label: `$(git-pull-request) ${plainLabel(view.fileName)}`,
      description: view.agentName,
      run: () => views.reveal(view),
    })),
  );
}

function agentChoices({ companion }: CompanionHost): StatusChoice[] {
  const { t } = vscode.l10n;
  const connected = (companion?.agents.sessions ?? []).map((session): StatusChoice => {
    const { id, agent, client, title, pid, isAway } = session;
    const hooks = companion?.agents.hookStateOf(session);
    return {
      label: `$(hubot) ${nameOfAgent(agent)}`,
      ...(hooks !== undefined && hooks !== 'none' && { run: () => pickHooks(companion, session, hooks) }),
      description: [
        ...(hooks === undefined ? [] : [hookWords[hooks].label]),
        ...(title ? [plainLabel(title)] : []),
        ...(client.name === anonymousClient ? [] : [plainLabel(`${client.name} ${client.version}`.trim())]),
        ...[(isAgentId(agent) && receivesOnly(descriptorOf(agent))) || []].flat(),
        ...(pid === undefined ? [] : [t('process {0}', pid)]),
        ...(isAway
          ? [t('disconnected, may reconnect')]
          : lastMessage(agent, companion?.agents.lastMessageAt(id))),
      ].join(' · '),
    };
  });
  const lost = (companion?.agents.lost ?? []).map(
    (each): StatusChoice => ({
      label: `$(debug-disconnect) ${each.displayName}`,
      description: t('has not reconnected since the restart: type {0} in it', each.connect),
    }),
  );
  const start = vscode.workspace.isTrusted
    ? { label: `$(terminal) ${t('Start an Agent…')}`, run: command('tandem.startAgent') }
    : {
        label: `$(workspace-untrusted) ${t('Manage Workspace Trust')}`,
        description: t('Tandem starts no agents in a workspace that is not trusted.'),
        run: manageTrust,
      };
  return withHeading(t('Agents'), [...connected, ...lost, start]);
}

/** Changes which edits of an agent wait for the user. */
async function pickHooks(
  companion: CompanionHost['companion'],
  { id, agent }: { readonly id: string; readonly agent: string },
  hooks: HookState,
): Promise<void> {
  const { t } = vscode.l10n;
  const items = hookModes.map((mode) => ({
    mode,
    label: hookWords[mode].label,
    description: mode === hooks ? t('now') : '',
    detail: hookWords[mode].sentence,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: nameOfAgent(agent),
    placeHolder: t('Which edits wait for you'),
  });
  if (chosen !== undefined) companion?.agents.setHooks(id, chosen.mode);
}

/** What is recorded in each folder, and the copies of its files: to choose one asks whether to delete them. */
async function recordingChoices({ companion }: CompanionHost): Promise<StatusChoice[]> {
  const { t } = vscode.l10n;
  const recording = (await companion?.work.recording()) ?? [];
  return withHeading(
    t('Recorded without a review'),
    recording.map(({ folder, isWhole, note, copies }) => ({
      label: `$(${isWhole ? 'history' : 'warning'}) ${plainLabel(basename(folder))}`,
      description: plainLabel(note),
      ...(copies !== undefined && { detail: plainLabel(copies.note) }),
      run: command('tandem.deleteHistory'),
    })),
  );
}

/** The time since an agent's last message, in words. */
function lastMessage(agent: string, at: number | undefined): string[] {
  const { t } = vscode.l10n;
  if (at === undefined) return [];
  const { count, unit } = elapsed(Date.now() - at);
  // It counts as connected for some minutes only.
  if (isAgentId(agent) && descriptorOf(agent).polls)
    return [unit === 'second' ? t('last request {0} s ago', count) : t('last request {0} min ago', count)];
  if (unit === 'second') return [t('last message just now')];
  if (unit === 'minute') return [t('last message {0} min ago', count)];
  if (unit === 'hour') return [t('last message {0} h ago', count)];
  return [t('last message {0} d ago', count)];
}

function actionChoices({ companion }: CompanionHost): StatusChoice[] {
  const { t } = vscode.l10n;
  const isPaused = companion?.policy.isPaused === true;
  const sharing = isPaused
    ? { label: `$(eye) ${t('Resume Sharing')}`, run: command('tandem.resumeSharing') }
    : { label: `$(eye-closed) ${t('Pause Sharing')}`, run: command('tandem.pauseSharing') };
  const hasFolder = (companion?.editor.workspace.folders().length ?? 0) > 0;
  return withHeading(t('Tandem'), [
    ...(hasFolder
      ? []
      : [{ label: `$(folder-opened) ${t('Open a Folder…')}`, run: command('vscode.openFolder') }]),
    ...(companion === undefined
      ? [{ label: `$(refresh) ${t('Restart')}`, run: command('tandem.restart') }]
      : []),
    sharing,
    { label: `$(copy) ${t('Copy Connect Command')}`, run: command('tandem.copyConnectCommand') },
    { label: `$(pulse) ${t('Diagnose')}`, run: command('tandem.diagnose') },
    { label: `$(output) ${t('Show Log')}`, run: command('tandem.showLog') },
    { label: `$(list-flat) ${t('Show Messages')}`, run: command('tandem.showProtocol') },
    { label: `$(gear) ${t('Settings')}`, run: command('tandem.openSettings') },
    { label: `$(book) ${t('Get Started')}`, run: command('tandem.openWalkthrough') },
  ]);
}

function withHeading(label: string, items: StatusChoice[]): StatusChoice[] {
  return items.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items];
}

function command(id: string): () => Thenable<unknown> {
  return () => vscode.commands.executeCommand(id);
}

function relative(path: string): string {
  return visibleName(vscode.workspace.asRelativePath(path));
}
